// Reductions in one launch where a block or a warp takes several steps of a small grid, which the battery's
// sizes do not reach: whole steps, one vector more, a ragged tail, and each type's width.
#include "src/json/json.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// Runs variants in blocks of 64 threads, one for each multiprocessor; of the cases those that did not pass.
std::vector<std::string> not_passed(const std::string& variants, const std::string& axes) {
  return redbench::not_passed(R"({"title": "test", "experiments": [{"problem": "reduce", "variants": )" +
                                  variants + R"(, "axes": {"block": 64, "per_sm": 1, "waves": [1, 3], )" +
                                  axes + "}}]}",
                              "simt:h200");
}

const std::vector<std::string> none;

// Four vectors of each of 64 threads of 132 blocks are 135168 integers, 270336 halves or 67584 doubles.
TEST(OneLaunch, GoesOnInStepsOfTheGrid) {
  EXPECT_EQ(not_passed(R"(["packed_atomic", "last_block", "waiting_block"])",
                       R"("n": [135167, 135168, 135173, 811011], "type": "i32", "operator": "sum")"),
            none);
  EXPECT_EQ(not_passed(R"(["last_block", "waiting_block"])",
                       R"("n": [135169, 541007], "type": ["f16", "f64", "c64"], "operator": "sum")"),
            none);
}

// 540672 bytes, or 270336 of two.
TEST(OneLaunch, AccumulatesNarrowValues) {
  const std::string rest = R"(, "operator": "sum", "values": ["uniform", "extreme"])";
  for (const char* type :
       {R"("type": "u8", "accumulator": ["own", "u32"])", R"("type": "i8", "accumulator": ["own", "i32"])"})
    EXPECT_EQ(not_passed(R"(["packed_atomic", "last_block", "waiting_block"])",
                         R"("n": [540671, 540673, 3244063], )" + (type + rest)),
              none);
  EXPECT_EQ(
      not_passed(R"(["last_block", "waiting_block"])",
                 R"("n": [270337, 1622027], "type": ["f16", "bf16"], "accumulator": ["own", "f32"])" + rest),
      none);
}

TEST(OneLaunch, KeepsTheOrderOverSteps) {
  EXPECT_EQ(
      not_passed(R"(["waiting_block_ordered"])",
                 R"("n": [67583, 67584, 67585, 202753], "type": "u32", "operator": ["affine", "right"])"),
      none);
}

}  // namespace
}  // namespace redbench
