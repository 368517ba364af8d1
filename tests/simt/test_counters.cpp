// Exact counts of whole kernels, derived by hand. n is a multiple of every tile, so that all blocks are
// alike.
#include <fmt/format.h>

#include "src/records/record.hpp"
#include "src/simt/counters.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::vector<Record> profiled(const std::string& arguments) {
  const TemporaryFolder folder;
  const Answer answer = redbench("profile " + arguments + " --json -o " + folder.path() + "/out");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const Json json = Json::parse(answer.text, nullptr, false);
  if (!json.is_array()) {
    ADD_FAILURE() << answer.text;
    return {};
  }
  return {json.begin(), json.end()};
}

/// Counters of one launch of i32 sums over 8192 values: 32 blocks of 256 threads with a value each, by
/// default.
Json launch(const std::string& variant, std::size_t number, const std::string& flags = "-d simt:gtx480") {
  const std::vector<Record> records = profiled(variant + " -a n=8Ki " + flags);
  if (records.size() != 1 || records[0]["launches"].size() <= number) {
    ADD_FAILURE() << variant << ": not one record with " << number + 1 << " launches";
    return Json::object();
  }
  EXPECT_EQ(records[0]["outcome"], "passed");
  return records[0]["launches"][number]["counters"];
}

void expect_counts(const Json& counters, const std::vector<std::pair<const char*, int>>& expected) {
  for (const auto& [name, value] : expected) EXPECT_EQ(counters.value(name, -1), value) << name;
}

// A block has 8 warps. Thread t is active at distance d where t % 2d == 0: in 8 warps for d = 1 to 16, then
// in 4, 2 and 1: 47 warps in all, each with two loads and a store of distinct banks. Before that each warp
// stores, after it one loads. Wherever a warp is active it diverges, and once more at the end. Each warp
// branches at each of 8 distances, as often at the end of the loop, and on t == 0: 17 times; n is a multiple
// of the tile, so i < n always holds.
TEST(Counters, Harris1DivergesInEveryStep) {
  expect_counts(launch("reduce/harris1", 0), {{"global_load_requests", 32 * 8},
                                              {"global_load_sectors", 32 * 8 * 4},
                                              {"global_store_requests", 32},
                                              {"shared_load_requests", 32 * (2 * 47 + 1)},
                                              {"shared_load_wavefronts", 32 * (2 * 47 + 1)},
                                              {"shared_load_conflicts", 0},
                                              {"shared_store_requests", 32 * (8 + 47)},
                                              {"shared_store_wavefronts", 32 * (8 + 47)},
                                              {"shared_store_conflicts", 0},
                                              {"block_barriers", 32 * 8 * 9},
                                              {"branches", 32 * 8 * 17},
                                              {"divergent_branches", 32 * (47 + 1)},
                                              {"predicable_divergent_branches", 32 * (47 + 1)}});
}

// Of 8 bytes: at d = 1 to 8 lanes of both half warps are active, and of no two neighbours both. A load takes
// the halves together: lanes l and l + 16, 128 bytes apart, are in conflict. A store takes one after the
// other.
TEST(Counters, Harris1OfWideValues) {
  expect_counts(launch("reduce/harris1", 0, "-d simt:h200 -a type=f64"),
                {{"shared_load_requests", 32 * (2 * 47 + 1)},
                 {"shared_load_wavefronts", 32 * (2 * 47 + 1 + 2 * 4 * 8)},
                 {"shared_load_conflicts", 32 * 2 * 4 * 8},
                 {"shared_store_wavefronts", 32 * (2 * 8 + 47 + 4 * 8)},
                 {"shared_store_conflicts", 0}});
}

// 8 data-blocks. The tree over the rows has lanes in both half warps at strides 1, 2, 4 and 8, each of which
// loads the value on its left; rows end in different segments. For n = 1000003 that makes 4 x 977 = 3908,
// which is what Nsight Compute counts.
TEST(Counters, SegmentedMatrixOfWideValues) {
  expect_counts(launch("segreduce/persistent_matrix", 1,
                       "-d simt:h200 -a type=i64 -a operator=sum -a segments=fixed:3"),
                {{"shared_load_conflicts", 8 * 4}, {"shared_store_conflicts", 0}});
}

// The threads t < 128 / d access word 2 d t: 4, 2, 1, 1, 1, 1, 1 and 1 warps, whose lanes meet in a bank 2,
// 4, 8, 8, 8, 4, 2 and 1 times: the wavefronts of harris1 again, in 12 requests. Only distances from 8 on and
// the end diverge.
TEST(Counters, Harris2ConflictsInstead) {
  expect_counts(launch("reduce/harris2", 0), {{"shared_load_requests", 32 * (2 * 12 + 1)},
                                              {"shared_load_wavefronts", 32 * (2 * 47 + 1)},
                                              {"shared_load_conflicts", 32 * 2 * (47 - 12)},
                                              {"shared_store_requests", 32 * (8 + 12)},
                                              {"shared_store_wavefronts", 32 * (8 + 47)},
                                              {"shared_store_conflicts", 32 * (47 - 12)},
                                              {"divergent_branches", 32 * (5 + 1)}});
}

// 8 blocks, each a matrix of 1024: 32 stores bring it, 32 loads of a padded column each reduce it; one store
// and a tree of 4 levels (two loads, a store) and two loads reduce the rows.
TEST(Counters, MatrixReadsColumnsWithoutConflicts) {
  expect_counts(launch("reduce/matrix", 0), {{"global_load_requests", 8 * 32},
                                             {"shared_load_requests", 8 * (32 + 4 * 2 + 2)},
                                             {"shared_load_conflicts", 0},
                                             {"shared_store_requests", 8 * (32 + 1 + 4)},
                                             {"shared_store_conflicts", 0},
                                             {"global_store_requests", 8},
                                             {"block_barriers", 8 * 8},
                                             {"warp_barriers", 8 * 6}});
}

// 256 warps with a value per lane: 5 shuffles and one atomic of one lane each. Launch 0 sets the result.
TEST(Counters, ShuffleWarpAtomicTakesAnAtomicPerWarp) {
  expect_counts(launch("reduce/shuffle_warp_atomic", 1, "-d simt:h200"), {{"global_load_requests", 256},
                                                                          {"global_load_sectors", 256 * 4},
                                                                          {"warp_exchanges", 256 * 5},
                                                                          {"global_atomic_requests", 256},
                                                                          {"global_atomic_lanes", 256},
                                                                          {"global_atomic_sectors", 256},
                                                                          {"global_atomic_degree", 256},
                                                                          {"shared_load_requests", 0}});
}

// 8 blocks of 1024 pairs; launch 0 sets the result. A warp's tree has 5 levels, at which 16, 8, 4, 2 and 1
// lanes are active: 32 data-warps and their results. Lane 0 alone keeps each data-warp's result, and hands on
// the block's.
TEST(Counters, SegmentedTb4WarpDivergesInEveryLevel) {
  const Json counters = launch("segreduce/tb4_warp", 1, "-d simt:gtx480 -a segments=one");
  expect_counts(counters, {{"global_load_requests", 8 * 2 * 32},
                           {"warp_barriers", 8 * (32 + 1) * 5},
                           {"block_barriers", 8 * 8},
                           {"shared_load_conflicts", 0},
                           {"shared_store_conflicts", 0}});
  EXPECT_EQ(counters.value("divergent_branches", -1), 8 * (33 * 5 + 32 + 1));
}

TEST(Counters, AreTheSameOnAnyNumberOfThreads) {
  std::vector<Json> counted;
  for (const char* threads : {"1", "2", "3"}) {
    setenv("REDBENCH_SIMT_THREADS", threads, 1);
    counted.push_back(profiled("segreduce/diffwarps -a n=100003 -a segments=uniform:0..9")[0]["launches"]);
  }
  unsetenv("REDBENCH_SIMT_THREADS");
  EXPECT_EQ(counted[0], counted[1]);
  EXPECT_EQ(counted[0], counted[2]);
}

TEST(Counters, LinesAddUpToTheirLaunch) {
  const Record record = profiled("reduce/diffwarps -a n=100003")[0];
  for (const Json& launch : record["launches"])
    for (const std::string_view name : counter_names) {
      std::uint64_t sum = 0;
      for (const Json& line : launch["lines"]) {
        EXPECT_GT(line["line"].get<int>(), 0) << line;
        sum += line.value(name, std::uint64_t(0));
      }
      EXPECT_EQ(sum, launch["counters"][std::string(name)].get<std::uint64_t>()) << name;
    }
}

// Martín et al. 2012, Table IV, as printed.
TEST(Counters, LevelsOfTableIV) {
  const TemporaryFolder folder;
  const Answer answer =
      redbench("run configs/martin2012/table4.json -q -d simt:gtx480 -o " + folder.path() + "/out");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const std::map<std::string, std::vector<std::pair<int, int>>> printed{
      {"segreduce/tb2", {{11, 1}, {21, 2}, {32, 3}, {32, 6}, {16, 6}, {8, 6}, {4, 4}, {2, 2}, {1, 1}}},
      {"segreduce/tb4_warp",
       {{5, 1}, {5, 1}, {4, 1}, {2, 1}, {1, 1}, {16, 11}, {8, 8}, {4, 4}, {2, 2}, {1, 1}}},
      {"segreduce/matrix", {{11, 11}, {10, 10}, {11, 11}, {11, 11}, {10, 10}, {11, 11}, {11, 11}}}};
  std::string expected =
      R"(variant,level,accesses,transfers,"accesses, GTX 480, published","transfers, GTX 480, published")"
      "\n";
  for (const char* variant : {"segreduce/tb2", "segreduce/tb4_warp", "segreduce/matrix"})
    for (std::size_t level = 0; level < printed.at(variant).size(); ++level) {
      const auto& [accesses, transfers] = printed.at(variant)[level];
      expected +=
          fmt::format("{},{},{},{},{},{}\n", variant, level, accesses, transfers, accesses, transfers);
    }
  EXPECT_EQ(folder.read("out/tables/table4.csv"), expected);
}

std::string shown(const std::vector<TracedAccess>& trace) {
  std::string text;
  for (const TracedAccess& access : trace)
    text += fmt::format("{} of {} lanes, {} cache line at {}:{}\n", access.kind, access.lanes,
                        access.cache_lines, access.file, access.line);
  return with_lines(text);
}

// Warp 0 has the lane that stores by itself. `out` of warp 1 begins at a cache line of its own.
TEST(Trace, ListsTheAccessesOfOneWarpInOrder) {
  const std::string guard = " at \"if (t == in[0]) out[32] = t;\"\n",
                    load = "load of 32 lanes, 1 cache line" + guard,
                    store = "store of 32 lanes, 1 cache line at \"out[t] = t;\"\n";
  for (const unsigned warp : {0u, 1u}) {
    const auto device = modelled();
    const auto run = [&] { run_kernel(*device, "one_lane_guard", {.blocks = 2, .threads = 64}, {7}, 64); };
    const std::vector<LaunchCounters> launches =
        device->profiler()->count(WarpPlace{.launch = 1, .block = 1, .warp = warp}, [&] {
          run();
          run();
        });
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_TRUE(launches[0].trace.empty());
    EXPECT_EQ(shown(launches[1].trace),
              load + (warp == 0 ? "store of 1 lanes, 1 cache line" + guard : "") + store);
  }
}

// A store and a load in each turn.
TEST(Trace, EndsBeforeItIsTooLongForARecord) {
  const auto device = modelled();
  const std::vector<int> turns(32, 40000);
  const std::vector<LaunchCounters> launches = device->profiler()->count(
      WarpPlace{}, [&] { run_kernel(*device, "uneven_loop", {.threads = 32}, turns, 64); });
  EXPECT_GE(launches.at(0).total[Counter::global_store_requests], 40000u);
  EXPECT_EQ(launches.at(0).trace.size(), most_traced);
}

TEST(Trace, IsOfTheRecordAndHasAtomics) {
  const Record record = profiled(
      "reduce/shuffle_warp_atomic -a n=8Ki -d simt:h200 --set measure.trace.launch=1 "
      "--set measure.trace.block=3 --set measure.trace.warp=5")[0];
  ASSERT_EQ(record["trace"].size(), 2u) << record["trace"];
  EXPECT_EQ(record["trace"][0]["access"], "load");
  EXPECT_EQ(record["trace"][0]["lanes"], 32);
  EXPECT_EQ(record["trace"][1]["access"], "atomic");
  EXPECT_EQ(record["trace"][1]["lanes"], 1);
  EXPECT_EQ(record["trace"][1]["cache_lines"], 1);
  EXPECT_EQ(record["trace"][1]["file"], "kernels/parts/atomic_combine.hpp");
  EXPECT_GT(record["trace"][1]["line"], 0);
  EXPECT_TRUE(profiled("reduce/shuffle_warp_atomic -a n=8Ki -d simt:h200")[0]["trace"].is_null());
}

}  // namespace
}  // namespace redbench
