// What two counted records differ by: events, source lines, launches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "src/simt/counters.hpp"
#include "src/why/why.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Words = std::vector<std::string>;

TEST(SourceLine, IsCountedFromOneAndNotIndented) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.cu", "  first  line\n\n\t second\n   \nlast");
  const Words expected{"", "first  line", "", "second", "", "last", ""};
  for (int number = 0; number < 7; ++number)
    EXPECT_EQ(source_line(file, number), expected[std::size_t(number)]) << number;
  EXPECT_EQ(source_line(folder.path() + "/b.cu", 1), "");
}

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
  Words found;
  for (const CountedDifference& difference :
       counted_differences(counted("reduce/a", from), counted("reduce/b", to)))
    found.push_back(fmt::format("{} {} {}", difference.name, difference.from, difference.to));
  return found;
}

TEST(CountedDifferences, EachCounterBelongsToItsKind) {
  std::map<std::string, std::string> kinds;
  for (const char* alone : {"warp_basic_blocks", "divergent_branches", "block_barriers", "named_barriers",
                            "warp_barriers", "warp_exchanges"})
    kinds[alone] = alone;
  for (const char* what : {"shared_conflicts", "shared_requests", "global_requests", "global_sectors"})
    for (const char* access : {"_load_", "_store_", "_atomic_"})
      kinds[std::string(what, 6) + access + (what + 7)] = what;
  for (const char* memory : {"global", "shared"})
    kinds[memory + std::string("_atomic_degree")] = "atomic_degree";
  for (const std::string_view name : counter_names) {
    const std::string counter(name);
    EXPECT_EQ(differences({{counter, 5}}, {{counter, 3}}),
              kinds.contains(counter) ? Words{kinds[counter] + " 5 3"} : Words())
        << counter;
  }
  // A kind is a sum, and what a device does not count is none.
  EXPECT_EQ(differences(Json::parse(R"({"shared_load_conflicts": 1, "shared_store_conflicts": 10,
                                        "shared_atomic_conflicts": null})"),
                        Json::object()),
            Words{"shared_conflicts 11 0"});
}

TEST(CountedDifferences, AreOfMoreThanOnePercentOfTheLargerTheMostEventsFirst) {
  for (const auto& [from, to, differ] :
       {std::tuple(1000, 990, false), {1000, 989, true}, {989, 1000, true}, {0, 0, false}})
    EXPECT_EQ(!differences({{"block_barriers", from}}, {{"block_barriers", to}}).empty(), differ)
        << from << ' ' << to;
  EXPECT_EQ(differences({{"warp_barriers", 100}, {"named_barriers", 500}, {"block_barriers", 10}},
                        {{"warp_barriers", 400}, {"named_barriers", 300}, {"block_barriers", 1}}),
            (Words{"warp_barriers 100 400", "named_barriers 500 300", "block_barriers 10 1"}));
}

// A line is one in all launches, by file and number; none without the event is shown.
TEST(CountedDifferences, LinesAreThreeOfEachVariantTheMostFirstOverAllLaunches) {
  const auto barriers = [](const char* file, int number, int count) {
    return line(file, number, "block_barriers", count);
  };
  const Record from = counted("reduce/a", {{"block_barriers", 125}},
                              {{barriers("a.cu", 1, 10), barriers("a.cu", 2, 40), barriers("a.cu", 3, 20),
                                barriers("b.cu", 2, 30), line("a.cu", 9, "warp_barriers", 99)},
                               {barriers("a.cu", 3, 25)}}),
               to = counted("reduce/b", {{"block_barriers", 7}}, {{barriers("c.cu", 5, 7)}});
  Words lines;
  const std::vector<CountedDifference> found = counted_differences(from, to);
  for (const CountedLine& counted_line : found.at(0).lines)
    lines.push_back(fmt::format("{} {}:{} {}", counted_line.variant, counted_line.file, counted_line.line,
                                counted_line.count));
  EXPECT_EQ(lines,
            (Words{"reduce/a a.cu:3 45", "reduce/a a.cu:2 40", "reduce/a b.cu:2 30", "reduce/b c.cu:5 7"}));
}

Words launch_facts(const std::vector<Json>& from, Index from_scratch, const std::vector<Json>& to,
                   Index to_scratch) {
  Record records[] = {record_of("reduce/a"), record_of("reduce/a")};
  records[0].update({{"launches", from}, {"scratch_bytes", from_scratch}});
  records[1].update({{"launches", to}, {"scratch_bytes", to_scratch}});
  Words all;
  for (const LaunchDifference& fact : launch_differences(records[0], records[1]))
    all.push_back(fmt::format("{} [{}]: {} {}", fact.name, fact.unit, fact.from, fact.to));
  return all;
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

// The launches of a library are not known: each of their facts is 0. The largest launch has the most threads
// in all; of equals it is the first.
TEST(LaunchDifferences, AreSumsOfAllLaunchesOrOfTheLargest) {
  EXPECT_EQ(launch_facts({}, 0, {launch(4, 96, 512, 24), launch(1, 32, 7, 9)}, 70),
            (Words{"launches []: 0 2", "blocks []: 0 5", "threads []: 0 96", "shared_bytes [bytes]: 0 512",
                   "occupancy [%]: 0 75", "bytes_read [bytes]: 0 600", "bytes_written [bytes]: 0 40",
                   "scratch_bytes [bytes]: 0 70"}));
  // Registers that are not known differ from none.
  EXPECT_EQ(launch_facts({launch(4, 96, 512, nullptr)}, 70, {launch(4, 96, 512, 24)}, 70), Words{});
  EXPECT_EQ(launch_facts({launch(1, 128, 7, 16), launch(4, 64, 512, 30), launch(2, 128, 9, 18)}, 1000,
                         {launch(4, 64, 256, 31), launch(2, 32, 8, 17), launch(1, 128, 7, 16)}, 1010),
            (Words{"shared_bytes [bytes]: 512 256", "registers []: 30 31"}));
}

}  // namespace
}  // namespace redbench
