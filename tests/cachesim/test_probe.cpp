// What the probe makes of its times, of a machine that need not be there: its caches are given by files, its
// TLB by cpuid's registers, and its times by a clock, as a test has written them down.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/cachesim/machine_file.hpp"
#include "src/cachesim/probe.hpp"
#include "tests/cachesim/made_up_cpuid.hpp"
#include "tests/scripted_clock.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// With six digits of each number: a time goes through the clock's ns and a division.
Json in_short(const Json& json) {
  if (json.is_number_float()) return Json::parse(fmt::format("{:.6g}", json.get<double>()));
  Json same = json;
  if (json.is_structured())
    for (auto& one : same) one = in_short(one);
  return same;
}

/// What the probe makes of these times.
Json probed(const std::vector<Timed>& measurements, std::size_t largest_pool, const SizeSources& sources) {
  ScriptedClock clock = clock_of(measurements);
  scripted_clock = &clock;
  const HostProbe probe = probe_host(0, largest_pool, sources);
  scripted_clock = nullptr;
  EXPECT_EQ(clock.asked, 4 * measurements.size());
  Json latencies = Json::array(), overlapped = Json::array(), lines = Json::array();
  for (const LatencyPoint& point : probe.latencies)
    latencies.push_back(fmt::format("{}: {:.6g}", point.bytes, point.ns));
  for (const auto& [walks, ns] : probe.overlapped) overlapped.push_back(fmt::format("{}: {:.6g}", walks, ns));
  for (const auto& [name, text] : describe(probe)) lines.push_back(name + ": " + text);
  return in_short(Json{{"machine", serialize_machine(probe.machine)},
                       {"latencies", latencies},
                       {"overlapped", overlapped},
                       {"described", lines}});
}

struct TimedPool {
  std::size_t kibi;
  double ns;
};

/// A chase through pools, each pointer once or 4096.
std::vector<Timed> times_of(const std::vector<TimedPool>& pools) {
  std::vector<Timed> times;
  for (const TimedPool& pool : pools) times.push_back({pool.ns, std::max(4096.0, double(pool.kibi) * 16)});
  return times;
}

std::vector<std::string> latencies_of(const std::vector<TimedPool>& pools) {
  std::vector<std::string> lines;
  for (const TimedPool& pool : pools) lines.push_back(fmt::format("{}: {:.6g}", pool.kibi << 10, pool.ns));
  return lines;
}

/// Small pages, then huge ones; the 32768 pages that are more than any TLB has, at first one walk and then
/// eight; then seven numbers of pages from 512 to 4096; then so many that the second level has them.
std::vector<Timed> times_of_pages(const std::vector<std::pair<double, double>>& small_and_huge) {
  std::vector<Timed> times;
  for (std::size_t i = 0; i < small_and_huge.size(); ++i)
    for (const double ns : {small_and_huge[i].first, small_and_huge[i].second})
      times.push_back({ns, i < 2 ? 32768.0 : 4096.0});
  return times;
}

std::vector<Timed> joined(std::vector<std::vector<Timed>> parts) {
  std::vector<Timed> all;
  for (const std::vector<Timed>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

constexpr double lines_of_stream = 1 << 20, stores_of_scatter = 1 << 18, inputs_of_loop = 1 << 14;

void write_cache(const TemporaryFolder& folder, int level, const std::string& size, const std::string& ways,
                 const std::string& line) {
  const std::string place = fmt::format("index{}/", level);
  folder.write(place + "type", "Unified\n");
  folder.write(place + "level", fmt::format("{}\n", level));
  folder.write(place + "size", size + "\n");
  if (!ways.empty()) folder.write(place + "ways_of_associativity", ways + "\n");
  folder.write(place + "coherency_line_size", line + "\n");
}

/// Intel's, of ways and sets of the first level and the second.
Cpuid intel_of(unsigned ways, unsigned sets, unsigned more_ways, unsigned more_sets) {
  return intel({{1, ways << 16 | 1, sets, 1 << 5 | 1}, {0, more_ways << 16 | 1, more_sets, 2 << 5 | 3}});
}

Json small_and_huge(std::uint64_t entries, unsigned ways, std::uint64_t more, unsigned more_ways,
                    double second_ns, double walk_ns) {
  const auto translation = [&](int page_bytes, std::uint64_t first, unsigned first_ways) {
    return Json{{"page_bytes", page_bytes},
                {"levels",
                 {{{"name", "DTLB"}, {"entries", first}, {"ways", first_ways}, {"ns", 0.0}},
                  {{"name", "STLB"}, {"entries", more}, {"ways", more_ways}, {"ns", second_ns}}}},
                {"walk_ns", walk_ns},
                {"directories", 32}};
  };
  return Json::array({translation(4096, entries, ways), translation(2097152, 32, 4)});
}

const std::vector<std::string> always{"32 entries of the first-level TLB are assumed for huge pages",
                                      "64 inputs and 56 stores are assumed to be in flight at most"};

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
  const Json found = probed(times, 6 << 20, sources_of(intel_of(4, 16, 12, 128), folder.path()));
  const std::vector<std::string> unsure{"L2 is reported to have 512 KiB; pools of up to 1 MiB are as fast",
                                        "L3 is reported to have 8 MiB; pools of up to 4 MiB are as fast",
                                        always[0], always[1]};
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 128, "levels": [
    {"name": "L1", "bytes": 49152, "ways": 12, "ns": 1.25, "replacement": "lru"},
    {"name": "L2", "bytes": 524288, "ways": 8, "ns": 5, "replacement": "tree_plru"},
    {"name": "L3", "bytes": 4193024, "ways": 11, "ns": 17, "replacement": "lru"}],
    "memory_ns": 80, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = small_and_huge(64, 4, 1536, 12, 9.0, 115.0);
  machine["core"] = Json::parse(R"({"input_ns": 1.5, "forward_ns": 2.75, "chain_ns": 3.25, "misses": 12,
    "store_misses": 30, "window": 64, "stores": 56, "walks": 5, "line_ns": 3.5})");
  machine["unsure"] = unsure;
  EXPECT_EQ(found["machine"], machine) << found["machine"].dump(1);
  EXPECT_EQ(found["latencies"], Json(latencies_of(pools)));
  EXPECT_EQ(found["overlapped"], Json({"1: 72", "2: 36", "4: 18", "8: 9", "16: 6", "32: 8"}));
  Json lines{"L1: 48 KiB, 12 ways, 1.25 ns",
             "L2: 512 KiB, 8 ways, 5 ns",
             "L3: 3.999 MiB, 11 ways, 17 ns",
             "memory: 80 ns; 12 loads and 30 stores at a time, 3.5 ns for a line in order",
             "DTLB: 64 entries for pages of 4 kB, 4 ways, 0 ns",
             "STLB: 1536 entries for pages of 4 kB, 12 ways, 9 ns",
             "page walk: 115 ns and what it reads, 5 at a time"};
  for (const std::string& sentence : unsure) lines.push_back("unsure: " + sentence);
  EXPECT_EQ(found["described"], lines);
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
  const Json found = probed(times, 6 << 20, sources_of({}, folder.path()));
  Json machine = Json::parse(R"({"title": "", "source": "", "line_bytes": 64, "levels": [
    {"name": "L1", "bytes": 65536, "ways": 64, "ns": 3, "replacement": "tree_plru"},
    {"name": "L2", "bytes": 2097152, "ways": 16, "ns": 11, "replacement": "tree_plru"},
    {"name": "L3", "bytes": 8388608, "ways": 128, "ns": 40, "replacement": "lru"}],
    "memory_ns": 100, "prefetch": "streams", "scattered_frames": true})");
  machine["translations"] = small_and_huge(64, 4, 256, 2, 25.0, 29.0);
  machine["core"] = Json::parse(R"({"input_ns": 1, "forward_ns": 2, "chain_ns": 0.0, "misses": 1,
    "store_misses": 64, "window": 64, "stores": 56, "walks": 1, "line_ns": 1.25})");
  machine["unsure"] = {
      "L1 is reported to have 64 KiB; pools of up to 32 KiB are as fast",
      "L2 is reported to have 2 MiB; pools of up to 1 MiB are as fast",
      "L3 is reported to have 8 MiB; pools of up to 4 MiB are as fast",
      "the processor does not report its TLB: 64 entries are assumed, and 256 in the second level, as no "
      "more pages are fast",
      "a page walk (40 ns) seems to take hardly more than a hit in the second level of the TLB (25 ns)",
      always[0],
      always[1]};
  EXPECT_EQ(found["machine"], machine) << found["machine"].dump(1);
}

struct OfPages {
  const char* name;
  Cpuid cpuid;
  std::vector<std::pair<double, double>> pages;  // as of times_of_pages
  Json translations;
  unsigned walks;
  std::vector<std::string> unsure;  // besides what is said of all
};

// A walk takes 50 - 10 = 40; pages whose translation adds 20 are not fast, those that it adds 19 are. The
// only level is read in 2, and reported to have less than a set of it.
TEST(ProbeTimes, HoldWhatAProcessorTellsAgainstThePagesThatAreFast) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "512", "16", "64");
  const auto pages = [](double with_others, std::size_t fast, double second) {
    std::vector<std::pair<double, double>> all{{50, 10}, {5 + with_others, 5}};
    for (std::size_t i = 0; i < 7; ++i) all.emplace_back(i + 1 == fast ? 24 : 25, 5);
    all.emplace_back(7 + second, 7);
    return all;
  };
  const std::string no_more_than_twice =
      "a page walk (40 ns) seems to take hardly more than a hit in the second level of the TLB (21 ns)";
  Cpuid virtual_one = amd(0xFF480000, 0x6C000000);
  virtual_one[{1, 0}].c = 0x80000000;
  const OfPages all[] = {
      {"one level is reported, and none is fast",
       amd(0xFF480000, 0),
       pages(16, 0, 21),
       small_and_huge(64, 4, 256, 2, 21.0, 38.0),
       3,
       {"the processor does not report its TLB: 64 entries are assumed, and 256 in the second level, as no "
        "more pages are fast",
        no_more_than_twice}},
      {"twice as many are reported",
       virtual_one,
       pages(2, 4, 20),
       small_and_huge(72, 72, 3072, 8, 20.0, 38.0),
       8,
       {"this is a virtual machine: the reported caches may be another machine's, or shared with others"}},
      {"fewer are reported",
       intel_of(6, 16, 7, 73),
       pages(40, 3, 1),
       small_and_huge(96, 6, 511, 7, 1.0, 38.0),
       1,
       {"the second level of the TLB is reported to have 511 entries; 1024 pages are fast"}}};
  for (const OfPages& one : all) {
    const std::vector<TimedPool> pools{{8, 2}, {12, 3}};
    const std::vector<Timed> times =
        joined({times_of(pools),
                times_of_pages(one.pages),
                {{6, 4096}, {5, 8192}, {4, 16384}, {3.5, 32768}, {2.5, 65536}, {3, 131072}},
                {{1.5, stores_of_scatter}, {0.25, lines_of_stream}},
                {{1, inputs_of_loop}, {2, inputs_of_loop}, {7, inputs_of_loop}}});
    const Json machine = probed(times, 12 << 10, sources_of(one.cpuid, folder.path()))["machine"];
    EXPECT_EQ(machine["translations"], one.translations) << one.name << machine["translations"];
    EXPECT_EQ(machine["core"]["walks"], one.walks) << one.name;
    EXPECT_EQ(machine["levels"], Json::parse(R"([
      {"name": "L1", "bytes": 1024, "ways": 16, "ns": 2, "replacement": "tree_plru"}])"));
    std::vector<std::string> unsure{"L1 is reported to have 0.5 KiB; pools of up to 8 KiB are as fast"};
    unsure.insert(one.unsure[0].starts_with("this is a virtual") ? unsure.begin() : unsure.end(),
                  one.unsure.begin(), one.unsure.end());
    unsure.insert(unsure.end(), always.begin(), always.end());
    EXPECT_EQ(machine["unsure"], Json(unsure)) << one.name;
  }
}

TEST(Probe, GivesAMachineThatTheSimulatorTakes) {
  HostProbe probe = probe_host(0.001, 16 << 20);
  cachesim::Machine& machine = probe.machine;
  machine.title = machine.source = "test";
  EXPECT_NO_THROW(parse_machine("host", serialize_machine(machine).dump(), "host"));
  const std::size_t reported = reported_caches().size();
  EXPECT_EQ(machine.levels.size(), reported ? reported : 3);
  EXPECT_GT(machine.memory_ns, machine.levels.front().ns);
  EXPECT_GT(machine.core.input_ns, 0);
  EXPECT_GE(machine.core.forward_ns, machine.core.input_ns / 2);
  // What no measurement shows is always said.
  EXPECT_THAT(machine.unsure, testing::Contains(always[1]));
}

}  // namespace
}  // namespace redbench
