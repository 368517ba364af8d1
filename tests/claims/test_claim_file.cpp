// Files of claims, those that come with the program, and `redbench claims`.
#include "src/claims/claim_file.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/claims/claim_support.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

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
    return R"("kind": "ratio", "configs": ["martin2012/fig4"], )"
           R"("of": {"variant": "tb2"}, "to": {"variant": "matrix"})" +
           more;
  }

  TemporaryFolder folder_;
};

TEST_F(ClaimFile, IsReadWithSizesAsNumbers) {
  const std::vector<Claim> claims =
      read(R"({"title": "Some paper", "claims": [{"id": "a-1", "source": "Fig. 1",
    "sentence": "b is slower", "tests": [
      {"kind": "ratio", "configs": ["martin2012/fig4"], "where": {"n": "[16Mi:18Mi:1Mi]"}, "at": ["n"],
       "name": "slower", "worst": ["values"],
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
  EXPECT_EQ(first.name, "slower");
  EXPECT_THAT(first.worst, testing::ElementsAre("values"));
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
  const std::string fig4 = R"("configs": ["martin2012/fig4"], )";
  std::string text;
  for (const std::string& members :
       {ratio(R"(, "above": 1, "ovr": "mean")"), ratio(""), ratio(R"(, "above": 1, "x": "n")"),
        fig4 + R"("kind": "ratio", "of": {}, "above": 1)", ratio(R"(, "above": 1, "at": ["nn"])"),
        ratio(R"(, "above": 1, "quantity": "time_nss")"),
        ratio(R"(, "above": 1, "quantity": "percent_of_ceiling")"), ratio(R"(, "equals": 1)"),
        ratio(R"(, "above": 2, "below": 2)"), ratio(R"(, "below": 0)"),
        fig4 + R"("kind": "step", "of": {}, "x": "n", "above": 0)",
        fig4 + R"("kind": "ordering", "of": {"variant": "tb2"})",
        fig4 + R"("kind": "ordering", "of": [{"variant": "tb22"}, {"variant": "tb2"}])",
        std::string(R"("kind": "ordering", "configs": ["martin2012/fig44"], "of": [{}, {}])"),
        ratio(R"(, "above": "1")")})
    text += members + "\n    " + error_of_test(members) + '\n';
  if (const std::string root = REDBENCH_SOURCE_DIR "/"; text.find(root) != text.npos)
    text.erase(text.find(root), root.size());
  expect_golden("claims/mistakes.txt", text);
}

TEST_F(ClaimFile, ARunOfProfileIsOfAConfig) {
  EXPECT_EQ(config_path("martin2012/table3"), "configs/martin2012/table3.json");
  EXPECT_EQ(config_path("profile/martin2012/table3"), "configs/martin2012/table3.json");
}

TEST_F(ClaimFile, AnIdIsThatOfOneClaim) {
  const std::string claim = R"({"id": "a", "source": "s", "sentence": "w", "tests": [
      {"kind": "value", "configs": ["slides/table"], "of": {}, "quantity": "passes", "equals": 1}]})";
  EXPECT_THAT(usage_error([&] { read(R"({"title": "t", "claims": [)" + claim + "," + claim + "]}"); }),
              HasSubstr("$.claims[1].id: $.claims[0] has this id, too"));
  const std::string one = folder_.write("one/paper.json", R"({"title": "t", "claims": [)" + claim + "]}"),
                    two = folder_.write("two/paper.json", R"({"title": "t", "claims": [)" + claim + "]}");
  EXPECT_THAT(usage_error([&] { read_all_claims({one, two}); }),
              HasSubstr("two/paper.json: another file of this name has the claim `a`, too"));
}

TEST(OwnClaims, TheCommittedSchemaIsThePrintedOne) {
  const auto text_of = [](const std::string& path) {
    return text_in(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
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

TEST_F(ClaimsCommand, SaysWhatHoldsAndWritesFiles) {
  write_runs(falling);
  const TemporaryFolder out;
  const Answer answer =
      claims("--fail-on-claim --json " + out.path() + "/c.json --md " + out.path() + "/c.md");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, testing::StartsWith("slides/harris-ladder\n  Each "));
  EXPECT_THAT(
      answer.text,
      HasSubstr("hold\n  holds\n\n1 hold, 0 hold in part, 0 do not hold, 0 undecided, 0 not measured\n"));
  const Json claim = Json::parse(out.read("c.json"))["claims"][0];
  ASSERT_EQ(claim["parts"].size(), 8u);
  EXPECT_EQ(claim["parts"][0]["what"], "harris4 / harris5 at n 16Mi");
  EXPECT_EQ(claim["parts"][0]["records"][0], folder_.path() + "/slides/table#reduce/harris4 n=16777216");
  EXPECT_THAT(out.read("c.md"), HasSubstr("| harris-ladder | Each "));
  EXPECT_THAT(claims("--json " + out.path() + "/c.json --md " + out.path() + "/c.json").text,
              HasSubstr("the file of --json"));
}

TEST_F(ClaimsCommand, ExitCodesAreAskedFor) {
  write_runs({5, 4, 2, 3, 1});
  EXPECT_EQ(claims("").exit_code, exit_fine);
  EXPECT_EQ(claims("--fail-on-claim").exit_code, exit_failed);
  write_run("slides/table", falling, claimed_n);
  EXPECT_THAT(claims("").text, HasSubstr("\n  holds in part\n"));
  EXPECT_EQ(claims("--fail-on-claim").exit_code, exit_failed);
  std::filesystem::remove_all(folder_.path() + "/sizmann2023");
  const Answer undecided = claims("");
  EXPECT_EQ(undecided.exit_code, exit_fine);
  EXPECT_THAT(undecided.text, HasSubstr("\n  undecided\n"));
  EXPECT_THAT(undecided.text, HasSubstr("no record of configs/sizmann2023/table3.1.json"));
  EXPECT_EQ(claims("--fail-on-claim").exit_code, exit_undecided);
}

TEST_F(ClaimsCommand, ADamagedRunIsReportedAndHidesNoOther) {
  write_runs(falling);
  folder_.write("broken/run.json", "{");
  folder_.write("broken/records.jsonl", "");
  const Answer answer = claims("");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("broken/run.json"));
  EXPECT_THAT(answer.text, HasSubstr("\n  holds\n"));
}

TEST(ClaimsCommandLine, TheCommittedResultsAreAskedEveryClaim) {
  const Answer answer = redbench("claims results/h200 --json");
  EXPECT_EQ(answer.exit_code, exit_fine);
  const Json json = Json::parse(answer.text);
  EXPECT_EQ(json["claims"].size(), read_all_claims({}).size());
  for (const Json& claim : json["claims"])
    EXPECT_FALSE(claim["why"].get<std::string>().empty()) << claim["id"];
}

}  // namespace
}  // namespace redbench
