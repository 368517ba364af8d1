// What two counted records differ by: events, source lines, launches.
#include "src/why/counted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "src/simt/counters.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using Words = std::vector<std::string>;

Json line(const std::string& file, int number, const std::string& counter, int count) {
  return {{"file", file}, {"line", number}, {counter, count}};
}

/// With a launch for each list of lines.
Record counted(const std::string& variant, const Json& counters,
               const std::vector<Json>& lines_of_launches = {Json::array()}) {
  Record record = record_of(variant);
  record["counters"] = counters;
  for (const Json& lines : lines_of_launches) {
    record["launches"].push_back(launch_of(4));
    record["launches"].back()["lines"] = lines;
  }
  return record;
}

Words differences(const Json& from, const Json& to) {
  SourceLines sources;
  Words found;
  for (const CountedDifference& one :
       counted_differences(counted("reduce/a", from), counted("reduce/b", to), sources))
    found.push_back(fmt::format("{} {} {}", one.name, one.from, one.to));
  return found;
}

TEST(CountedDifferences, EachCounterBelongsToItsKind) {
  std::map<std::string, std::string> kinds{{"global_atomic_degree", "atomic_degree"},
                                           {"shared_atomic_degree", "atomic_degree"}};
  for (const char* alone : {"warp_basic_blocks", "divergent_branches", "block_barriers", "named_barriers",
                            "warp_barriers", "warp_exchanges"})
    kinds[alone] = alone;
  for (const char* access : {"load", "store", "atomic"})
    for (const auto& [memory, what] : {std::pair("shared", "conflicts"),
                                       {"shared", "requests"},
                                       {"global", "requests"},
                                       {"global", "sectors"}})
      kinds[fmt::format("{}_{}_{}", memory, access, what)] = fmt::format("{}_{}", memory, what);
  for (const std::string_view name : counter_names) {
    const std::string counter(name);
    EXPECT_EQ(differences({{counter, 5}}, {{counter, 3}}),
              kinds.contains(counter) ? Words{kinds[counter] + " 5 3"} : Words())
        << counter;
  }
  EXPECT_EQ(differences({{"shared_load_conflicts", 1},
                         {"shared_store_conflicts", 10},
                         {"shared_atomic_conflicts", nullptr}},
                        Json::object()),
            Words{"shared_conflicts 11 0"})
      << "a kind is a sum, and what a device does not count is none";
}

TEST(CountedDifferences, OnePercentOfTheLargerIsNone) {
  for (const auto& [from, to, differ] : {std::tuple(1000, 990, false),
                                         {1000, 989, true},
                                         {990, 1000, false},
                                         {989, 1000, true},
                                         {0, 0, false}})
    EXPECT_EQ(!differences({{"block_barriers", from}}, {{"block_barriers", to}}).empty(), differ)
        << from << ' ' << to;
}

TEST(CountedDifferences, TheMostEventsComeFirst) {
  EXPECT_EQ(differences({{"warp_barriers", 100}, {"named_barriers", 500}, {"block_barriers", 10}},
                        {{"warp_barriers", 400}, {"named_barriers", 300}, {"block_barriers", 1}}),
            (Words{"warp_barriers 100 400", "named_barriers 500 300", "block_barriers 10 1"}));
}

// A line is one in all launches, by file and number; none without the event is shown.
TEST(CountedDifferences, LinesAreThreeOfEachVariantTheMostFirstOverAllLaunches) {
  const Record from = counted("reduce/a", {{"block_barriers", 125}},
                              {{line("a.cu", 1, "block_barriers", 10), line("a.cu", 2, "block_barriers", 40),
                                line("a.cu", 3, "block_barriers", 20), line("b.cu", 2, "block_barriers", 30),
                                line("a.cu", 9, "warp_barriers", 99)},
                               {line("a.cu", 3, "block_barriers", 25)}}),
               to = counted("reduce/b", {{"block_barriers", 7}}, {{line("c.cu", 5, "block_barriers", 7)}});
  SourceLines sources;
  Words lines;
  const std::vector<CountedDifference> found = counted_differences(from, to, sources);
  for (const CountedLine& one : found.at(0).lines)
    lines.push_back(fmt::format("{} {}:{} {}", one.variant, one.file, one.line, one.count));
  EXPECT_EQ(lines,
            (Words{"reduce/a a.cu:3 45", "reduce/a a.cu:2 40", "reduce/a b.cu:2 30", "reduce/b c.cu:5 7"}));
}

Words launch_facts(const Record& from, const Record& to) {
  Words all;
  for (const LaunchDifference& one : launch_differences(from, to))
    all.push_back(fmt::format("{}, {} [{}]: {} {}", one.name, one.what, one.unit, one.from, one.to));
  return all;
}

Record with(const std::vector<Json>& launches, Index scratch_bytes) {
  Record record = record_of("reduce/a");
  record["launches"] = launches;
  record["scratch_bytes"] = scratch_bytes;
  return record;
}

Json launch(Index blocks, int threads, int shared, const Json& registers) {
  Json facts = launch_of(blocks, 300);
  facts.update({{"threads", threads},
                {"shared_bytes", shared},
                {"registers", registers},
                {"occupancy", 0.75},
                {"bytes_written", 20.0}});
  return facts;
}

// The launches of a library are not known: each of their facts is 0.
TEST(LaunchDifferences, AreSumsOfAllLaunchesOrOfTheLargest) {
  const Record none = with({}, 0), two = with({launch(4, 96, 512, 24), launch(1, 32, 7, 9)}, 70);
  EXPECT_EQ(launch_facts(none, two),
            (Words{"launches, number of launches []: 0 2", "blocks, blocks of all launches []: 0 5",
                   "threads, threads of a block of the largest launch []: 0 96",
                   "shared_bytes, shared memory of a block [bytes]: 0 512",
                   "registers, registers of a thread []: 0 24",
                   "occupancy, occupancy of the largest launch [%]: 0 75",
                   "bytes_read, bytes read, as the kernels state [bytes]: 0 600",
                   "bytes_written, bytes written, as the kernels state [bytes]: 0 40",
                   "scratch_bytes, scratch memory [bytes]: 0 70"}));
  EXPECT_EQ(launch_facts(with({launch(4, 96, 512, nullptr)}, 70), with({launch(4, 96, 512, 24)}, 70)),
            Words{"registers, registers of a thread []: 0 24"});
}

// The largest launch has the most threads in all; of equals it is the first.
TEST(LaunchDifferences, OfEqualLaunchesTheFirstIsTheLargest) {
  const Record from = with({launch(1, 128, 7, 16), launch(4, 64, 512, 30), launch(2, 128, 9, 18)}, 1000),
               to = with({launch(4, 64, 256, 31), launch(2, 32, 8, 17), launch(1, 128, 7, 16)}, 1010);
  EXPECT_EQ(launch_facts(from, to), (Words{"shared_bytes, shared memory of a block [bytes]: 512 256",
                                           "registers, registers of a thread []: 30 31"}));
}

}  // namespace
}  // namespace redbench
