// Files of claims, those that come with the program, and `redbench claims`.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "src/claims/claim_file.hpp"
#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

class ClaimFile : public testing::Test {
 protected:
  std::vector<Claim> read(const std::string& text) { return read_claims(folder_.write("paper.json", text)); }
  /// The error message of a test with these members, without the folder and where the test is.
  std::string error_of_test(const std::string& members) {
    const std::string message = usage_error([&] {
      read(R"({"title": "t", "claims": [{"id": "a", "source": "s", "sentence": "w",
                                    "tests": [{)" +
           members + "}]}]}");
    });
    const std::string before = folder_.path() + "/paper.json: $.claims[0].tests[0]";
    EXPECT_THAT(message, testing::StartsWith(before));
    return message.substr(before.size());
  }
  static std::string ratio(const std::string& more) {
    return R"("kind": "ratio", "configs": ["martin2012/fig4"], "of": {"variant": "tb2"},
              "to": {"variant": "matrix"})" +
           more;
  }

  TemporaryFolder folder_;
};

TEST_F(ClaimFile, IsReadWithSizesAsNumbers) {
  const std::vector<Claim> claims =
      read(R"({"title": "Some paper", "claims": [{"id": "a-1", "source": "Fig. 1",
    "sentence": "b is slower", "tests": [
      {"kind": "ratio", "configs": ["martin2012/fig4"], "where": {"n": "[16Mi:18Mi:1Mi]"}, "at": ["n"],
       "of": {"variant": ["tb2", "tb4_warp"], "pick": "fastest"}, "to": {"variant": "matrix"}, "above": 1.5,
       "over": "mean", "decides": false},
      {"kind": "optimum", "configs": ["sizmann2023/fig4.1"], "of": {}, "x": "block", "among": [128, 256],
       "is": "slowest", "tolerance_percent": 5}]}]})");
  ASSERT_EQ(claims.size(), 1u);
  EXPECT_EQ(claims[0].name(), "paper/a-1");
  EXPECT_EQ(claims[0].title, "Some paper");
  EXPECT_EQ(claims[0].kinds(), "ratio, optimum");
  const ClaimTest &first = claims[0].tests[0], &second = claims[0].tests[1];
  EXPECT_EQ(first.where, Json({{"n", {16 << 20, 17 << 20, 18 << 20}}}));
  EXPECT_EQ(first.of[0].where, Json({{"variant", {"tb2", "tb4_warp"}}}));
  EXPECT_EQ(first.of[0].pick, Pick::fastest);
  EXPECT_FALSE(first.to->pick);
  EXPECT_EQ(first.bounds.above, 1.5);
  EXPECT_EQ(first.over, Over::mean);
  EXPECT_FALSE(first.decides);
  EXPECT_EQ(second.is, Pick::slowest);
  EXPECT_EQ(second.tolerance_percent, 5);
  EXPECT_EQ(second.among, (std::vector<double>{128, 256}));
}

TEST_F(ClaimFile, EveryMistakeIsNamedByItsPlace) {
  EXPECT_EQ(
      error_of_test(ratio(R"(, "above": 1, "ovr": "mean")")),
      ".ovr: unknown key; allowed are `kind`, `what`, `configs`, `where`, `at`, `quantity`, `of`, `to`, "
      "`above`, `below`, `equals`, `over`, `x`, `among`, `is`, `tolerance_percent` or `decides`; did you "
      "mean `over`?");
  EXPECT_EQ(error_of_test(R"("configs": [])"), ".configs: the list is empty; at least one config is needed");
  EXPECT_EQ(error_of_test(R"("kind": "ratoi", "configs": ["martin2012/fig4"])"),
            ".kind: unknown name `ratoi`; allowed are `ordering`, `ratio`, `value`, `slope`, `optimum` or "
            "`step`; did you mean `ratio`?");
  EXPECT_EQ(error_of_test(ratio("")),
            ": nothing to hold it against: one of `above`, `below` and `equals` is needed");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 1, "x": "n")")),
            ".x: means nothing for the kind `ratio`, which takes `kind`, `what`, `configs`, `where`, `at`, "
            "`decides`, `of`, `to`, `quantity`, `above`, `below`, `equals` or `over`");
  EXPECT_EQ(error_of_test(R"("kind": "ratio", "configs": ["martin2012/fig4"], "of": {}, "above": 1)"),
            ": the kind `ratio` needs the key `to`");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 1, "at": ["nn"])")).substr(0, 42),
            ".at[0]: no record has a column `nn`; did y");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 1, "quantity": "time_nss")")),
            ".quantity: no record has a column `time_nss`; did you mean `time_ns`?");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 1, "quantity": "percent_of_ceiling")")),
            ".quantity: follows from the time: compare `time_ns`");
  EXPECT_EQ(error_of_test(ratio(R"(, "equals": 1)")),
            ".equals: no measured `time_ns` equals a number; `above` and `below` are bounds");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 2, "below": 1)")),
            ".above: nothing is above this and below `below`");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 2, "below": 2)")),
            ".above: nothing is above this and below `below`");
  EXPECT_EQ(error_of_test(ratio(R"(, "below": 0)")), ".below: no ratio is 0 or less");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 0, "below": 2)")), ".above: no ratio is 0 or less");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 0.5, "below": -1)")), ".below: no ratio is 0 or less");
  EXPECT_EQ(
      error_of_test(R"("kind": "step", "configs": ["martin2012/fig4"], "of": {}, "x": "n", "above": 0)"),
      ".above: no ratio is 0 or less");
  EXPECT_EQ(error_of_test(ratio(R"(, "above": 1, "where": {"type": "f33"})")).substr(0, 40),
            ".where.type: unknown name `f33`; allowed");
  EXPECT_EQ(error_of_test(R"("kind": "ordering", "configs": ["martin2012/fig4"], "of": {"variant": "tb2"})"),
            ".of: an ordering is of two selections or more");
  EXPECT_EQ(error_of_test(R"("kind": "ordering", "configs": ["martin2012/fig4"],
                             "of": [{"variant": "tb22"}, {"variant": "tb2"}])"),
            ".of[0].variant: there is no variant `tb22`; did you mean `tb2`?");
  EXPECT_EQ(error_of_test(R"("kind": "ordering", "configs": ["martin2012/fig4"],
                             "of": [{"variant": "tb2"}, {"varant": "tb2"}])"),
            ".of[1].varant: no record has a column `varant`; did you mean `variant`?");
  EXPECT_EQ(error_of_test(R"("kind": "ordering", "configs": ["martin2012/fig4"],
                             "of": [{"variant": "tb2", "pick": "best"}, {"variant": "tb2"}])")
                .substr(0, 40),
            ".of[0].pick: unknown name `best`; allowe");
  EXPECT_THAT(error_of_test(R"("kind": "ordering", "configs": ["martin2012/fig44"], "of": [{}, {}])"),
              testing::AllOf(HasSubstr("there is no config `configs/martin2012/fig44.json`"),
                             HasSubstr("did you mean `" REDBENCH_SOURCE_DIR "/configs/martin2012/fig4")))
      << "looked for among those that come with the program, wherever it is called";
  EXPECT_EQ(error_of_test(ratio(R"(, "above": "1")")), R"(.above: expected a number, got "1")");
}

TEST_F(ClaimFile, AnIdIsThatOfOneClaim) {
  const std::string claim = R"({"id": "a", "source": "s", "sentence": "w", "tests": [
      {"kind": "value", "configs": ["slides/table"], "of": {}, "quantity": "passes", "equals": 1}]})";
  EXPECT_THAT(usage_error([&] { read(R"({"title": "t", "claims": [)" + claim + "," + claim + "]}"); }),
              HasSubstr("$.claims[1].id: $.claims[0] has this id, too"));
  EXPECT_THAT(usage_error([&] { read(R"({"title": "t", "claims": []})"); }),
              HasSubstr("$.claims: the list is empty; at least one claim is needed"));
  EXPECT_THAT(usage_error([] { read_claims("nowhere.json"); }),
              HasSubstr("nowhere.json: there is no such file"));
  const std::string one = folder_.write("one/paper.json", R"({"title": "t", "claims": [)" + claim + "]}"),
                    two = folder_.write("two/paper.json", R"({"title": "t", "claims": [)" + claim + "]}");
  EXPECT_THAT(usage_error([&] { read_all_claims({one, two}); }),
              HasSubstr("two/paper.json: another file of this name has the claim `a`, too"));
}

TEST(OwnClaims, AreAllThatTheProjectHasCollected) {
  const std::vector<std::string> wanted{
      "eilers-cpu-steps",      "eilers-cpu-sort",       "eilers-hist-order",
      "eilers-banktrish",      "eilers-perbank",        "eilers-perbank-degenerate",
      "eilers-multipass",      "eilers-sets",           "eilers-l2",
      "eilers-rest7",          "eilers-transpose-free", "eilers-scatter",
      "eilers-noncomm",        "eilers-speedup",        "eilers-sheffler",
      "eilers-multiscan",      "luitjens-atomic",       "luitjens-vector",
      "luitjens-cub",          "luitjens-ilp",          "luitjens-bitwise",
      "martin-order",          "martin-multipass",      "martin-one-segment",
      "martin-tree-inversion", "martin-small-segments", "martin-persistent-neutral",
      "martin-irregular",      "martin-divergence",     "harris-92",
      "sizmann-block",         "sizmann-linear",        "sizmann-dtype",
      "harris-ladder"};
  std::vector<std::string> ids;
  for (const Claim& claim : read_all_claims({})) ids.push_back(claim.id);
  EXPECT_THAT(ids, ElementsAreArray(wanted));
}

TEST(OwnClaims, TheCommittedSchemaIsThePrintedOne) {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_TRUE(redbench("schema --claims").text == text_of("configs/claims/schema.json"))
      << "write it anew: build/redbench schema --claims > configs/claims/schema.json";
  const std::string keys = redbench("schema --claims --markdown").text;
  // Up to the second mark: a page with more than is printed is not the printed one.
  EXPECT_TRUE(text_of("docs/claims.md")
                  .find("<!-- redbench schema --claims --markdown -->\n" + keys + "<!-- end -->\n") !=
              std::string::npos)
      << "put the output of `redbench schema --claims --markdown` between the two marks";
}

/// Folders of runs that the claim harris-ladder reads.
class ClaimsCommand : public testing::Test {
 protected:
  void write_run(const std::string& config, const std::vector<double>& ladder, Index n) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < ladder.size(); ++i)
      records.push_back(fresh("reduce/harris" + std::to_string(i + 1), ladder[i], n));
    const EvidenceRun run = evidence_of(config, records);
    std::string lines;
    for (const Record& record : run.run.records) lines += line_of(record) + '\n';
    folder_.write(config + "/run.json", run.run.facts.dump());
    folder_.write(config + "/records.jsonl", lines);
  }
  void write_runs(const std::vector<double>& ladder) {
    write_run("slides/table", ladder, claimed_n);
    write_run("sizmann2023/table3.1", ladder, Index(1) << 28);
  }
  Answer claims(const std::string& arguments) {
    return redbench("claims " + folder_.path() + " -b harris-ladder " + arguments);
  }

  TemporaryFolder folder_;
};

const std::vector<double> falling{5, 4, 3, 2, 1};

TEST_F(ClaimsCommand, SaysWhatHoldsAndEndsWithZero) {
  write_runs(falling);
  const Answer answer = claims("--fail-on-claim");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, HasSubstr("holds: slides/harris-ladder\n"));
  EXPECT_THAT(answer.text, HasSubstr("1 hold, 0 do not hold, 0 undecided"));
  EXPECT_THAT(answer.text, HasSubstr("Without a self-test of the hardware it is 1 %."));
}

TEST_F(ClaimsCommand, ExitCodesAreAskedFor) {
  write_runs({5, 4, 2, 3, 1});
  EXPECT_EQ(claims("").exit_code, exit_fine);
  EXPECT_EQ(claims("--fail-on-claim").exit_code, exit_failed);
  std::filesystem::remove_all(folder_.path() + "/sizmann2023");
  write_run("slides/table", falling, claimed_n);
  const Answer undecided = claims("");
  EXPECT_EQ(undecided.exit_code, exit_fine);
  EXPECT_THAT(undecided.text, HasSubstr("undecided: slides/harris-ladder"));
  EXPECT_THAT(undecided.text, HasSubstr("no record of configs/sizmann2023/table3.1.json"));
  EXPECT_EQ(claims("--fail-on-claim").exit_code, exit_undecided);
}

TEST_F(ClaimsCommand, TheJsonIsWhatAReportReads) {
  write_runs(falling);
  const Json json = Json::parse(claims("--json").text);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["counts"], Json({{"holds", 1}, {"does not hold", 0}, {"undecided", 0}}));
  const Json& claim = json["claims"][0];
  EXPECT_EQ(claim["id"], "harris-ladder");
  EXPECT_EQ(claim["paper"], "slides");
  EXPECT_EQ(claim["kind"], "ordering");
  EXPECT_EQ(claim["verdict"], "holds");
  EXPECT_EQ(claim["missing"], Json::array());
  EXPECT_TRUE(claim["smallest_difference_percent"].is_null());
  ASSERT_EQ(claim["parts"].size(), 8u);
  const Json& part = claim["parts"][0];
  EXPECT_EQ(part["what"], "harris4 / harris5 at n 16Mi");
  EXPECT_NEAR(part["value"], 2, 1e-9);
  EXPECT_LE(part["low"], part["value"]);
  EXPECT_EQ(part["bound"], "> 1");
  EXPECT_EQ(part["records"][0], folder_.path() + "/slides/table#reduce/harris4 n=16777216");
}

TEST_F(ClaimsCommand, FilesAreWrittenAsked) {
  write_runs(falling);
  const TemporaryFolder out;
  const Answer answer = claims("--json " + out.path() + "/c.json --md " + out.path() + "/c.md");
  EXPECT_THAT(answer.text, HasSubstr("holds: slides/harris-ladder"));
  std::ifstream json(out.path() + "/c.json"), text(out.path() + "/c.md");
  EXPECT_EQ(Json::parse(json)["claims"].size(), 1u);
  const std::string markdown(std::istreambuf_iterator<char>(text), {});
  EXPECT_THAT(markdown,
              HasSubstr("| harris-ladder | Each of the kernels 1 to 5 is faster than the one before. |"));
  EXPECT_THAT(claims("--json " + out.path() + "/c.json --md " + out.path() + "/c.json").text,
              HasSubstr("the file of --json"));
}

TEST_F(ClaimsCommand, ADamagedRunIsToldOfAndHidesNoOther) {
  write_runs(falling);
  folder_.write("broken/run.json", "{");
  folder_.write("broken/records.jsonl", "");
  const Answer answer = claims("");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("broken/run.json"));
  EXPECT_THAT(answer.text, HasSubstr("holds: slides/harris-ladder"));
}

TEST_F(ClaimsCommand, ASelfTestOfTheHardwareSetsTheLeastDifference) {
  write_runs({5, 4, 3, 2, 1.9});
  EXPECT_THAT(claims("").text, HasSubstr("holds: slides/harris-ladder"));
  const std::string self_test = R"({"schema": 1, "runs": ["a"],
      "within_a_run": {"least_difference_called_percent": 8}, "between_runs": {"least_difference_called_percent": 9}})";
  write_run("selftest/a", {1}, claimed_n);
  folder_.write("selftest/selftest.json", self_test);
  const Answer answer = claims("");
  EXPECT_THAT(answer.text, HasSubstr("undecided: slides/harris-ladder"));
  EXPECT_THAT(answer.text, HasSubstr("NVIDIA Test: a ratio counts from 8.0 % on within a run"));
  // Of other measuring code it says nothing.
  Record stale = fresh("reduce/harris1", 1.0);
  stale["measured_by"] = "5678";
  folder_.write("selftest/a/records.jsonl", line_of(stale) + "\n");
  EXPECT_THAT(claims("").text, HasSubstr("holds: slides/harris-ladder"));
}

TEST(ClaimsCommandLine, WhatIsNotThereIsNamed) {
  EXPECT_THAT(redbench("claims").text, HasSubstr("the folder of a run, or one above, is missing"));
  EXPECT_THAT(redbench("claims nowhere").text, HasSubstr("nowhere: no such folder"));
  EXPECT_THAT(redbench("claims results -b martin-ordr").text, HasSubstr("did you mean `martin-order`?"));
  EXPECT_THAT(redbench("claims results/h200 -d H200").text, HasSubstr("--device H200: no record is of it"));
}

TEST(ClaimsCommandLine, TheCommittedResultsAreAskedEveryClaim) {
  const Answer answer = redbench("claims results/h200 --json");
  EXPECT_EQ(answer.exit_code, exit_fine);
  const Json json = Json::parse(answer.text);
  EXPECT_EQ(json["claims"].size(), read_all_claims({}).size());
  for (const Json& claim : json["claims"])
    EXPECT_FALSE(claim["why"].get<std::string>().empty()) << claim["id"];
}

TEST_F(ClaimsCommand, TextIsAsWideAsItIsAsked) {
  write_run("test", falling, claimed_n);
  const std::string file = folder_.write("claims.json", R"({"title": "A paper", "claims": [
    {"id": "pace", "source": "Table 1", "sentence": "The kernel harris3 is faster than harris2 at each size, by µs.",
     "tests": [{"kind": "ordering", "configs": ["slides/table"], "at": ["n"],
                "of": [{"variant": "harris3"}, {"variant": "harris2"}]}]}]})");
  const auto claims_of = [&](const std::string& more) {
    return redbench("claims " + folder_.path() + "/test --from " + file + " " + more).text;
  };
  EXPECT_EQ(claims_of("--width 40"),
            "undecided: claims/pace\n"
            "  The kernel harris3 is faster than\n"
            "  harris2 at each size, by µs. (Table\n"
            "  1)\n"
            "  no record of configs/slides/table.json\n"
            "\n"
            "0 hold, 0 do not hold, 1 undecided\n"
            "Without a self-test of the hardware it\n"
            "is 1 %.\n");
  const std::string json = claims_of("--json");
  EXPECT_THAT(json, HasSubstr("by µs."));
  EXPECT_EQ(json, Json::parse(json).dump(1) + '\n');
}

// A number that is no ratio may have bounds of 0 and less.
TEST(ClaimBounds, AreToldByTheirText) {
  const auto text = [](std::optional<double> above, std::optional<double> below,
                       std::optional<double> equals) {
    return Bounds{.above = above, .below = below, .equals = equals}.text();
  };
  EXPECT_EQ(text({}, {}, {}), "");
  EXPECT_EQ(text(1.25, {}, {}), "> 1.25");
  EXPECT_EQ(text({}, -3, {}), "< -3");
  EXPECT_EQ(text(0.5, 7, {}), "0.5 to 7");
  EXPECT_EQ(text({}, {}, 0.125), "= 0.125");
  EXPECT_EQ(text(1, 2, 3), "= 3");
}

}  // namespace
}  // namespace redbench
