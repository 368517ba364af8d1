// The probe of this host's caches: what holds on any machine, however busy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "src/predict/machine_file.hpp"
#include "src/probe/chase.hpp"
#include "src/probe/probe.hpp"
#include "src/probe/told.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(Probe, AChaseThroughALargePoolTakesLongerThanOneThroughTheFirstLevelAndOverlaps) {
  const double first = Chase({.bytes = 8 << 10}).ns(1, 0.01);
  // A circle that another one joins would be a short one here, of 16 pointers.
  const Chase large({.bytes = (64 << 20) - 64});
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

TEST(Probe, APoolSmallerThanAStepHasOneSlot) {
  EXPECT_GT(Chase({.bytes = 64, .step_bytes = std::size_t(1) << 40}).ns(1, 0.001), 0.2)
      << "a second slot would lie where no memory is";
}

std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * std::size_t(::sysconf(_SC_PAGESIZE));
}

TEST(Probe, GivesItsMemoryBack) {
  constexpr std::size_t bytes = 96 << 20;
  const std::size_t before = mapped_bytes();
  if (before == 0) GTEST_SKIP() << "this system does not tell what is mapped";
  for (int i = 0; i < 2; ++i) {
    const Chase chase({.bytes = bytes, .step_bytes = 4096});
    EXPECT_GE(mapped_bytes(), before + bytes);
  }
  EXPECT_LT(mapped_bytes(), before + bytes / 2);
  scatter_ns(bytes, 0);
  EXPECT_LT(mapped_bytes(), before + bytes / 2);
}

/// The least of some tries of f over the least of some of g: another process may have the core in any of
/// them.
template <class F, class G>
double ratio_of(const F& f, const G& g) {
  double of_f = f(), of_g = g();
  for (int i = 0; i < 4; ++i) {
    of_f = std::min(of_f, f());
    of_g = std::min(of_g, g());
  }
  return of_f / of_g;
}

// A loop waits for the bucket before only where it depends on it.
TEST(Probe, ADependentLoopTakesLongerThanOneThatIsNot) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer's checks take longer than what they check";
  EXPECT_GT(ratio_of([] { return loop_ns(LoopLabels::dependent, 0.001); },
                     [] { return loop_ns(LoopLabels::random, 0.001); }),
            1.4);
}

TEST(Probe, StoresToScatteredPlacesTakeLongerInALargePool) {
  EXPECT_GT(ratio_of([] { return scatter_ns(128 << 20, 0.001); }, [] { return scatter_ns(4096, 0.001); }),
            1.3);
}

// Lines at the same place of each page would share one set, of as many as 16 lines, and not be in the first
// level.
TEST(Probe, SlotsOnPagesOfTheirOwnDoNotMeetInASet) {
  EXPECT_LT(ratio_of([] { return Chase({.bytes = 32 * 4096, .step_bytes = 4096}).ns(1, 0.001); },
                     [] { return Chase({.bytes = 32 * 64}).ns(1, 0.001); }),
            1.6);
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

/// What follows a name in /proc/cpuinfo, of the first core; empty where it is not there.
std::string cpuinfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line.substr(line.find(':') + 1);
  return {};
}

TEST(Probe, TheToldVendorIsThatOfTheSystem) {
  const std::string vendor = cpuinfo("vendor_id");
  if (vendor.empty()) GTEST_SKIP() << "this system tells no vendor";
  EXPECT_EQ(" " + told_vendor(), vendor);
}

TEST(Probe, AVirtualMachineIsKnownByTheSystemsFlags) {
  const std::string flags = cpuinfo("flags") + " ";
  if (flags == " ") GTEST_SKIP() << "this system tells no flags";
  EXPECT_EQ(is_virtual(), flags.find(" hypervisor ") != flags.npos);
}

// Linux adds up the entries of the second level for data and for instructions, of AMD's processors alone.
TEST(Probe, TheSecondLevelOfTranslationIsPartOfWhatTheSystemTells) {
  const std::string size = cpuinfo("TLB size");
  if (size.empty()) GTEST_SKIP() << "this system tells no size of a TLB";
  const std::vector<ToldTlb> told = told_tlbs();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].level, 1);
  EXPECT_EQ(told[1].level, 2);
  EXPECT_GE(told[1].entries, std::stoull(size) / 4);
  EXPECT_LE(told[1].entries, std::stoull(size));
  EXPECT_LE(told[0].entries, told[1].entries);
  EXPECT_LT(told[1].ways, told[1].entries) << "a second level is large, and has sets";
}

// No core has a line of 64 bytes of so many in 0.05 ns, unless it does not look at them.
TEST(Probe, AStreamOfLinesTakesTime) { EXPECT_GT(stream_ns(8 << 20, 0.001), 0.05); }

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
