// redbench why: each count, launch fact and time of two hand-made records reaches its number, its lines and
// its sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "src/records/provenance.hpp"
#include "src/simt/counters.hpp"
#include "src/why/sentences.hpp"
#include "src/why/why.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"
#include "tests/why/why_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// By name: what both count.
std::map<std::string, std::pair<int, int>> counts(const Record& from, const Record& to) {
  SourceLines sources;
  std::map<std::string, std::pair<int, int>> found;
  for (const CountedDifference& one : counted_differences(from, to, sources))
    found[one.name] = {int(one.from), int(one.to)};
  return found;
}

TEST(CountedDifferences, EachCounterBelongsToItsKind) {
  const std::map<std::string, std::vector<std::string>> kinds{
      {"shared_conflicts", {"shared_load_conflicts", "shared_store_conflicts", "shared_atomic_conflicts"}},
      {"shared_requests", {"shared_load_requests", "shared_store_requests", "shared_atomic_requests"}},
      {"global_requests", {"global_load_requests", "global_store_requests", "global_atomic_requests"}},
      {"global_sectors", {"global_load_sectors", "global_store_sectors", "global_atomic_sectors"}},
      {"atomic_degree", {"global_atomic_degree", "shared_atomic_degree"}},
      {"warp_basic_blocks", {"warp_basic_blocks"}},
      {"divergent_branches", {"divergent_branches"}},
      {"block_barriers", {"block_barriers"}},
      {"named_barriers", {"named_barriers"}},
      {"warp_barriers", {"warp_barriers"}},
      {"warp_exchanges", {"warp_exchanges"}}};
  std::map<std::string, std::string> kind_of;
  for (const auto& [kind, counters] : kinds)
    for (const std::string& counter : counters) kind_of[counter] = kind;
  for (const std::string_view name : counter_names) {
    const std::string counter(name);
    const auto found = counts(counted("reduce/a", {{counter, 5}}), counted("reduce/b", {{counter, 3}}));
    if (!kind_of.contains(counter)) EXPECT_TRUE(found.empty()) << counter;
    else EXPECT_EQ(found, (decltype(found){{kind_of[counter], {5, 3}}})) << counter;
  }
  EXPECT_EQ(counts(counted("reduce/a", {{"shared_load_conflicts", 1},
                                        {"shared_store_conflicts", 10},
                                        {"shared_atomic_conflicts", nullptr}}),
                   counted("reduce/b", Json::object())),
            (std::map<std::string, std::pair<int, int>>{{"shared_conflicts", {11, 0}}}))
      << "what a device does not count is none";
}

TEST(CountedDifferences, OnePercentOfTheLargerIsNone) {
  const auto differ = [](int from, int to) {
    return !counts(counted("reduce/a", {{"block_barriers", from}}),
                   counted("reduce/b", {{"block_barriers", to}}))
                .empty();
  };
  EXPECT_FALSE(differ(1000, 990));
  EXPECT_TRUE(differ(1000, 989));
  EXPECT_FALSE(differ(990, 1000));
  EXPECT_TRUE(differ(989, 1000));
  EXPECT_FALSE(differ(0, 0));
}

TEST(CountedDifferences, TheMostEventsComeFirst) {
  SourceLines sources;
  std::vector<std::string> names;
  for (const CountedDifference& one : counted_differences(
           counted("reduce/a", {{"warp_barriers", 100}, {"named_barriers", 500}, {"block_barriers", 10}}),
           counted("reduce/b", {{"warp_barriers", 400}, {"named_barriers", 300}, {"block_barriers", 1}}),
           sources))
    names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"warp_barriers", "named_barriers", "block_barriers"}));
}

TEST(CountedDifferences, LinesAreThreeOfEachVariantTheMostFirstOverAllLaunches) {
  const Json lines{line("a.cu", 1, "block_barriers", 10), line("a.cu", 2, "block_barriers", 40),
                   line("a.cu", 3, "block_barriers", 20), line("b.cu", 2, "block_barriers", 30),
                   line("a.cu", 9, "warp_barriers", 99)};
  Record from = counted("reduce/a", {{"block_barriers", 125}}, {lines});
  from["launches"].push_back(launch_of(1));
  from["launches"][1]["lines"] = Json::array({line("a.cu", 3, "block_barriers", 25)});
  const Record to =
      counted("reduce/b", {{"block_barriers", 7}}, {Json::array({line("c.cu", 5, "block_barriers", 7)})});
  SourceLines sources;
  const std::vector<CountedDifference> found = counted_differences(from, to, sources);
  ASSERT_EQ(found.size(), 1u);
  std::vector<std::string> told;
  for (const CountedLine& one : found[0].lines)
    told.push_back(fmt::format("{} {}:{} {}", one.variant, one.file, one.line, one.count));
  EXPECT_EQ(told, (std::vector<std::string>{"reduce/a a.cu:3 45", "reduce/a a.cu:2 40", "reduce/a b.cu:2 30",
                                            "reduce/b c.cu:5 7"}));
}

/// Two launches, the second of which has most threads.
Record launched(double factor) {
  Record record = record_of("reduce/a");
  Json first = launch_of(Index(9 * factor)), second = launch_of(Index(30 * factor));
  first.update({{"threads", 32}, {"shared_bytes", 1}, {"registers", 2}, {"occupancy", 0.01}});
  first.update({{"bytes_read", 1000 * factor}, {"bytes_written", 10 * factor}});
  second.update({{"threads", 64 * factor}, {"shared_bytes", 512 * factor}, {"registers", 16 * factor}});
  second.update({{"occupancy", 0.25 * factor}, {"bytes_read", 300 * factor}, {"bytes_written", 40 * factor}});
  record["launches"] = Json::array({first, second});
  if (factor > 1) record["launches"].push_back(launch_of(1, 0));
  if (factor > 1) record["launches"][2]["bytes_written"] = 0;
  record["scratch_bytes"] = Index(70 * factor);
  return record;
}

TEST(LaunchDifferences, EachIsOfTheLargestLaunchOrOfAll) {
  std::map<std::string, std::pair<double, double>> found;
  std::map<std::string, std::string> units;
  for (const LaunchDifference& one : launch_differences(launched(1), launched(2))) {
    found[one.name] = {one.from, one.to};
    units[one.name] = one.unit;
  }
  EXPECT_EQ(found, (decltype(found){{"launches", {2, 3}},
                                    {"blocks", {39, 79}},
                                    {"threads", {64, 128}},
                                    {"shared_bytes", {512, 1024}},
                                    {"registers", {16, 32}},
                                    {"occupancy", {25, 50}},
                                    {"bytes_read", {1300, 2600}},
                                    {"bytes_written", {50, 100}},
                                    {"scratch_bytes", {70, 140}}}));
  EXPECT_EQ(units, (decltype(units){{"launches", ""},
                                    {"blocks", ""},
                                    {"threads", ""},
                                    {"shared_bytes", "bytes"},
                                    {"registers", ""},
                                    {"occupancy", "%"},
                                    {"bytes_read", "bytes"},
                                    {"bytes_written", "bytes"},
                                    {"scratch_bytes", "bytes"}}));
  EXPECT_TRUE(launch_differences(launched(2), launched(2)).empty());
  std::vector<std::string> told;
  for (const LaunchDifference& one : launch_differences(launched(1), launched(2))) told.push_back(one.what);
  EXPECT_EQ(
      told,
      (std::vector<std::string>{
          "number of launches", "blocks of all launches", "threads of a block of the largest launch",
          "shared memory of a block", "registers of a thread", "occupancy of the largest launch",
          "bytes read, as the kernels state", "bytes written, as the kernels state", "scratch memory"}));
}

// Of launches with as many threads the first counts, whose threads are in more blocks here.
TEST(LaunchDifferences, OfEqualLaunchesTheFirstIsTheLargest) {
  const auto of = [](std::vector<std::pair<int, int>> blocks_and_threads) {
    Record record = record_of("reduce/a");
    for (const auto& [blocks, threads] : blocks_and_threads) {
      record["launches"].push_back(launch_of(blocks));
      record["launches"].back()["threads"] = threads;
    }
    return record;
  };
  const auto threads = [](const Record& from, const Record& to) {
    for (const LaunchDifference& one : launch_differences(from, to))
      if (one.name == "threads") return fmt::format("{} {} {}", one.what, one.from, one.to);
    return std::string("none");
  };
  EXPECT_EQ(threads(of({{8, 64}, {4, 128}, {1, 256}}), of({{2, 32}})),
            "threads of a block of the largest launch 64 32");
  EXPECT_EQ(threads(of({{1, 256}, {4, 128}, {8, 64}}), of({{3, 96}})),
            "threads of a block of the largest launch 128 96");
  EXPECT_EQ(threads(of({}), of({{3, 96}})), "threads of a block of the largest launch 0 96");
}

/// Of one difference, what is said of harris2 and harris3.
std::string said(std::uint64_t from, std::uint64_t to, std::vector<CountedLine> lines = {}) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  step.counters = {{"named_barriers", "barriers", from, to, std::move(lines)}};
  return sentences_of(step).at(0);
}

TEST(WhySentences, SayWhichHasMoreAndByHowMuch) {
  EXPECT_EQ(said(127, 100), "harris2 has 27 % more barriers than harris3: 127 against 100.");
  EXPECT_EQ(said(100, 127), "harris3 has 27 % more barriers than harris2: 127 against 100.");
  EXPECT_EQ(said(2100, 1000), "harris2 has 2.1 times as many barriers as harris3: 2 100 against 1 000.");
  EXPECT_EQ(said(1, 123), "harris3 has 123 times as many barriers as harris2: 123 against 1.");
  EXPECT_EQ(said(1234567, 0), "harris3 has no barriers; harris2 has 1 234 567.");
  EXPECT_EQ(said(0, 42), "harris3 has 42 barriers; harris2 has none.");
}

TEST(WhySentences, ARatioHasTwoDigitsAtLeast) {
  EXPECT_EQ(said(199, 100), "harris2 has 99 % more barriers than harris3: 199 against 100.");
  EXPECT_EQ(said(200, 100), "harris2 has 2.0 times as many barriers as harris3: 200 against 100.");
  EXPECT_EQ(said(100, 999), "harris3 has 10 times as many barriers as harris2: 999 against 100.");
  EXPECT_EQ(said(100, 1000), "harris3 has 10.0 times as many barriers as harris2: 1 000 against 100.");
  EXPECT_EQ(said(1000, 1), "harris2 has 1000 times as many barriers as harris3: 1 000 against 1.");
}

TEST(WhySentences, NameTheDearestLineOfWhoHasMore) {
  const std::vector<CountedLine> lines{{"reduce/harris2", "k2.cu", 20, "", 60},
                                       {"reduce/harris2", "k2.cu", 21, "", 15},
                                       {"reduce/harris3", "k3.cu", 30, "", 30}};
  EXPECT_THAT(said(80, 40, lines), HasSubstr("80 against 40, 75 % of them at k2.cu:20."));
  EXPECT_THAT(said(40, 80, lines), HasSubstr("80 against 40, 38 % of them at k3.cu:30."));
  EXPECT_THAT(said(80, 0, lines), HasSubstr("harris2 has 80, 75 % of them at k2.cu:20."));
  EXPECT_THAT(said(0, 60, lines), HasSubstr("harris3 has 60 barriers, 50 % of them at k3.cu:30; harris2"));
  EXPECT_EQ(said(80, 0, {{"reduce/harris2", "", 0, "", 80}}), "harris3 has no barriers; harris2 has 80.");
}

TEST(WhySentences, ALaunchFactHasBothNumbersWithTheirUnit) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  step.launches = {{"occupancy", "occupancy", "%", 12.5, 100}, {"blocks", "blocks of all", "", 12345, 7}};
  EXPECT_EQ(sentences_of(step),
            (std::vector<std::string>{"The occupancy: 12.5 % for harris2, 100 % for harris3.",
                                      "The blocks of all: 12 345 for harris2, 7 for harris3."}));
}

TimedPair timed_pair(double from_ns, double to_ns) {
  return {"NVIDIA Test", timed("reduce/harris2", 4096, from_ns, from_ns - 1, from_ns + 1),
          timed("reduce/harris3", 4096, to_ns, to_ns - 2, to_ns + 3), "results/a#one", "results/a#two"};
}

TEST(WhySentences, ATimeIsHeldAgainstTheFirst) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  TimedPair pair = timed_pair(4000, 3000);
  const auto told = [&] {
    step.times = {pair};
    return sentences_of(step).at(0);
  };
  EXPECT_EQ(told(),
            "harris3 and harris2 take 3.000 µs against 4.000 µs at n = 4Ki on NVIDIA Test, in different "
            "rounds.");
  pair.ratio = 0.75;
  pair.low = 0.74;
  pair.high = 0.76;
  EXPECT_EQ(told(),
            "harris3 takes 75.0 % of the time of harris2: 3.000 µs against 4.000 µs at n = 4Ki on NVIDIA "
            "Test, a ratio of 0.7400 to 0.7600.");
  pair.high = 1;
  EXPECT_THAT(told(), HasSubstr("Which of harris3 and harris2 is faster is undecided: 3.000 µs against"));
  pair.high = 1.2;
  pair.low = 1;
  EXPECT_THAT(told(), HasSubstr("undecided"));
  pair.low = 1.01;
  EXPECT_THAT(told(), HasSubstr("harris3 takes"));
}

/// Folders of runs, each of a few records that this program would make so.
class TimedPairs : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& records) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    Json facts = run_of(name, {}).facts;
    facts["config"]["experiments"] = {{{"variants", {"harris2", "harris3"}}}};
    facts["sessions"].push_back(facts["sessions"][0]);
    folder_.write(name + "/run.json", line_of(facts));
  }
  static Record fresh(const std::string& name, double factor, Index n = 1024, std::size_t forks = 5) {
    std::vector<double> of = times(factor, {100000, 100100, 99900, 100000, 100000});
    of.resize(forks);  // their median is the first
    Record record = measured("reduce/" + name, of, n);
    add_provenance(record, *find_variant("reduce/" + name), Target::cuda);
    return record;
  }
  static Record with(Record record, const std::string& field, Json value) {
    record[field] = std::move(value);
    return record;
  }
  std::vector<TimedPair> found(Index n = 0) {
    return timed_pairs({folder_.path()}, "reduce/harris2", "reduce/harris3", n);
  }
  TemporaryFolder folder_;
};

TEST_F(TimedPairs, OfEachHardwareTheLargestInputThenTheMostProcesses) {
  write("a", {fresh("harris2", 1, 1024), fresh("harris3", 0.5, 1024), fresh("harris2", 4, 4096, 3),
              fresh("harris3", 3, 4096, 3)});
  write("b", {fresh("harris2", 2, 2048), fresh("harris3", 1.8, 2048)});
  write("c", {fresh("harris2", 4, 4096, 4), fresh("harris3", 3.2, 4096, 4)});
  Record other = with(fresh("harris2", 7), "hardware", "Another"),
         second = with(fresh("harris3", 7.7), "hardware", "Another");
  write("d", {other, second});
  const std::vector<TimedPair> pairs = found();
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].hardware, "Another");
  EXPECT_NEAR(*pairs[0].ratio, 1.1, 1e-4);
  EXPECT_LT(*pairs[0].low, *pairs[0].ratio);
  EXPECT_GT(*pairs[0].high, *pairs[0].ratio);
  EXPECT_EQ(pairs[1].hardware, "NVIDIA Test");
  EXPECT_EQ(pairs[1].from["n"], 4096);
  EXPECT_NEAR(*pairs[1].ratio, 0.8, 1e-4) << "of four processes";
  EXPECT_EQ(pairs[1].from["variant"], "reduce/harris2");
  EXPECT_EQ(pairs[1].to["variant"], "reduce/harris3");
  EXPECT_EQ(pairs[1].from_record, folder_.path() + "/c#reduce/harris2 n=4096");
  EXPECT_EQ(pairs[1].to_record, folder_.path() + "/c#reduce/harris3 n=4096");
  EXPECT_FALSE(pairs[1].to.contains("samples_ns") || pairs[1].from.contains("samples_ns"));
  ASSERT_EQ(found(2048).size(), 1u);
  EXPECT_NEAR(*found(2048)[0].ratio, 0.9, 1e-4);
  EXPECT_TRUE(found(512).empty());
}

// Records stand in the order of the plan, in which a parameter's default comes first.
TEST_F(TimedPairs, OfSeveralParametersTheFirstCounts) {
  const auto of_block = [](Record record, int block) {
    record["parameters"] = {{"block", block}};
    record["key"] = record["key"].get<std::string>() + fmt::format(" block={}", block);
    return record;
  };
  write("a", {of_block(fresh("harris2", 1), 256), of_block(fresh("harris2", 8), 64),
              of_block(fresh("harris3", 2), 256), of_block(fresh("harris3", 5), 64)});
  ASSERT_EQ(found().size(), 1u);
  EXPECT_NEAR(*found()[0].ratio, 2, 1e-3);
}

TEST_F(TimedPairs, BothAreOfOneCellAndPassed) {
  const Record from = fresh("harris2", 1), to = fresh("harris3", 2);
  write("a", {from, to});
  EXPECT_EQ(found().size(), 1u);
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, Json>>{{"n", 2048},
                                                 {"type", "f32"},
                                                 {"operator", "min"},
                                                 {"axes", {{"values", "exact"}}},
                                                 {"seed", 7},
                                                 {"device", "cuda:1"},
                                                 {"mode", "warm"},
                                                 {"session", 1},
                                                 {"source_hash", "of another"},
                                                 {"measured_by", "another"},
                                                 {"variant", "reduce/harris4"}}) {
    Record other = with(to, field, value);
    other["ns_per_input"] = nullptr;
    other["bandwidth_gb_per_s"] = nullptr;
    write("a", {from, other});
    EXPECT_TRUE(found().empty()) << field;
  }
  Record failed = record_of("reduce/harris3", 1024, "failed");
  add_provenance(failed, *find_variant("reduce/harris3"), Target::cuda);
  write("a", {from, failed});
  EXPECT_TRUE(found().empty()) << "without a time";
  write("a", {from, with(to, "parameters", {{"block", 64}})});
  EXPECT_EQ(found().size(), 1u) << "parameters may differ";
}

TEST(WhyJson, EachTimeHasItsOwnFields) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {{"n", 4096}}};
  step.times = {timed_pair(4000, 3000)};
  step.counters = {{"named_barriers", "barriers", 8, 6, {{"reduce/harris2", "k2.cu", 20, "sync();", 5}}}};
  step.launches = {{"blocks", "blocks of all", "bytes", 4, 5}};
  step.sentences = {"so it is"};
  const auto time = [](const char* variant, double ns, double low, double high, const char* record) {
    return Json{{"device", "cuda:0"}, {"hardware", "NVIDIA Test"},
                {"variant", variant}, {"n", 4096},
                {"mode", "cold"},     {"time_ns", ns},
                {"low", low},         {"high", high},
                {"record", record}};
  };
  EXPECT_EQ(
      to_json(step),
      (Json{{"from", "reduce/harris2"},
            {"to", "reduce/harris3"},
            {"case", {{"n", 4096}}},
            {"times",
             {time("reduce/harris2", 4000, 3999, 4001, "results/a#one"),
              time("reduce/harris3", 3000, 2998, 3003, "results/a#two")}},
            {"counters",
             {{{"name", "named_barriers"},
               {"what", "barriers"},
               {"from", 8},
               {"to", 6},
               {"ratio", 0.75},
               {"lines",
                {{{"variant", "reduce/harris2"},
                  {"file", "k2.cu"},
                  {"line", 20},
                  {"text", "sync();"},
                  {"count", 5}}}}}}},
            {"launches",
             {{{"name", "blocks"}, {"what", "blocks of all"}, {"unit", "bytes"}, {"from", 4}, {"to", 5}}}},
            {"sentences", {"so it is"}}}));
}

TEST(WhyText, TablesHaveBothNumbersAndTheirRatio) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {{"n", 4096}, {"type", "i32"}}};
  step.counters = {{"named_barriers", "barriers", 8, 6, {{"reduce/harris2", "k2.cu", 20, "sync();", 5}}},
                   {"warp_barriers", "meetings", 0, 3, {{"reduce/harris3", "", 0, "", 3}}}};
  step.launches = {{"occupancy", "occupancy", "%", 50, 100}};
  const std::string text = text_of(step, 0);
  EXPECT_THAT(text, HasSubstr("reduce/harris2 -> reduce/harris3\nn 4Ki  ·  type i32\n"));
  for (const char* row : {"barriers                    8               6  0.750\n",
                          "meetings                    0               3\n",
                          "occupancy (%)           50.00           100.0   2.00\n"})
    EXPECT_THAT(text, HasSubstr(row));
  EXPECT_THAT(text, testing::ContainsRegex("named_barriers +k2.cu:20 +5 +sync\\(\\);"));
  EXPECT_THAT(text, testing::ContainsRegex("warp_barriers +an unknown line +3"));
}

}  // namespace
}  // namespace redbench
