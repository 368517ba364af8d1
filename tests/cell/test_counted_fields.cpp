// What a device has counted, as fields of a record: each trace and each sum whole, and places that a case
// does not have.
#include <gtest/gtest.h>

#include "src/cell/counted.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

Record zeros() {
  Record all = Json::object();
  for (const std::string_view name : counter_names) all[std::string(name)] = 0;
  return all;
}

/// A case of two launches, the second of 3 blocks of 33 warps, and what was counted of it.
struct Counted {
  Counted() {
    variant.short_name = "tree";
    one.variant = &variant;
    one.footprint.launches.resize(2);
    one.footprint.launches[0].grid = {.blocks = 5, .threads = 33};
    one.footprint.launches[1].grid = {.blocks = 3, .threads = 1056};
    launches[0].trace = {{"load", 1, 1, "other.cu", 1}};
    launches[1].trace = {{"load", 32, 2, "a.cu", 10},
                         {"store", 31, 3, "a.cu", 11},
                         {"atomic", 30, 4, "b.cu", 0},
                         {"store", 29, 5, "b.cu", 12}};
  }
  Json trace(Index launch, Index block, Index warp, const std::vector<Index>& levels = {}) const {
    MeasureOptions options;
    options.trace = TraceOptions{{launch, block, warp}, {{"other", {0}}}};
    if (!levels.empty()) options.trace->levels["tree"] = levels;
    return trace_of(options, one, launches);
  }
  std::string mistake(Index launch, Index block, Index warp, const std::vector<Index>& levels = {}) const {
    return message_of<DeviceError>([&] { trace(launch, block, warp, levels); });
  }

  Variant variant;
  Case one;
  std::vector<LaunchCounters> launches = std::vector<LaunchCounters>(2);
};

TEST(CountedFields, ATraceHasEachAccessAndTheStoresThatAreLevels) {
  const Counted counted;
  Json expected = Json::parse(R"([
    {"access": "load", "lanes": 32, "cache_lines": 2, "file": "a.cu", "line": 10},
    {"access": "store", "lanes": 31, "cache_lines": 3, "file": "a.cu", "line": 11},
    {"access": "atomic", "lanes": 30, "cache_lines": 4, "file": "b.cu", "line": 0},
    {"access": "store", "lanes": 29, "cache_lines": 5, "file": "b.cu", "line": 12}])");
  EXPECT_EQ(counted.trace(1, 2, 32), expected) << "of another variant's levels nothing is said";
  expected[3]["level"] = 0;
  expected[1]["level"] = 1;
  EXPECT_EQ(counted.trace(1, 0, 0, {1, 0}), expected) << "level 0 is the second store";
  EXPECT_EQ(
      counted.trace(0, 4, 1),
      Json::parse(R"([{"access": "load", "lanes": 1, "cache_lines": 1, "file": "other.cu", "line": 1}])"));
}

TEST(CountedFields, APlaceThatTheCaseHasNotIsNamed) {
  const Counted counted;
  EXPECT_EQ(counted.mistake(2, 0, 0), "trace: there is no launch 2; the case has 2");
  EXPECT_EQ(counted.mistake(1, 3, 0),
            "trace: there is no warp 0 of block 3 in launch 1, of 3 blocks of 1056 threads");
  EXPECT_EQ(counted.mistake(1, 2, 33),
            "trace: there is no warp 33 of block 2 in launch 1, of 3 blocks of 1056 threads");
  EXPECT_EQ(counted.mistake(0, 4, 2),
            "trace: there is no warp 2 of block 4 in launch 0, of 5 blocks of 33 threads");
  EXPECT_EQ(counted.mistake(1, 0, 0, {1, 2}), "trace: level 1 is to be store 2, but the warp has 2 stores");
}

TEST(CountedFields, WithoutATraceOrCountsThereIsNone) {
  const Counted counted;
  MeasureOptions options;
  EXPECT_EQ(traced_warp(options), std::nullopt);
  EXPECT_EQ(trace_of(options, counted.one, counted.launches), Json());
  options.trace = TraceOptions{{7, 8, 9}, {}};
  EXPECT_EQ(trace_of(options, counted.one, {}), Json()) << "a device that counts nothing has every warp";
  const std::optional<WarpPlace> warp = traced_warp(options);
  ASSERT_TRUE(warp);
  EXPECT_EQ(warp->launch, 7);
  EXPECT_EQ(warp->block, 8);
  EXPECT_EQ(warp->warp, 9);
}

// Each launch has its own counts, and those of its lines without the counters that are 0; the record their
// sum.
TEST(CountedFields, CountersAreOfEachLaunchAndOfAll) {
  std::vector<LaunchCounters> launches(2);
  launches[0].total[Counter::global_load_requests] = 40;
  launches[0].total[Counter::branches] = 3;
  launches[1].total[Counter::global_load_requests] = 500;
  launches[1].total[Counter::warp_exchanges] = 7;
  launches[1].lines.resize(2);
  launches[1].lines[0] = {"a.cu", 12, {}};
  launches[1].lines[0].counters[Counter::warp_exchanges] = 7;
  launches[1].lines[0].counters[Counter::global_load_requests] = 499;
  launches[1].lines[1] = {"b.cu", 0, {}};
  launches[1].lines[1].counters[Counter::global_load_requests] = 1;
  Record record{{"launches", {{{"kernel", "first"}}, {{"kernel", "second"}}}}};
  add_counters(record, launches);
  Json first = zeros(), second = zeros(), all = zeros();
  first.update({{"global_load_requests", 40}, {"branches", 3}});
  second.update({{"global_load_requests", 500}, {"warp_exchanges", 7}});
  all.update({{"global_load_requests", 540}, {"branches", 3}, {"warp_exchanges", 7}});
  const Json lines =
      Json::parse(R"([{"file": "a.cu", "line": 12, "global_load_requests": 499, "warp_exchanges": 7},
                                     {"file": "b.cu", "line": 0, "global_load_requests": 1}])");
  EXPECT_EQ(record, (Json{{"launches",
                           {{{"kernel", "first"}, {"counters", first}, {"lines", Json::array()}},
                            {{"kernel", "second"}, {"counters", second}, {"lines", lines}}}},
                          {"counters", all}}));
}

}  // namespace
}  // namespace redbench
