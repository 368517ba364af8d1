// A comparison as it is shown, and `redbench compare`.
#include "src/compare/comparison.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/claims/claim_support.hpp"
#include "tests/compare_support.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ComparisonText, IsThatOfTheGoldenFile) {
  Comparison comparison{.first = "results/a", .second = "results/b", .threshold_percent = 2.5, .gone = 3};
  const auto add = [&](const char* variant, Index n, Json first_ns, Json second_ns,
                       Verdict verdict) -> auto& {
    ComparedCase one{.record = timed(variant, n, 1, 1, 1)};
    one.first_ns = std::move(first_ns);
    one.second_ns = std::move(second_ns);
    one.judged = {verdict, {std::log(0.75), std::log(1.25)}};
    return comparison.cases.emplace_back(one);
  };
  const auto by = [](double ratio) {
    return Difference{.log_ratio = std::log(ratio), .standard_error = 0.1, .freedom = 4};
  };
  add("reduce/harris3", 1024, 2500, 2000, Verdict::faster).difference = by(0.8);
  add("reduce/cpu_openmp", 1 << 20, 123456, nullptr, Verdict::undecided).notes = {"B wrong",
                                                                                  "both are stale"};
  add("reduce/cub", 512, 1, 10, Verdict::slower).difference = by(10);
  comparison.cases[2].judged.interval = {-INFINITY, INFINITY};
  comparison.cases[2].notes = {"both are stale"};
  add("reduce/cub", 256, 1, 1, Verdict::same).difference = by(1);
  comparison.cases[3].reference = "thrust";
  comparison.remarks = {"Cases of B alone: 7."};
  std::string text = "== terminal\n" + aligned(comparison_table(comparison), false) + comparison.summary() +
                     "\n\n== Markdown\n" + markdown(comparison, 0) + "\n== JSON\n" +
                     to_json(comparison).dump(1);
  comparison.of_variants = true;
  comparison.first = "harris3";
  comparison.second = "harris7";
  expect_golden("compare/comparison.txt",
                text + "\n\n== variants\n" + aligned(comparison_table(comparison), false));
}

/// A folder with runs in it.
class CompareCommand : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& records,
             const Json& session = session_of()) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    folder_.write(name + "/run.json", line_of(run_of(name, {}, session).facts));
  }
  Answer compare(const std::string& arguments) { return redbench("compare " + arguments, folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(CompareCommand, PrintsTheTableAndWritesFiles) {
  write("a", {measured("reduce/harris3", around_100), measured("reduce/harris7", around_100)});
  write("b", {measured("reduce/harris3", times(1.05)), measured("reduce/harris7", times(0.9))});
  const Answer answer = compare("a b --json c.json --md c.md");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, testing::StartsWith("A: a  ·  B: b\n"));
  EXPECT_THAT(answer.text,
              testing::EndsWith("\n1 faster, 1 slower, 0 same, 0 undecided: 2 of 2 pairs differ\n"));
  EXPECT_EQ(Json::parse(folder_.read("c.json"))["differing"], 2);
  EXPECT_THAT(folder_.read("c.md"), testing::StartsWith("# b against a\n\n"));
  EXPECT_EQ(compare("a b --fail-on-regression").exit_code, exit_failed);
  EXPECT_EQ(compare("a b --threshold 20 --fail-on-regression").exit_code, exit_fine);
  EXPECT_THAT(compare("b --variants harris3 harris7").text, HasSubstr("1 faster"));
}

TEST_F(CompareCommand, AcrossReadsSelfTestsInResultsThatThisMeasuringCodeMade) {
  Json other_board = session_of();
  other_board["board"]["uuid_hash"] = "bb";
  write("a", {measured("reduce/harris3", around_100)});
  write("b", {measured("reduce/harris3", times(1.07))}, other_board);
  folder_.write("results/st/selftest.json",
                R"({"runs": ["a"], "sizes": [{"n": 1024, "across_machines":
                    {"least_difference_called_percent": 1, "greatest_difference_percent": 6}}]})");
  Record record = fresh("reduce/harris3", 1.0);
  record["source_hash"] = "another";  // it is of machines, not of this kernel
  write("results/st/a", {record});
  EXPECT_THAT(compare("a b --across").text, AllOf(HasSubstr("what results/st found"), HasSubstr("1 slower")));
  write("c", {measured("reduce/harris3", times(1.05))}, other_board);
  EXPECT_THAT(compare("a c --across").text, HasSubstr("0 slower"))
      << "as pairs of the self-test differ by more";
  record["measured_by"] = "another";
  write("results/st/a", {record});
  EXPECT_THAT(compare("a b --across").text, HasSubstr("called neither faster nor slower"));
}

TEST_F(CompareCommand, Mistakes) {
  write("a", {measured("reduce/harris3", around_100)}, session_of("550"));
  write("b", {measured("reduce/harris3", around_100)}, session_of("560"));
  folder_.write("a/tables/test.csv", "");
  for (const auto& [arguments, why] :
       {std::pair("a", "1 run is given; two are compared, or two variants of one"),
        {"a b --variants harris3 harris7", "2 runs are given; two are compared, or two variants of one"},
        {"a b", "other driver: 550 and 560; --across"},
        {"a nowhere", "nowhere/run.json: missing"},
        {"a ./a", "redbench compare a ./a: one run, named twice"},
        {"a b --threshold 100", "--threshold 100: 0 or more, and less than 100"},
        {"a b --across --json a/records.jsonl", "`records.jsonl` is the name of a run's own file"},
        {"a b --across --json a/tables/test.csv", "it is a table of that run"},
        {"a b --across --json x --md x", "the file of --json"}}) {
    const Answer answer = compare(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(why)) << arguments;
  }
  EXPECT_EQ(compare("a b --across --threshold 99.5").exit_code, exit_fine);
}

}  // namespace
}  // namespace redbench
