// Caches that the system tells, of a machine that there need not be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/probe/probe.hpp"
#include "src/probe/told.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string caches_in_order(const Teller& teller) {
  std::string text;
  for (const ToldCache& cache : told_caches(teller))
    text += fmt::format("L{}: {} bytes, {} ways of {}, {} cores\n", cache.level, cache.bytes, cache.ways,
                        cache.line_bytes, cache.cores);
  return text;
}

TEST(ToldCaches, AreReadInTheSystemsUnitsFromTheCoreOutwards) {
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
  write(6, {{"type", "Data"}, {"level", "5"}});  // of a size that is not told
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

/// What the probe says of the first level, without the numbers that a chase found; asked again where another
/// process may have taken the core from a chase.
std::string said_of_first_level(const Teller& teller) {
  std::string said = "nothing";
  for (int tries = 0; tries < 3 && !said.starts_with("L1 is told"); ++tries)
    for (const std::string& unsure : probe_host(0.0003, 4 << 20, teller).machine.unsure)
      if (unsure.starts_with("L1 ")) said = unsure.substr(0, unsure.find(" of up to "));
  return said;
}

/// Whether the second level has as much as pools that were chased through.
std::string found_of_second_level(const Teller& teller) {
  constexpr std::size_t largest = 16 << 20;
  for (int tries = 0; tries < 3; ++tries)
    if (probe_host(0.0003, largest, teller).machine.levels.at(1).bytes <= largest)
      return "what was chased through";
  return "what was told";
}

// A pool of 8 KiB is eight times as large as what this first level is told to have, and as fast as it; those
// of a few MiB are slower. No chase goes through the gigabyte of the second.
TEST(ToldCaches, AreHeldAgainstWhatAChaseFinds) {
  const TemporaryFolder folder;
  folder.write("index0/type", "Data\n");
  folder.write("index0/level", "1\n");
  folder.write("index0/size", "1K\n");
  const Teller teller{.caches = folder.path()};
  EXPECT_EQ(said_of_first_level(teller), "L1 is told to have 1 KiB; pools");

  folder.write("index0/size", "16K\n");
  folder.write("index1/type", "Unified\n");
  folder.write("index1/level", "2\n");
  folder.write("index1/size", "1024M\n");
  EXPECT_EQ(found_of_second_level(teller), "what was chased through");
}

}  // namespace
}  // namespace redbench
