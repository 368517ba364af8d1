// Tuned files: which point counts, and what is refused.
#include "src/config/tuned.hpp"

#include <gmock/gmock.h>

#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

TunedPoint at(Index n, Index m, const std::string& labels, Index block, const std::string& type = "i32") {
  return {.variant = "multireduce/x",
          .type = type,
          .op = "sum",
          .n = n,
          .m = m,
          .axes = {{"labels", labels}, {"m", m}},
          .parameters = {{"block", block}}};
}

TEST(Tuned, TakesTheNearestPointByLogarithmsOfItsTypeAndAxes) {
  const Tuned tuned{
      "",
      "GPU",
      "",
      {at(1 << 10, 16, "uniform", 1), at(1 << 20, 16, "uniform", 2), at(1 << 10, 4096, "uniform", 3),
       at(1 << 20, 4096, "equal", 4), at(1 << 20, 4096, "uniform", 5, "f32")}};
  const auto block = [&](Index n, Index m, const std::string& labels) {
    return tuned.nearest(at(n, m, labels, 0))->parameters.at("block");
  };
  EXPECT_EQ(block(1 << 14, 16, "uniform"), 1) << "4 doublings away, not 6";
  EXPECT_EQ(block(1 << 16, 16, "uniform"), 2);
  EXPECT_EQ(block(1 << 10, 512, "uniform"), 3) << "3 doublings of m away, not 5";
  EXPECT_EQ(block(1 << 20, 4096, "uniform"), 2) << "equal labels and another type do not count";
  EXPECT_EQ(block(1, 1, "equal"), 4);
  EXPECT_EQ(tuned.nearest(at(1, 1, "equal", 0, "f64")), nullptr);
}

TEST(Tuned, IsReadAsItWasWritten) {
  TemporaryFolder folder;
  TunedPoint point = at(1000, 16, "uniform", 64);
  point.found = {{"ratio", {0.8, 0.9, 1}}};
  const Tuned read = read_tuned(folder.write("t.json", text_of(Tuned{"", "GPU", "", {point}})));
  EXPECT_EQ(read.hardware, "GPU");
  EXPECT_EQ(text_of(read), text_of(Tuned{"", "GPU", "", {point}}));
  EXPECT_EQ(to_json(deserialize_tuned(to_json(read), "")), to_json(read));
}

TEST(Tuned, RefusesByFileAndPathWhatIsNoneAndOtherHardware) {
  TemporaryFolder folder;
  const auto mistake = [&](const std::string& text) {
    return usage_error([&] { find_tuned(folder.write("t.json", text), FakeDevice()); });
  };
  EXPECT_THAT(mistake(R"({"schema": 1, "hardware": "x", "points": [{"variant": "y"}]})"),
              HasSubstr("t.json: $.points[0]"));
  EXPECT_THAT(mistake(R"({"schema": 1, "hardware": "x", "points": [{"variant": "y", "type": "i32",
                      "operator": "sum", "n": 1, "m": 1, "parameters": {"block": "many"}}]})"),
              HasSubstr("t.json: $.points[0].parameters.block"));
  EXPECT_THAT(mistake(text_of(Tuned{"", "GPU", "", {at(8, 1, "uniform", 64), at(8, 1, "uniform", 128)}})),
              HasSubstr("t.json: $.points[1]: the point is there twice"));
  EXPECT_THAT(mistake(R"({"schema": 1, "hardware": "another GPU", "points": []})"),
              HasSubstr("is of another GPU; this is "));
  EXPECT_THAT(usage_error([&] { find_tuned("missing.json", FakeDevice()); }), HasSubstr("missing.json"));
}

}  // namespace
}  // namespace redbench
