// What the probe makes of its times, of a made-up machine: its caches are files, its TLB registers of cpuid,
// and its times those of a scripted clock.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/cachesim/machine.hpp"
#include "src/cachesim/probe.hpp"
#include "tests/cachesim/made_up_cpuid.hpp"
#include "tests/golden.hpp"
#include "tests/scripted_clock.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// The probe's times, in ns, in its order.
struct Times {
  std::vector<std::pair<std::size_t, double>> pools;  // by size in KiB
  /// In small and in huge pages, through 32768 pages (one walk, then eight), through 512, 768, 1024, 1536,
  /// 2048, 3072 and 4096, and through as many as the second level of the TLB has.
  std::vector<std::pair<double, double>> pages;
  std::vector<double> walks;  // 1, 2, 4, ..., 32 of them, through half of the largest pool
  double store, line;
  std::vector<double> loops;  // random labels, one label, dependent

  std::vector<Timed> measurements() const {
    std::vector<Timed> all;
    for (const auto& [kibi, ns] : pools) all.push_back({ns, std::max(4096.0, double(kibi) * 16)});
    for (std::size_t i = 0; i < pages.size(); ++i)
      for (const double ns : {pages[i].first, pages[i].second}) all.push_back({ns, i < 2 ? 32768.0 : 4096.0});
    for (std::size_t i = 0; i < walks.size(); ++i)
      all.push_back({walks[i], std::max(double(4096 << i), double(pools.back().first) * 8)});
    all.push_back({store, 1 << 18});
    all.push_back({line, 1 << 20});
    for (const double ns : loops) all.push_back({ns, 1 << 14});
    return all;
  }
};

cachesim::Machine probed(const Times& times, const SizeSources& sources) {
  ScriptedClock clock = clock_of(times.measurements());
  scripted_clock = &clock;
  const cachesim::Machine machine = probe_host(0, times.pools.back().first << 10, sources);
  scripted_clock = nullptr;
  EXPECT_EQ(clock.asked, clock.steps.size());
  return machine;
}

/// With six digits of each number, as a time goes through the clock's ns and a division; keys in any order.
nlohmann::json in_short(const Json& json) {
  if (json.is_number_float()) return nlohmann::json::parse(fmt::format("{:.6g}", json.get<double>()));
  nlohmann::json same = nlohmann::json::parse(json.dump());
  if (json.is_structured())
    for (const auto& [key, value] : json.items())
      (json.is_array() ? same[std::stoul(key)] : same[key]) = in_short(value);
  return same;
}

/// The machine as JSON, a line for each key.
std::string text_of(const cachesim::Machine& machine) {
  const nlohmann::json json = in_short(serialize_machine(machine));
  std::string text;
  for (const auto& [key, value] : json.items()) text += fmt::format("{}: {}\n", key, value.dump());
  return text;
}

void write_cache(const TemporaryFolder& folder, int level, const std::string& size, const std::string& ways,
                 const std::string& line = "64") {
  const std::string place = fmt::format("index{}/", level);
  for (const auto& [file, text] : {std::pair<const char*, std::string>("type", "Unified"),
                                   {"level", std::to_string(level)},
                                   {"size", size},
                                   {"ways_of_associativity", ways},
                                   {"coherency_line_size", line}})
    folder.write(place + file, text + "\n");
}

/// Intel's, of ways and sets of the first level and the second.
Cpuid intel_of(unsigned ways, unsigned sets, unsigned more_ways, unsigned more_sets) {
  return intel({{1, ways << 16 | 1, sets, 1 << 5 | 1}, {0, more_ways << 16 | 1, more_sets, 2 << 5 | 3}});
}

// By hand. L1: the pool of half its size, 24 KiB: 1.25 ns. L2: a pool of four times that, 192 KiB, of which
// the first level has a quarter: (4.0625 - 1.25 / 4) / 0.75 = 5. L3: 2 MiB, likewise (14 - 5 / 4) / 0.75
// = 17. As fast as a level is a pool below the geometric mean of its time and the next level's: 2.5, 9.22
// and 36.9 ns, so 64 KiB, 1 MiB and 4 MiB. The last is what is left of the third, in whole sets of 11 lines:
// 2978 of them. A walk takes 150 - 30 = 120 ns, eight at a time 24 each; at 1536 pages the TLB costs less
// than 60.
TEST(Probe, TimesGiveLevelsPagesAndCore) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "48K", "12");
  write_cache(folder, 2, "512K", "8");
  write_cache(folder, 3, "8M", "11", "128");
  const Times times{
      .pools = {{8, 1},    {12, 1.0625}, {16, 1.125},   {24, 1.25}, {32, 1.375}, {48, 1.5}, {64, 2.375},
                {96, 3},   {128, 3.5},   {192, 4.0625}, {256, 4.5}, {384, 5},    {512, 6},  {768, 8},
                {1024, 9}, {1536, 12},   {2048, 14},    {3072, 16}, {4096, 30},  {6144, 80}},
      .pages = {{150, 30}, {30, 6}, {25, 5}, {35, 5}, {45, 5}, {55, 5}, {70, 5}, {95, 5}, {125, 5}, {14, 5}},
      .walks = {72, 36, 18, 9, 6, 8},
      .store = 2.4,
      .line = 3.5,
      .loops = {1.5, 2.75, 4.5}};
  const cachesim::Machine machine = probed(times, sources_of(intel_of(4, 16, 12, 128), folder.path()));
  std::string described = text_of(machine) + '\n';
  for (const auto& [name, text] : describe(machine)) described += fmt::format("{}: {}\n", name, text);
  expect_golden("cachesim/probe.txt", described);
}

// Less than 0.6 of each level is fast: 32 of 64 KiB, 1 of 2 MiB, 4 of 8 MiB. The last alone is believed, and
// not where what is left is no more than twice the level before. Nothing overlaps, stores take no time, walks
// of eight at a time none, and a dependent loop less than the first level.
TEST(Probe, ALevelThatIsSlowerThanReportedIsDoubted) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "64K", "64");
  write_cache(folder, 2, "2M", "");
  write_cache(folder, 3, "8M", "128");
  const Times times{
      .pools = {{8, 2},     {12, 2.25}, {16, 2.5},  {24, 2.75}, {32, 3},      {48, 6},    {64, 6.5},
                {96, 7},    {128, 7.5}, {192, 8},   {256, 9},   {384, 9.5},   {512, 10},  {768, 12},
                {1024, 14}, {1536, 22}, {2048, 23}, {3072, 24}, {4096, 25.5}, {6144, 100}},
      .pages = {{50, 10}, {5, 6}, {30, 5}, {31, 5}, {32, 5}, {33, 5}, {34, 5}, {35, 5}, {36, 5}, {28, 3}},
      .walks = {60, 65, 69, 62, 61, 68},
      .store = 0.05,
      .line = 1.25,
      .loops = {1, 2, 2.5}};
  expect_golden("cachesim/probe_slower.txt", text_of(probed(times, sources_of({}, folder.path()))));
}

// A walk takes 50 - 10 = 40; pages whose translation adds 20 are not fast, those that it adds 19 are. The
// only level is read in 2, and reported to have less than a set of it.
TEST(Probe, ReportedTlbsAreComparedWithThePagesThatAreFast) {
  const TemporaryFolder folder;
  write_cache(folder, 1, "512", "16");
  Cpuid virtual_one = amd(0xFF480000, 0x6C000000);
  virtual_one[{1, 0}].c = 0x80000000;
  const struct {
    const char* name;
    Cpuid cpuid;
    double eight_walks;
    std::size_t fast;  // which of the seven numbers of pages
    double second;
  } rows[] = {{"one level is reported, and none is fast", amd(0xFF480000, 0), 16, 0, 21},
              {"twice as many are reported", virtual_one, 2, 4, 20},
              {"fewer are reported", intel_of(6, 16, 7, 73), 40, 3, 1}};
  std::string text;
  for (const auto& row : rows) {
    Times times{.pools = {{8, 2}, {12, 3}},
                .pages = {{50, 10}, {5 + row.eight_walks, 5}},
                .walks = {6, 5, 4, 3.5, 2.5, 3},
                .store = 1.5,
                .line = 0.25,
                .loops = {1, 2, 7}};
    for (std::size_t i = 1; i <= 7; ++i) times.pages.emplace_back(i == row.fast ? 24 : 25, 5);
    times.pages.emplace_back(7 + row.second, 7);
    const cachesim::Machine machine = probed(times, sources_of(row.cpuid, folder.path()));
    text += fmt::format("== {}\n{}", row.name, text_of(machine));
  }
  expect_golden("cachesim/probe_tlbs.txt", text);
}

TEST(Probe, GivesAMachineThatTheSimulatorTakes) {
  cachesim::Machine machine = probe_host(0.001, 16 << 20);
  machine.title = machine.source = "test";
  EXPECT_NO_THROW(parse_machine("host", serialize_machine(machine).dump(), "host"));
  const std::size_t reported = reported_caches().size();
  EXPECT_EQ(machine.levels.size(), reported ? reported : 3);
  EXPECT_GT(machine.memory_ns, machine.levels.front().ns);
  EXPECT_GT(machine.core.input_ns, 0);
  EXPECT_GE(machine.core.forward_ns, machine.core.input_ns / 2);
  // What no measurement shows is always reported as doubtful.
  EXPECT_THAT(machine.unsure,
              testing::Contains("64 inputs and 56 stores are assumed to be in flight at most"));
}

}  // namespace
}  // namespace redbench
