// Inputs by bucket in pages, where buckets have many: pages that are full at the end of a tile, tiles that take
// several of one bucket, and buckets that one block reduces or that several share, which the battery's sizes
// reach one at a time.
#include "src/json/json.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// Runs multireduce/partitioned in small blocks; of the cases those that did not pass.
std::vector<std::string> not_passed(const std::string& axes) {
  return redbench::not_passed(
      R"({"title": "test", "experiments": [{"problem": "multireduce", "variants": ["partitioned"], )"
      R"("axes": {"operator": "sum", "table_block": 64, )" +
          axes + "}}]}",
      "simt:h200");
}

const std::vector<std::string> none;

// Tiles of 256 inputs are a page if all have one label. 100003 are 391 pages, three for each of 132 blocks.
TEST(Pages, AreFilledByTilesAndSharedByBlocks) {
  EXPECT_EQ(not_passed(R"("n": [33792, 100003], "m": [1, 70001], "type": "i32", "block": 64, "loads": 1, )"
                       R"("labels": ["uniform", "degenerate", "zipf:1"])"),
            none);
}

TEST(Pages, OfFewAndManyBuckets) {
  EXPECT_EQ(
      not_passed(R"("n": 100003, "m": 3000, "type": ["f32", "i64"], "block": 128, "buckets": [1, 16, 2048])"),
      none);
}

}  // namespace
}  // namespace redbench
