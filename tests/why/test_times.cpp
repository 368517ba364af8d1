// Which records of a folder of runs are the times of a step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/records/provenance.hpp"
#include "src/why/why.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Folders of runs, each of a few records that this program would make so.
class TimedPairs : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& records,
             const std::vector<std::string>& variants = {"harris2", "harris3"}) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    Json facts = run_of(name, {}).facts;
    facts["config"]["experiments"] = {{{"variants", variants}}};
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
  write("d", {with(fresh("harris2", 7), "hardware", "Another"),
              with(fresh("harris3", 7.7), "hardware", "Another")});
  const std::vector<TimedPair> pairs = found();
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].hardware, "Another");
  EXPECT_NEAR(*pairs[0].ratio, 1.1, 1e-4);
  EXPECT_TRUE(*pairs[0].low < *pairs[0].ratio && *pairs[0].ratio < *pairs[0].high);
  EXPECT_EQ(pairs[1].hardware, "NVIDIA Test");
  EXPECT_EQ(pairs[1].from["n"], 4096);
  EXPECT_NEAR(*pairs[1].ratio, 0.8, 1e-4) << "of four processes";
  EXPECT_EQ(pairs[1].from_record, folder_.path() + "/c#reduce/harris2 n=4096");
  EXPECT_EQ(pairs[1].to_record, folder_.path() + "/c#reduce/harris3 n=4096");
  ASSERT_EQ(found(2048).size(), 1u);
  EXPECT_NEAR(*found(2048)[0].ratio, 0.9, 1e-4);
  EXPECT_TRUE(found(512).empty());
}

// A record that does not give its number of processes counts as one; of equals the first is taken.
TEST_F(TimedPairs, WithoutSamplesThereIsNoRatio) {
  const auto write_without = [&](const char* run, double from, double to, const Json& forks) {
    Record records[] = {fresh("harris2", from), fresh("harris3", to)};
    for (Record& record : records) record.update({{"samples_ns", nullptr}, {"forks", forks}});
    write(run, {records[0], records[1]});
  };
  write_without("a", 1, 0.5, nullptr);
  ASSERT_EQ(found().size(), 1u);
  EXPECT_FALSE(found()[0].ratio);
  write_without("b", 2, 0.7, 1);
  EXPECT_EQ(found()[0].from["time_ns"], 100000);
  write_without("c", 3, 0.8, 2);
  EXPECT_EQ(found()[0].from["time_ns"], 300000);
}

// Records stand in the order of the plan, in which a parameter's default comes first.
TEST_F(TimedPairs, OfSeveralParametersTheFirstCounts) {
  std::vector<Record> records{fresh("harris2", 1), fresh("harris2", 8), fresh("harris3", 2),
                              fresh("harris3", 5)};
  for (const std::size_t i : {1, 3}) records[i]["key"] = records[i]["key"].get<std::string>() + " block=64";
  write("a", records);
  ASSERT_EQ(found().size(), 1u);
  EXPECT_NEAR(*found()[0].ratio, 2, 1e-3);
}

TEST_F(TimedPairs, BothAreOfOneCellAndPassed) {
  const Record from = fresh("harris2", 1), to = fresh("harris3", 2);
  write("a", {from, to});
  EXPECT_EQ(found().size(), 1u);
  const Json changes = Json::parse(R"({"n": 2048, "type": "f32", "operator": "min", "seed": 7,
      "axes": {"values": "exact"}, "device": "cuda:1", "mode": "warm", "session": 1,
      "source_hash": "of another", "measured_by": "another", "variant": "reduce/harris4"})");
  for (const auto& [field, value] : changes.items()) {
    Record other = with(to, field, value);
    other.update({{"ns_per_input", nullptr}, {"bandwidth_gb_per_s", nullptr}});
    write("a", {from, other});
    EXPECT_TRUE(found().empty()) << field;
  }
  Record failed = record_of("reduce/harris3", 1024, "failed");
  add_provenance(failed, *find_variant("reduce/harris3"), Target::cuda);
  write("a", {from, failed});
  EXPECT_TRUE(found().empty()) << "without a time";
  write("a", {from, with(to, "parameters", {{"block", 64}})});
  EXPECT_EQ(found().size(), 1u) << "parameters may differ";
  write("a", {from, to}, {"harris33", "harris2"});
  EXPECT_TRUE(found().empty()) << "a run whose config does not name both is not read";
}

}  // namespace
}  // namespace redbench
