// Caches and TLBs as systems and processors report them: folders laid out as /sys, and registers of cpuid as
// the manuals of Intel and AMD describe them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cachesim/made_up_cpuid.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string caches_in_order(const SizeSources& sources) {
  std::string text;
  for (const ReportedCache& cache : reported_caches(sources))
    text += fmt::format("L{}: {} bytes, {} ways of {}, {} cores\n", cache.level, cache.bytes, cache.ways,
                        cache.line_bytes, cache.cores);
  return text;
}

TEST(ReportedCaches, AreReadInTheSystemsUnitsFromTheCoreOutwards) {
  const TemporaryFolder folder;
  const auto write = [&](int index, const std::vector<std::pair<const char*, const char*>>& files) {
    for (const auto& [name, text] : files)
      folder.write(fmt::format("index{}/{}", index, name), std::string(text) + "\n");
  };
  write(0, {{"type", "Unified"},
            {"level", "3"},
            {"size", "2M"},
            {"ways_of_associativity", "11"},
            {"coherency_line_size", "128"},
            {"shared_cpu_list", "0-3,8,10-11"}});
  write(1, {{"type", "Instruction"}, {"level", "1"}, {"size", "32K"}});
  write(2, {{"type", "Data"},
            {"level", "1"},
            {"size", "48K"},
            {"ways_of_associativity", "12"},
            {"coherency_line_size", "64"},
            {"shared_cpu_list", "0"}});
  write(3, {{"type", "Unified"}, {"level", "2"}, {"size", "12345"}, {"shared_cpu_list", "4-6,none"}});
  write(4, {{"type", "Unified"}, {"level", "4"}, {"size", "0K"}});  // as some virtual machines have it
  write(5, {{"type", "Unified"}, {"size", "1M"}});
  write(6, {{"type", "Data"}, {"level", "5"}});  // without a size
  write(9, {{"type", "Data"},
            {"level", "6"},
            {"size", "3M"},
            {"ways_of_associativity", "13"},
            {"coherency_line_size", "32"},
            {"shared_cpu_list", "4-5"}});
  write(10, {{"type", "Data"}, {"level", "7"}, {"size", "4M"}});  // no machine has so many
  EXPECT_EQ(caches_in_order({.caches = folder.path()}),
            "L1: 49152 bytes, 12 ways of 64, 1 cores\n"
            "L2: 12345 bytes, 0 ways of 64, 3 cores\n"
            "L3: 2097152 bytes, 11 ways of 128, 7 cores\n"
            "L6: 3145728 bytes, 13 ways of 32, 2 cores\n");
}

using Levels = std::vector<std::string>;

/// "1: 64 of 4", for each level: its entries, and ways.
Levels levels_of(const Cpuid& cpuid) {
  Levels levels;
  for (const ReportedTlb& tlb : reported_tlbs(sources_of(cpuid)))
    levels.push_back(fmt::format("{}: {} of {}", tlb.level, tlb.entries, tlb.ways));
  return levels;
}

// ebx: ways in the upper half, in the lowest bit whether pages of 4 kB are meant, further sizes above it;
// ecx: sets; edx: the kind in five bits (1 data, 2 instructions, 3 both, 4 loads, 5 stores), the level in the
// next three, then others.
TEST(ReportedTlbs, OfIntelHaveEachLevelForDataAndPagesOf4Kb) {
  const auto translation = [](unsigned level, unsigned kind, unsigned ways, unsigned sets, unsigned sizes) {
    return Registers{0, ways << 16 | 0x700 | sizes, sets, 0xFFFFC100 | level << 5 | kind};
  };
  std::vector<Registers> all{translation(3, 1, 3, 5, 1),     // in no order
                             translation(5, 4, 5, 7, 0xF),   // for loads
                             translation(6, 2, 8, 16, 1),    // for instructions
                             translation(2, 3, 12, 128, 3),  // for both
                             translation(4, 1, 4, 8, 2),     // pages of 2 MB alone
                             translation(3, 1, 9, 64, 1),    // a level that came before
                             translation(7, 5, 4, 16, 1),    // for stores
                             translation(0, 0, 4, 16, 1),    // for nothing
                             translation(4, 1, 0, 64, 1),    // of no ways
                             translation(1, 1, 6, 16, 1)};
  all[0].a = 9;  // the last subleaf
  all.push_back(translation(6, 1, 2, 2, 1));
  EXPECT_EQ(levels_of(intel(all)), (Levels{"1: 96 of 6", "2: 1536 of 12", "3: 15 of 3", "5: 35 of 5"}));
  all[0].a = 10;
  EXPECT_EQ(levels_of(intel(all)).size(), 5u);
  // What says that there are four billion is asked for no more than the first 65.
  std::vector<Registers> many(66);
  many[0].a = 0xFFFFFFFF;
  many[64] = translation(1, 1, 2, 3, 1);
  many[65] = translation(2, 1, 4, 5, 1);
  EXPECT_EQ(levels_of(intel(many)), Levels{"1: 6 of 2"});
  EXPECT_EQ(levels_of({}), Levels()) << "another architecture";
}

// ebx of the first: in its highest byte the ways of the first level for data, 255 for all, in the next its
// entries; of the second: in the highest four bits a code of the ways, in the next twelve the entries.
TEST(ReportedTlbs, OfAmdHaveTwoLevels) {
  const auto levels = [](unsigned ways, unsigned entries, unsigned code, unsigned more) {
    return levels_of(amd(ways << 24 | entries << 16 | 0xFF3F, code << 28 | more << 16 | 0x6FFF));
  };
  EXPECT_EQ(levels(0xFF, 72, 8, 3072), (Levels{"1: 72 of 72", "2: 3072 of 16"}));
  EXPECT_EQ(levels(8, 64, 7, 4095), (Levels{"1: 64 of 8", "2: 4095 of 4095"}));
  EXPECT_EQ(levels(0xFE, 255, 9, 1), (Levels{"1: 255 of 254", "2: 1 of 1"}));
  EXPECT_EQ(levels(0, 129, 1, 2048), (Levels{"1: 129 of 1", "2: 2048 of 1"})) << "a set has a way";
  EXPECT_EQ(levels(1, 48, 0, 0), Levels{"1: 48 of 1"});
  EXPECT_EQ(levels(4, 0, 6, 1024), Levels{"2: 1024 of 8"});
  EXPECT_EQ(levels(0xFF, 0, 0xF, 0), Levels());
  const std::array<unsigned, 16> ways{777, 1, 2, 3, 4, 6, 8, 777, 16, 777, 32, 48, 64, 96, 128, 777};
  for (unsigned code = 0; code < 16; ++code)
    EXPECT_EQ(levels(4, 0, code, 777), Levels{fmt::format("2: 777 of {}", ways[code])}) << code;
}

TEST(Cpuid, KnowsAVirtualMachineByTheHighestBitOfTheFeatures) {
  const auto is_virtual_by = [](unsigned features) {
    return is_virtual_machine(sources_of({{{1, 0}, {0xFFFFFFFF, 0xFFFFFFFF, features, 0xFFFFFFFF}}}));
  };
  EXPECT_TRUE(is_virtual_by(0x80000000));
  EXPECT_FALSE(is_virtual_by(0x7FFFFFFF));
}

/// What follows a name in /proc/cpuinfo, of the first core; empty where it is not there.
std::string cpuinfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line.substr(line.find(':') + 1);
  return {};
}

TEST(Cpuid, OfThisProcessorAgreesWithTheSystem) {
  const std::string vendor = cpuinfo("vendor_id"), flags = cpuinfo("flags") + " ";
  if (vendor.empty()) GTEST_SKIP() << "this system tells no vendor";
  EXPECT_EQ(" " + cpu_vendor(), vendor);
  EXPECT_EQ(is_virtual_machine(), flags.find(" hypervisor ") != flags.npos);
}

}  // namespace
}  // namespace redbench
