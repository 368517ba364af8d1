// What a device has counted, as fields of a record.
#include "src/cell/counted.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace redbench {
namespace {

/// A case of two launches, the second of 3 blocks of 33 warps, and what was counted of it.
struct Counted {
  Counted() {
    variant.short_name = "tree";
    case_.variant = &variant;
    case_.footprint.launches.resize(2);
    case_.footprint.launches[0].grid = {.blocks = 5, .threads = 33};
    case_.footprint.launches[1].grid = {.blocks = 3, .threads = 1056};
    launches[0].trace = {{"load", 1, 1, "other.cu", 1}};
    launches[1].trace = {{"load", 32, 2, "a.cu", 10},
                         {"store", 31, 3, "a.cu", 11},
                         {"atomic", 30, 4, "b.cu", 0},
                         {"store", 29, 5, "b.cu", 12}};
  }
  Json trace(const WarpPlace& warp, const std::vector<Index>& levels = {}) const {
    MeasureOptions options;
    options.trace = TraceOptions{warp, {{"other", {0}}}};
    if (!levels.empty()) options.trace->levels["tree"] = levels;
    return trace_of(options, case_, launches);
  }
  std::string mistake(const WarpPlace& warp, const std::vector<Index>& levels = {}) const {
    return message_of<DeviceError>([&] { trace(warp, levels); });
  }

  Variant variant;
  Case case_;
  std::vector<LaunchCounters> launches = std::vector<LaunchCounters>(2);
};

TEST(Counted, ATraceHasEachAccessAndTheStoresThatAreLevels) {
  const Counted counted;
  Json expected = Json::parse(R"([
    {"access": "load", "lanes": 32, "cache_lines": 2, "file": "a.cu", "line": 10},
    {"access": "store", "lanes": 31, "cache_lines": 3, "file": "a.cu", "line": 11},
    {"access": "atomic", "lanes": 30, "cache_lines": 4, "file": "b.cu", "line": 0},
    {"access": "store", "lanes": 29, "cache_lines": 5, "file": "b.cu", "line": 12}])");
  EXPECT_EQ(counted.trace({1, 2, 32}), expected) << "the levels are another variant's";
  expected[3]["level"] = 0;
  expected[1]["level"] = 1;
  EXPECT_EQ(counted.trace({1, 0, 0}, {1, 0}), expected) << "level 0 is the second store";
  EXPECT_EQ(counted.trace({0, 4, 1})[0]["file"], "other.cu");
  EXPECT_EQ(trace_of({}, counted.case_, counted.launches), Json());
  MeasureOptions options;
  EXPECT_EQ(traced_warp(options), std::nullopt);
  options.trace = TraceOptions{{7, 8, 9}, {}};
  EXPECT_EQ(trace_of(options, counted.case_, {}), Json()) << "nothing was counted";
  EXPECT_EQ(traced_warp(options)->warp, 9);
}

TEST(Counted, APlaceThatTheCaseHasNotIsNamed) {
  const Counted counted;
  EXPECT_EQ(counted.mistake({2, 0, 0}), "trace: there is no launch 2; the case has 2");
  EXPECT_EQ(counted.mistake({1, 2, 33}),
            "trace: there is no warp 33 of block 2 in launch 1, of 3 blocks of 1056 threads");
  EXPECT_EQ(counted.mistake({0, 4, 2}),
            "trace: there is no warp 2 of block 4 in launch 0, of 5 blocks of 33 threads");
  EXPECT_EQ(counted.mistake({1, 0, 0}, {1, 2}), "trace: level 1 is to be store 2, but the warp has 2 stores");
}

// Each launch has its own counts, and those of its lines without zeros; the record has their sum.
TEST(Counted, CountersAreOfEachLaunchAndOfAll) {
  std::vector<LaunchCounters> launches(2);
  launches[0].total[Counter::global_load_requests] = 40;
  launches[0].total[Counter::branches] = 3;
  launches[1].total[Counter::global_load_requests] = 500;
  launches[1].lines = {{"a.cu", 12, {}}, {"b.cu", 0, {}}};
  launches[1].lines[0].counters[Counter::global_load_requests] = 499;
  launches[1].lines[1].counters[Counter::global_load_requests] = 1;
  Record record{{"launches", {{{"kernel", "first"}}, {{"kernel", "second"}}}}};
  add_counters(record, launches);
  Json zeros = Json::object();
  for (const std::string_view name : counter_names) zeros[std::string(name)] = 0;
  Json first = zeros, second = zeros, all = zeros;
  first.update({{"global_load_requests", 40}, {"branches", 3}});
  second.update({{"global_load_requests", 500}});
  all.update({{"global_load_requests", 540}, {"branches", 3}});
  const Json lines = Json::parse(R"([{"file": "a.cu", "line": 12, "global_load_requests": 499},
                                     {"file": "b.cu", "line": 0, "global_load_requests": 1}])");
  EXPECT_EQ(record, (Json{{"launches",
                           {{{"kernel", "first"}, {"counters", first}, {"lines", Json::array()}},
                            {{"kernel", "second"}, {"counters", second}, {"lines", lines}}}},
                          {"counters", all}}));
}

}  // namespace
}  // namespace redbench
