// The probe of this host's caches: what holds on any machine, however busy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "src/predict/machine_file.hpp"
#include "src/probe/chase.hpp"
#include "src/probe/probe.hpp"
#include "src/probe/told.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(Probe, AChaseThroughALargePoolTakesLongerThanOneThroughTheFirstLevelAndOverlaps) {
  const double first = Chase({.bytes = 8 << 10}).ns(1, 0.01);
  const Chase large({.bytes = 64 << 20});
  const double one = large.ns(1, 0.05), many = large.ns(16, 0.05);
  EXPECT_GT(first, 0.2);
  EXPECT_GT(one, 4 * first);
  EXPECT_LT(many, one / 1.5);
}

TEST(Probe, WalksGoThroughEverySlot) {
  // Of two slots each comes second; a walk that stayed at one would be as fast as a loop over a register.
  EXPECT_GT(Chase({.bytes = 128}).ns(1, 0.001), 0.2);
  EXPECT_GT(Chase({.bytes = 64}).ns(32, 0.001), 0);
}

TEST(Probe, TheToldCachesGrowOutwards) {
  const std::vector<ToldCache> told = told_caches();
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GT(told[i].level, told[i - 1].level) << "the one for instructions is left out";
    EXPECT_GT(told[i].bytes, told[i - 1].bytes);
  }
}

TEST(Probe, TheToldLevelsOfTranslationGrowOutwardsFromTheFirst) {
  const std::vector<ToldTlb> told = told_tlbs();
  if (told.empty()) GTEST_SKIP() << "this processor tells nothing of its TLB";
  EXPECT_EQ(told.front().level, 1);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_GE(told[i].ways, 1u);
    EXPECT_GE(told[i].entries, told[i].ways);
    if (i > 0) EXPECT_GT(told[i].level, told[i - 1].level);
  }
}

// /sys writes "48K".
TEST(Probe, ToldSizesAreThoseOfTheSystem) {
  std::vector<std::string> written, told;
  for (int index = 0; index < 10; ++index) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
    std::string type, level, size;
    std::ifstream(folder + "type") >> type;
    std::ifstream(folder + "level") >> level;
    std::ifstream(folder + "size") >> size;
    if ((type == "Data" || type == "Unified") && !level.empty() && size.ends_with('K') && size != "0K")
      written.push_back(level + " " + size);
  }
  if (written.empty()) GTEST_SKIP() << "this system tells no cache sizes";
  for (const ToldCache& cache : told_caches())
    told.push_back(fmt::format("{} {}K", cache.level, cache.bytes / 1024));
  EXPECT_THAT(told, testing::UnorderedElementsAreArray(written));
}

TEST(Probe, TheToldVendorIsThatOfTheSystem) {
  std::ifstream file("/proc/cpuinfo");
  std::string line, vendor;
  while (vendor.empty() && std::getline(file, line))
    if (line.starts_with("vendor_id")) vendor = line.substr(line.find(": ") + 2);
  if (vendor.empty()) GTEST_SKIP() << "this system tells no vendor";
  EXPECT_EQ(told_vendor(), vendor);
}

TEST(Probe, AStreamOfLinesTakesTime) { EXPECT_GT(stream_ns(1 << 20, 0.001), 0); }

TEST(Probe, GivesAMachineThatTheSimulatorTakes) {
  HostProbe probe = probe_host(0.001, 16 << 20);
  caches::Machine& machine = probe.machine;
  machine.title = machine.source = "test";
  EXPECT_NO_THROW(parse_machine("host", written_machine(machine).dump(), "host"));
  ASSERT_FALSE(machine.levels.empty());
  // Sizes are assumed only where none are told, and then it is said.
  const std::size_t told = told_caches().size();
  EXPECT_EQ(machine.levels.size(), told ? told : 3);
  const auto assumed = testing::Contains(testing::HasSubstr("the system tells no cache sizes"));
  if (told) EXPECT_THAT(machine.unsure, testing::Not(assumed));
  else EXPECT_THAT(machine.unsure, assumed);
  EXPECT_GT(machine.memory_ns, machine.levels.front().ns);
  EXPECT_EQ(machine.translations.size(), 2u);
  EXPECT_GT(machine.core.input_ns, 0);
  EXPECT_GE(machine.core.forward_ns, machine.core.input_ns / 2);
  EXPECT_GE(machine.core.misses, 1u);
  EXPECT_EQ(probe.overlapped.size(), 6u);
  // What no measurement shows is always said.
  EXPECT_THAT(machine.unsure, testing::Contains(testing::HasSubstr("64 inputs are taken to be under way")));
  if (is_virtual()) EXPECT_THAT(machine.unsure, testing::Contains(testing::HasSubstr("a virtual machine")));
  const auto lines = described(probe);
  EXPECT_EQ(lines.front().first, machine.levels.front().name);
  EXPECT_EQ(lines.back().first, "unsure");
}

TEST(Doctor, TellsTheCaches) {
  const Answer answer = redbench("doctor");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, testing::HasSubstr(" caches "));
  EXPECT_THAT(answer.text, testing::HasSubstr("doctor --caches measures"));
}

}  // namespace
}  // namespace redbench
