// Caches and TLBs as systems and processors report them: folders laid out as /sys, and registers of cpuid as
// the manuals of Intel and AMD describe them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/cachesim/made_up_cpuid.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(ReportedCaches, AreReadInTheSystemsUnitsFromTheCoreOutwards) {
  const TemporaryFolder folder;
  const struct {
    int index;
    const char *type, *level, *size, *ways, *line;  // empty: no such file
  } files[] = {
      {0, "Unified", "3", "2M", "11", "128"}, {1, "Instruction", "1", "32K", "8", "64"},
      {2, "Data", "1", "48K", "12", "64"},    {3, "Unified", "2", "12345", "", ""},
      {4, "Unified", "4", "0K", "8", "64"},  // as some virtual machines have it
      {5, "Unified", "", "1M", "8", "64"},    {6, "Data", "5", "", "8", "64"},
      {9, "Data", "6", "3M", "13", "32"},     {10, "Data", "7", "4M", "8", "64"}};  // no machine has so many
  for (const auto& row : files)
    for (const auto& [name, text] : {std::pair("type", row.type),
                                     {"level", row.level},
                                     {"size", row.size},
                                     {"ways_of_associativity", row.ways},
                                     {"coherency_line_size", row.line}})
      if (*text) folder.write(fmt::format("index{}/{}", row.index, name), std::string(text) + "\n");
  std::string text;
  for (const ReportedCache& cache : reported_caches({.caches = folder.path()}))
    text +=
        fmt::format("L{}: {} bytes, {} ways of {}\n", cache.level, cache.bytes, cache.ways, cache.line_bytes);
  EXPECT_EQ(text,
            "L1: 49152 bytes, 12 ways of 64\n"
            "L2: 12345 bytes, 0 ways of 64\n"
            "L3: 2097152 bytes, 11 ways of 128\n"
            "L6: 3145728 bytes, 13 ways of 32\n");
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

TEST(Cpuid, OfThisProcessorAgreesWithTheSystem) {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  for (std::string line; flags.empty() && std::getline(file, line);)
    if (line.starts_with("flags")) flags = line + " ";
  if (flags.empty()) GTEST_SKIP() << "this system reports no flags";
  EXPECT_EQ(is_virtual_machine(), flags.find(" hypervisor ") != flags.npos);
}

}  // namespace
}  // namespace redbench
