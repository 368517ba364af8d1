// The probe of caches by a clock that tells what the test has written down: what it makes of its times, on
// machines that there need not be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/probe/probe_support.hpp"

namespace redbench {
namespace {

// By hand. L1: the pool of half its size, 24 KiB: 1.25 ns. L2: a pool of four times that, 192 KiB, of which
// the first level has a quarter: (4.0625 - 1.25 / 4) / 0.75 = 5. L3: 2 MiB, likewise (14 - 5 / 4) / 0.75
// = 17. As fast as a level is a pool below the geometric mean of its time and the next level's: 2.5, 9.22
// and 36.9 ns, so 64 KiB, 1 MiB and 4 MiB. The last is what is left of the third, in whole sets of 11 lines:
// 2978 of them. A walk takes 150 - 30 = 120 ns, eight at a time 24 each; at 1536 pages the TLB costs less
// than 60.
TEST(ProbeTimes, GiveLevelsPagesAndCore) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "48K", "12", "64");
  write_cache(folder, 2, "512K", "8", "64");
  write_cache(folder, 3, "8M", "11", "128");
  const std::vector<TimedPool> pools{{8, 1},     {12, 1.0625}, {16, 1.125}, {24, 1.25}, {32, 1.375},
                                     {48, 1.5},  {64, 2.375},  {96, 3},     {128, 3.5}, {192, 4.0625},
                                     {256, 4.5}, {384, 5},     {512, 6},    {768, 8},   {1024, 9},
                                     {1536, 12}, {2048, 14},   {3072, 16},  {4096, 30}, {6144, 80}};
  const std::vector<Timed> times = joined(
      {times_of(pools),
       times_of_pages(
           {{150, 30}, {30, 6}, {25, 5}, {35, 5}, {45, 5}, {55, 5}, {70, 5}, {95, 5}, {125, 5}, {14, 5}}),
       // Through half of the largest pool.
       {{72, 49152}, {36, 49152}, {18, 49152}, {9, 49152}, {6, 65536}, {8, 131072}},
       {{2.4, stores_of_scatter}, {3.5, lines_of_stream}},
       {{1.5, inputs_of_loop}, {2.75, inputs_of_loop}, {4.5, inputs_of_loop}}});
  const Json told = told_of(times, 6 << 20, {.caches = folder.path()});
  const OfProcessor processor = of_processor(1536);
  const std::vector<std::string> unsure =
      sentences({"L2 is told to have 512 KiB; pools of up to 1 MiB are as fast as it",
                 "L3 is told to have 8 MiB; pools of up to 4 MiB are as fast as it"},
                processor);
  EXPECT_EQ(told["asked"], 4 * times.size());
  EXPECT_EQ(told["name"], "host");
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 128, "levels": [
    {"name": "L1", "bytes": 49152, "ways": 12, "ns": 1.25, "replacement": "lru"},
    {"name": "L2", "bytes": 524288, "ways": 8, "ns": 5, "replacement": "tree_plru"},
    {"name": "L3", "bytes": 4193024, "ways": 11, "ns": 17, "replacement": "lru"}],
    "memory_ns": 80, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = translations_of(processor, 9.0, 115.0);
  machine["core"] = Json::parse(R"({"input_ns": 1.5, "forward_ns": 2.75, "chain_ns": 3.25, "misses": 12,
    "store_misses": 30, "window": 64, "stores": 56, "walks": 5, "line_ns": 3.5})");
  machine["unsure"] = unsure;
  EXPECT_EQ(told["machine"], machine) << told["machine"].dump(1);
  EXPECT_EQ(told["latencies"], Json(latencies_of(pools)));
  EXPECT_EQ(told["overlapped"], Json({"1: 72", "2: 36", "4: 18", "8: 9", "16: 6", "32: 8"}));
  std::vector<std::string> lines{
      "L1: 48 KiB, 12 ways, 1.25 ns",
      "L2: 512 KiB, 8 ways, 5 ns",
      "L3: 3.999 MiB, 11 ways, 17 ns",
      "memory: 80 ns; 12 loads and 30 stores at a time, 3.5 ns for a line in order",
      fmt::format("DTLB: {} entries for pages of 4 kB, {} ways, 0 ns", processor.entries[0],
                  processor.ways[0]),
      fmt::format("STLB: {} entries for pages of 4 kB, {} ways, 9 ns", processor.entries[1],
                  processor.ways[1]),
      "page walk: 115 ns and what it reads, 5 at a time"};
  for (const std::string& sentence : unsure) lines.push_back("unsure: " + sentence);
  EXPECT_EQ(told["described"], Json(lines));
}

// Less than 0.6 of each level is fast: 32 of 64 KiB, 1 of 2 MiB, 4 of 8 MiB. The last alone is believed, and
// not where what is left is no more than twice the level before. Nothing overlaps, stores take no time, walks
// of eight at a time none, and a dependent loop less than the first level.
TEST(ProbeTimes, OfLessThanIsToldAreSaid) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "64K", "64", "64");
  write_cache(folder, 2, "2M", "", "64");
  write_cache(folder, 3, "8M", "128", "64");
  const std::vector<TimedPool> pools{{8, 2},     {12, 2.25}, {16, 2.5},  {24, 2.75},   {32, 3},
                                     {48, 6},    {64, 6.5},  {96, 7},    {128, 7.5},   {192, 8},
                                     {256, 9},   {384, 9.5}, {512, 10},  {768, 12},    {1024, 14},
                                     {1536, 22}, {2048, 23}, {3072, 24}, {4096, 25.5}, {6144, 100}};
  const std::vector<Timed> times =
      joined({times_of(pools),
              times_of_pages(
                  {{50, 10}, {5, 6}, {30, 5}, {31, 5}, {32, 5}, {33, 5}, {34, 5}, {35, 5}, {36, 5}, {28, 3}}),
              {{60, 49152}, {65, 49152}, {69, 49152}, {62, 49152}, {61, 65536}, {68, 131072}},
              {{0.05, stores_of_scatter}, {1.25, lines_of_stream}},
              {{1, inputs_of_loop}, {2, inputs_of_loop}, {2.5, inputs_of_loop}}});
  const Json told = told_of(times, 6 << 20, {.caches = folder.path()});
  const OfProcessor processor = of_processor(256);
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 64, "levels": [
    {"name": "L1", "bytes": 65536, "ways": 64, "ns": 3, "replacement": "tree_plru"},
    {"name": "L2", "bytes": 2097152, "ways": 16, "ns": 11, "replacement": "tree_plru"},
    {"name": "L3", "bytes": 8388608, "ways": 128, "ns": 40, "replacement": "lru"}],
    "memory_ns": 100, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = translations_of(processor, 25.0, 29.0);
  machine["core"] = Json::parse(R"({"input_ns": 1, "forward_ns": 2, "chain_ns": 0.0, "misses": 1,
    "store_misses": 64, "window": 64, "stores": 56, "walks": 1, "line_ns": 1.25})");
  machine["unsure"] =
      sentences({"L1 is told to have 64 KiB; pools of up to 32 KiB are as fast as it",
                 "L2 is told to have 2 MiB; pools of up to 1 MiB are as fast as it",
                 "L3 is told to have 8 MiB; pools of up to 4 MiB are as fast as it"},
                processor,
                {"a page walk (40 ns) seems to take hardly more than a hit in the second level "
                 "of the TLB (25 ns)"});
  EXPECT_EQ(told["machine"], machine) << told["machine"].dump(1);
}

// One level of 64 MiB, of which no more than 12 KiB are looked at: what comes after it takes as long, and
// that is all that is said of it. A walk reads from it, too.
TEST(ProbeTimes, OfOneLevelThatMemoryIsAsFastAs) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "64M", "24", "64");
  const std::vector<TimedPool> pools{{8, 40}, {12, 70}};
  const std::vector<Timed> times = joined(
      {times_of(pools),
       times_of_pages(
           {{100, 20}, {8, 3}, {30, 5}, {31, 5}, {32, 5}, {33, 5}, {34, 5}, {35, 5}, {36, 5}, {13, 3}}),
       {{200, 4096}, {100, 8192}, {50, 16384}, {20, 32768}, {5, 65536}, {2, 131072}},
       {{800, stores_of_scatter}, {0.5, lines_of_stream}},
       {{1, inputs_of_loop}, {2, inputs_of_loop}, {75, inputs_of_loop}}});
  const Json told = told_of(times, 12 << 10, {.caches = folder.path()});
  const OfProcessor processor = of_processor(4096);
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 64, "levels": [
    {"name": "L1", "bytes": 67107840, "ways": 24, "ns": 70, "replacement": "lru"}],
    "memory_ns": 70, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = translations_of(processor, 10.0, 10.0);
  machine["core"] = Json::parse(R"({"input_ns": 1, "forward_ns": 2, "chain_ns": 5, "misses": 64,
    "store_misses": 1, "window": 64, "stores": 56, "walks": 8, "line_ns": 0.5})");
  machine["unsure"] = sentences({"L1 and what comes after it take nearly as long (70 and 70 ns)"}, processor);
  EXPECT_EQ(told["machine"], machine) << told["machine"].dump(1);
  EXPECT_EQ(told["latencies"], Json(latencies_of(pools)));
}

// A first level that has not one whole set, and a second with a number of ways that is no power of two. L1:
// the pool of 8 KiB; L2: that of 16, of which the first has a quarter: (5 - 2 / 4) / 0.75 = 6. A walk takes
// twice as long as a hit in the second level, to the ns, and that is not said; at 1024 pages the TLB costs
// half of a walk, which is no longer less. The largest pools are of the largest size, and half as much again.
TEST(ProbeTimes, OfTwoLevelsAtTheEdgesOfWhatIsSaid) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "4K", "128", "64");
  write_cache(folder, 2, "48K", "5", "64");
  const std::vector<TimedPool> pools{{8, 2}, {12, 3}, {16, 5}, {24, 40}};
  const std::vector<Timed> times = joined(
      {times_of(pools),
       times_of_pages(
           {{40, 10}, {25, 10}, {12, 5}, {19, 5}, {20, 5}, {21, 5}, {22, 5}, {23, 5}, {24, 5}, {20, 5}}),
       {{36, 4096}, {20, 8192}, {10, 16384}, {7.5, 32768}, {9, 65536}, {12, 131072}},
       {{6, stores_of_scatter}, {1.75, lines_of_stream}},
       {{1.25, inputs_of_loop}, {2.5, inputs_of_loop}, {9, inputs_of_loop}}});
  const Json told = told_of(times, 16 << 10, {.caches = folder.path()});
  const OfProcessor processor = of_processor(768);
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 64, "levels": [
    {"name": "L1", "bytes": 8192, "ways": 128, "ns": 2, "replacement": "lru"},
    {"name": "L2", "bytes": 16320, "ways": 5, "ns": 6, "replacement": "lru"}],
    "memory_ns": 40, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = translations_of(processor, 15.0, 24.0);
  machine["core"] = Json::parse(R"({"input_ns": 1.25, "forward_ns": 2.5, "chain_ns": 7, "misses": 5,
    "store_misses": 6, "window": 64, "stores": 56, "walks": 2, "line_ns": 1.75})");
  machine["unsure"] = sentences({"L1 is told to have 4 KiB; pools of up to 12 KiB are as fast as it",
                                 "L2 is told to have 48 KiB; pools of up to 16 KiB are as fast as it"},
                                processor);
  EXPECT_EQ(told["machine"], machine) << told["machine"].dump(1);
  EXPECT_EQ(told["latencies"], Json(latencies_of(pools)));
  EXPECT_EQ(told["asked"], 4 * times.size());
}

// From 16 MiB on there is one pool for each doubling.
TEST(ProbeTimes, AreOfPoolsThatGrowByHalvesUpToSixteenMebibytes) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "32K", "8", "64");
  std::vector<TimedPool> pools;
  for (std::size_t kibi = 8; kibi < 16 << 10; kibi *= 2)
    for (const std::size_t size : {kibi, kibi / 2 * 3}) pools.push_back({size, 1 + double(pools.size())});
  pools.push_back({16 << 10, 100});
  EXPECT_EQ(told_of(times_of(pools), std::size_t(17) << 20, {.caches = folder.path()})["latencies"],
            Json(latencies_of(pools)));
}

// Nothing that is looked at tells the three levels from memory.
TEST(ProbeTimes, OfAssumedLevels) {
  const TemporaryFolder folder;
  const std::vector<TimedPool> pools{{8, 2}, {12, 3}};
  const std::vector<Timed> times = joined(
      {times_of(pools),
       times_of_pages(
           {{60, 10}, {15, 5}, {30, 5}, {31, 5}, {32, 5}, {33, 5}, {34, 5}, {35, 5}, {36, 5}, {13, 5}}),
       {{6, 4096}, {5, 8192}, {4, 16384}, {3.5, 32768}, {2.5, 65536}, {3, 131072}},
       {{1.5, stores_of_scatter}, {0.25, lines_of_stream}},
       {{1, inputs_of_loop}, {2, inputs_of_loop}, {7, inputs_of_loop}}});
  const Json machine = told_of(times, 12 << 10, {.caches = folder.path()})["machine"];
  EXPECT_EQ(machine["levels"], Json::parse(R"([
    {"name": "L1", "bytes": 32768, "ways": 8, "ns": 3, "replacement": "tree_plru"},
    {"name": "L2", "bytes": 1048576, "ways": 16, "ns": 3, "replacement": "tree_plru"},
    {"name": "L3", "bytes": 33554432, "ways": 16, "ns": 3, "replacement": "tree_plru"}])"));
  EXPECT_EQ(machine["core"], Json::parse(R"({"input_ns": 1, "forward_ns": 2, "chain_ns": 4, "misses": 2,
    "store_misses": 4, "window": 64, "stores": 56, "walks": 5, "line_ns": 0.25})"));
  std::vector<std::string> unsure = sentences({"L1 and what comes after it take nearly as long (3 and 3 ns)",
                                               "L2 and what comes after it take nearly as long (3 and 3 ns)",
                                               "L3 and what comes after it take nearly as long (3 and 3 ns)"},
                                              of_processor(256));
  unsure.insert(unsure.begin(), "the system tells no cache sizes: 32 KiB, 1 MiB and 32 MiB are assumed");
  EXPECT_EQ(machine["unsure"], Json(unsure));
}

}  // namespace
}  // namespace redbench
