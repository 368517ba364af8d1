// The simulator's misses against those of Valgrind's cachegrind, of one program and the same caches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "src/cachesim/hierarchy.hpp"
#include "src/shell.hpp"
#include "tests/programs.hpp"

namespace redbench::cachesim {
namespace {

#ifdef REDBENCH_STREAM_PROGRAM

struct Access {
  char kind;  // I, L, S or M (load and store)
  std::uint64_t address;
  unsigned bytes;
};

/// What lackey prints: " L 1ffeff,4", "I  401000,3".
std::vector<Access> accesses_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<Access> accesses;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Access access{};
    char comma = 0;
    if (words >> access.kind >> std::hex >> access.address >> comma >> std::dec >> access.bytes &&
        comma == ',' && std::string("ILSM").find(access.kind) != std::string::npos)
      accesses.push_back(access);
  }
  return accesses;
}

/// The totals of cachegrind's file, by the names of its events.
std::map<std::string, double> totals_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> events;
  std::map<std::string, double> totals;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    for (std::string word; first == "events:" && words >> word;) events.push_back(word);
    if (first != "summary:") continue;
    for (const std::string& event : events) words >> totals[event];
  }
  return totals;
}

struct Caches {
  const char* name;
  std::uint64_t first_bytes, last_bytes;
  unsigned first_ways, last_ways;
};
class Cachegrind : public testing::TestWithParam<Caches> {};

TEST_P(Cachegrind, HasTheSameMisses) {
  if (first_line_of("command -v valgrind").empty()) GTEST_SKIP() << "no valgrind: apt-get install valgrind";
  const Caches& caches = GetParam();
  Machine machine;
  machine.levels = {{"D1", caches.first_bytes, caches.first_ways, 1, Replacement::lru},
                    {"LL", caches.last_bytes, caches.last_ways, 10, Replacement::lru}};
  machine.prefetch = Prefetch::none;
  const TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace", counts = folder.path() + "/counts";
  // No address may differ between the two runs.
  const auto valgrind = [](const std::string& arguments) {
    return std::system(
        ("env -i PATH=\"$PATH\" setarch -R valgrind " + arguments + " " REDBENCH_STREAM_PROGRAM).c_str());
  };
  ASSERT_EQ(valgrind("--tool=lackey --trace-mem=yes --log-file=" + trace), 0);
  ASSERT_EQ(valgrind(fmt::format(
                "--tool=cachegrind --cache-sim=yes --I1=1024,2,64 --D1={},{},64 --LL={},{},64 "
                "--cachegrind-out-file={} --log-file=/dev/null",
                caches.first_bytes, caches.first_ways, caches.last_bytes, caches.last_ways, counts)),
            0);
  const std::vector<Access> accesses = accesses_of(trace);
  const auto expected = totals_of(counts);
  ASSERT_GT(accesses.size(), 500000u);

  Hierarchy hierarchy(machine, 0);
  Cache first(8, 2, Replacement::lru), &last = hierarchy.level(1);
  const auto ask = [](Cache& cache, Block line) {
    if (cache.use(line, false).hit) return true;
    cache.insert(line, false, false);
    return false;
  };
  double instruction_misses = 0, last_level_misses = 0, references = 0;
  for (const Access& access : accesses) {
    const Block line = access.address / 64, end = (access.address + access.bytes - 1) / 64;
    if (access.kind != 'I') {
      // A load and store of one place is one event there, a read.
      ++references;
      ASSERT_EQ(line, end);
      hierarchy.access(Site::values, access.address, access.kind == 'S');
      continue;
    }
    bool hit = ask(first, line);
    if (end != line) hit = ask(first, end) && hit;
    instruction_misses += !hit;
    if (hit) continue;
    bool found = ask(last, line);
    if (end != line) found = ask(last, end) && found;
    last_level_misses += !found;
  }
  EXPECT_EQ(references, expected.at("Dr") + expected.at("Dw"));
  EXPECT_EQ(instruction_misses, expected.at("I1mr"));
  EXPECT_EQ(last_level_misses, expected.at("ILmr"));
  EXPECT_EQ(hierarchy.counts().misses[0], expected.at("D1mr") + expected.at("D1mw"));
  EXPECT_EQ(hierarchy.counts().misses[1], expected.at("DLmr") + expected.at("DLmw"));
  EXPECT_GT(hierarchy.counts().misses[1], 1000) << "the caches are too large to show anything";
}

INSTANTIATE_TEST_SUITE_P(Hierarchies, Cachegrind,
                         testing::Values(Caches{"direct_mapped", 2048, 32768, 1, 1},
                                         Caches{"of_4_and_8_ways", 4096, 65536, 4, 8},
                                         Caches{"of_8_and_16_ways", 8192, 16384, 8, 16}),
                         [](const auto& caches) { return caches.param.name; });

#endif

}  // namespace
}  // namespace redbench::cachesim
