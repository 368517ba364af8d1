// `redbench reproduce` on the command line: all that it prints, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "src/records/columns.hpp"
#include "src/shell.hpp"
#include "tests/compare_support.hpp"
#include "tests/run_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

/// In a folder whose configs/slides come before those of the program.
class ReproduceOnTheCommandLine : public testing::Test {
 protected:
  void write(const std::string& name, const Json& variants, const Json& measure, const Json& n = "1Ki",
             const Json& plots = Json::array()) const {
    folder_.write(
        "configs/slides/" + name + ".json",
        Json{{"experiments", {{{"problem", "reduce"}, {"variants", variants}, {"axes", {{"n", n}}}}}},
             {"measure", measure},
             {"plots", plots}}
            .dump());
  }
  Answer reproduce(const std::string& arguments, const std::string& program = REDBENCH_BINARY) const {
    return answer_of(program, "reproduce slides --out out --width 0 " + arguments, folder_.path());
  }
  static Json counters() { return {{"counters", true}}; }

  /// Of the files below a folder, their paths in it.
  std::vector<std::string> files_in(const std::string& folder) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/" + folder))
      if (entry.is_regular_file())
        files.push_back(entry.path().lexically_relative(folder_.path() + "/" + folder).generic_string());
    std::sort(files.begin(), files.end());
    return files;
  }

  TemporaryFolder folder_;
};

constexpr const char* syntax_error =
    "configs/slides/broken.json: line 1, column 2: syntax error while parsing object key - unexpected end of "
    "input; "
    "expected string literal";

/// The seconds that a run took, in a column that ends so many characters into a line.
std::string without_seconds(const std::string& text, std::size_t end) {
  std::string masked;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("slides/") && line.size() >= end) {
      EXPECT_TRUE(std::regex_match(line.substr(end - 4, 4), std::regex(" *[1-9][0-9]*|    "))) << line;
      if (line[end - 1] != ' ') line.replace(end - 4, 4, "   #");
    }
    masked += line + '\n';
  }
  return masked;
}

// Of two figures one is a part of the other, one is of times alone, one is refused where it runs, one is
// wrong.
TEST_F(ReproduceOnTheCommandLine, SaysOfEachConfigWhatBecameOfIt) {
  write("counts2", {"harris1", "shuffle_block_atomic"}, counters());
  write("counts10", "harris1", counters());
  write("graph", "cpu_serial", {{"mode", "graph"}});
  write("times", "harris4", Json::object());
  write("wrong", {"harris2", "wrong_zero"}, counters());
  folder_.write("configs/slides/broken.json", "{");
  const std::string options = "-d simt:gtx480 --no-report --precision quick";
  const Answer plan = reproduce(options + " --dry-run", REDBENCH_WRONG_BINARY);
  EXPECT_EQ(plan.exit_code, exit_usage);
  EXPECT_EQ(
      plan.text,
      "On simt:gtx480 (gtx480), precision quick: enough to see that all works: at most 10 samples of a case, "
      "2^18 elements on a modelled device, on the CPU alone, and with labels; configs of more than a minute "
      "are "
      "left.\n\n"
      "                                                    time\n"
      "config                      cases  refused  shared   (s)  note\n"
      "--------------------------  -----  -------  ------  ----  " +
          std::string(std::string(syntax_error).size(), '-') +
          "\n"
          "configs/slides/broken.json                                " +
          syntax_error +
          "\n"
          "slides/counts2                  2        1             1\n"
          "slides/counts10                 1                1\n"
          "slides/graph                    1                      1\n"
          "slides/times                                              left: it is of times alone, which take "
          "a GPU\n"
          "slides/wrong                    2                      1\n\n"
          "6 configs, 6 cases; less than a second\n");
  EXPECT_FALSE(fs::exists(folder_.path() + "/out")) << "nothing is run";

  const Answer run = reproduce(options + " -q", REDBENCH_WRONG_BINARY);
  const std::string table =
      "                                              not                   time  exit\n"
      "config                      cases  passed  passed  refused  shared   (s)  code  note\n"
      "--------------------------  -----  ------  ------  -------  ------  ----  ----  " +
      std::string(std::string(syntax_error).size(), '-') +
      "\n"
      "configs/slides/broken.json                                                   2  " +
      syntax_error +
      "\n"
      "slides/counts2                  2       1                1             #     0\n"
      "slides/counts10                 1       1                        1     #     0\n"
      "slides/graph                                                           #     2  nothing can run: the "
      "one case "
      "is refused, reduce/cpu_serial: mode graph: only CUDA has graphs, not host\n"
      "slides/times                                                                 0  left: it is of times "
      "alone, "
      "which take a GPU\n"
      "slides/wrong                    2       1       1                      #     4\n\n"
      "records and tables are in out\n";
  EXPECT_EQ(run.exit_code, exit_wrong);
  EXPECT_EQ(without_seconds(run.text, 72), table) << run.text;
  for (const std::string name : {"counts2", "counts10", "wrong"})
    EXPECT_EQ(files_in("out/slides/" + name),
              (std::vector<std::string>{"records.jsonl", "run.json", "tables/" + name + ".csv",
                                        "tables/" + name + ".md"}));
  EXPECT_FALSE(fs::exists(folder_.path() + "/out/slides/graph/records.jsonl")) << "what cannot run is no run";

  const Answer again = reproduce(options, REDBENCH_WRONG_BINARY);
  EXPECT_EQ(again.exit_code, exit_wrong);
  EXPECT_THAT(again.text, StartsWith("slides/counts2 (1 of 4; less than a second left)\n"
                                     "slides/wrong (2 of 4; less than a second left)\n"
                                     "slides/counts10 (3 of 4; less than a second left)\n"
                                     "slides/graph (4 of 4; less than a second left)\n"
                                     "      "));
}

TEST_F(ReproduceOnTheCommandLine, OneConfigOfOneCaseIsCountedAsSuch) {
  write("a", "harris1", counters());
  const Answer plan = reproduce("-d simt:gtx480 --dry-run --precision paper");
  EXPECT_EQ(plan.exit_code, exit_fine);
  EXPECT_EQ(plan.text,
            "On simt:gtx480 (gtx480), precision paper: as the configs say: most cells in three or five "
            "processes, 200 "
            "samples of a case.\n\n"
            "                                  time\n"
            "config    cases  refused  shared   (s)  note\n"
            "--------  -----  -------  ------  ----  ----\n"
            "slides/a      1                      1\n\n"
            "1 config, 1 case; less than a second\n");
}

// On one core, by the constants of src/plan/cost.cpp: harris1 has 2^20 + 4096 + 256 threads of 0.3 µs and
// 2^20 inputs of 0.1 µs, four times as long as they are counted; the inputs take 0.02 µs each to be made.
TEST_F(ReproduceOnTheCommandLine, FromASecondOnATimeIsAboutThat) {
  write("a", "harris1", counters(), "2^20");
  const Answer plan =
      reproduce("-d simt:gtx480 --dry-run --precision paper", "env OMP_NUM_THREADS=1 " REDBENCH_BINARY);
  EXPECT_EQ(plan.exit_code, exit_fine);
  EXPECT_THAT(plan.text, testing::EndsWith("config    cases  refused  shared   (s)  note\n"
                                           "--------  -----  -------  ------  ----  ----\n"
                                           "slides/a      1                      2\n\n"
                                           "1 config, 1 case; about 2 s\n"));
}

// What is in the way of one figure takes none of the time that is left.
TEST_F(ReproduceOnTheCommandLine, TheTimeLeftIsWithoutWhatCouldNotBeMade) {
  write("a", "harris1", counters(), "2^24");
  write("b", "harris1", counters());
  folder_.write("out/slides/a/mine.txt", "");
  const Answer run = reproduce("-d simt:gtx480 --no-report --precision paper");
  EXPECT_EQ(run.exit_code, exit_usage);
  EXPECT_THAT(run.text, testing::ContainsRegex("^slides/a \\(1 of 2; about [0-9.]+ (s|min|h) left\\)\n"
                                               "slides/b \\(2 of 2; less than a second left\\)\n"));
  EXPECT_THAT(run.text,
              HasSubstr("     2  out/slides/a: holds `mine.txt` and no run.json, so it is no run of redbench "
                        "that may be replaced; choose another folder with --out\n"));
}

// A run of the config as it is written is gone on with at its sizes, unless it is to be replaced.
TEST_F(ReproduceOnTheCommandLine, ARunThatIsThereKeepsItsSizesUnlessItIsReplaced) {
  write("a", "harris1", counters(), "2^28");
  Json facts = run_of("a", {}).facts;
  facts["config"] = {{"experiments", load_config(folder_.path() + "/configs/slides/a.json", Target::simt, {},
                                                 record_columns())
                                         .resolved["experiments"]}};
  folder_.write("out/slides/a/run.json", facts.dump());
  const std::string options = "-d simt:gtx480 --dry-run --precision quick";
  const std::string at_once =
      "\nslides/a      1                      1\n\n1 config, 1 case; less than a second\n";
  EXPECT_THAT(reproduce(options).text, testing::Not(HasSubstr(at_once))) << "2^28 elements";
  EXPECT_THAT(reproduce(options + " --replace").text, HasSubstr(at_once)) << "2^18 elements";
}

// Nothing is begun after the figure that is interrupted, and no report is made.
TEST_F(ReproduceOnTheCommandLine, AnInterruptionEndsItAndSaysHowToGoOn) {
  write("a", "harris1", counters(), {"1Ki", "2^26"});
  write("b", "harris1", counters());
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  RunningProgram running(
      "reproduce slides --out out -d simt:gtx480 --precision paper --no-report -q > said.txt 2>&1");
  running.wait_for("out/slides/a/records.jsonl", 1);
  const int status = running.end_with(SIGINT);
  fs::current_path(before);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
  EXPECT_EQ(lines_of(folder_.path() + "/said.txt"),
            std::vector<std::string>{"interrupted; the same command goes on"});
  EXPECT_FALSE(fs::exists(folder_.path() + "/out/slides/b"));
}

/// The program and what it takes from its own folder, where Python is a few lines of shell.
class ReproduceWithAnotherPython : public ReproduceOnTheCommandLine {
 protected:
  ReproduceWithAnotherPython() {
    folder_.write("bin/none", "");
    fs::copy_file(REDBENCH_BINARY, program_);
    folder_.write("share/redbench/kernels/variant.hpp", "");
  }
  /// What it answers of the packages that are missing, and its exit code for plots.
  void write_python(const std::string& lacks, int plots) const {
    folder_.write("share/redbench/.venv/bin/python", "#!/bin/sh\ncase $1 in -c) echo " + lacks +
                                                         ";; *make_plots.py) exit " + std::to_string(plots) +
                                                         ";; esac\n");
    fs::permissions(python_, fs::perms::owner_all);
  }
  const std::string program_ = folder_.path() + "/bin/redbench";
  const std::string share_ = folder_.path() + "/share/redbench", python_ = share_ + "/.venv/bin/python";
};

// What a step left is named when its stage has ended, before the next begins.
TEST_F(ReproduceWithAnotherPython, EachStepIsNamedInItsOrder) {
  write("a", "harris1", counters());
  write_python("nothing", 0);
  fs::copy(REDBENCH_SOURCE_DIR "/configs", share_ + "/configs", fs::copy_options::recursive);
  const Answer run = reproduce("-d simt:gtx480 --precision quick", program_);
  EXPECT_EQ(run.exit_code, exit_fine) << run.text;
  EXPECT_EQ(without_seconds(run.text, 54),
            "slides/a (1 of 1; less than a second left)\n"
            "the plots of slides/a\n"
            "the claims\n"
            "the claims: out/claims.md\n"
            "the report of slides\n"
            "the report of slides: out/slides/report.html\n"
            "                            not                   time  exit\n"
            "config    cases  passed  passed  refused  shared   (s)  code  note\n"
            "--------  -----  ------  ------  -------  ------  ----  ----  ----\n"
            "slides/a      1       1                              #     0\n\n"
            "records and tables are in out\n")
      << run.text;
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/claims.json"));
}

TEST_F(ReproduceWithAnotherPython, AStepThatFailsIsToldWithItsCommand) {
  write("a", "harris1", counters(), "1Ki", {{{"name", "x"}, {"x", "n"}, {"y", "sectors"}, {"ladder", true}}});
  write_python("nothing", 3);
  const Answer modelled = reproduce("-d simt:gtx480 --precision quick", program_);
  EXPECT_EQ(modelled.exit_code, exit_failed) << modelled.text;
  const auto quoted = [&](const std::string& words) {
    std::string all;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) all += (all.empty() ? "" : " ") + shell_quoted(word);
    return all;
  };
  EXPECT_THAT(
      modelled.text,
      HasSubstr(
          "\nredbench: the plots of slides/a failed with exit code 3; `redbench doctor` says whether "
          "Python has what it takes: " +
          quoted(python_ + " " + share_ + "/scripts/make_plots.py --redbench " + program_ + " out/slides/a") +
          " > '/dev/null'\n"));
  const auto steps = [&](const std::string& model) {
    return "\nredbench: the steps of slides/a failed with exit code 2; `redbench why --help` says what it "
           "counts: " +
           quoted(program_ + " why configs/slides/a.json --device " + model +
                  " --results out/slides/a --json") +
           " > 'out/slides/a/why.json'\n";
  };
  EXPECT_THAT(modelled.text, HasSubstr(steps("simt:gtx480"))) << "which needs two kernels";
  write("a", "cpu_serial", {{"mode", "warm"}}, "1Ki",
        {{{"name", "x"}, {"x", "n"}, {"y", "time_ns"}, {"ladder", true}}});
  EXPECT_THAT(reproduce("-d host --precision quick --replace", program_).text, HasSubstr(steps("simt")));
}

// No step begins after the stage of one that was interrupted.
TEST_F(ReproduceWithAnotherPython, AnInterruptedStepEndsIt) {
  write("a", "harris1", counters());
  write_python("nothing", exit_interrupted);
  const Answer run = reproduce("-d simt:gtx480 --precision quick", program_);
  EXPECT_EQ(run.exit_code, exit_interrupted);
  EXPECT_EQ(run.text,
            "slides/a (1 of 1; less than a second left)\n"
            "the plots of slides/a\n"
            "interrupted; the same command goes on\n");
}

TEST_F(ReproduceWithAnotherPython, WithoutItsPackagesOnlyWithoutAReport) {
  write("a", "harris1", counters());
  write_python("jinja2", 0);
  const Answer refused = reproduce("-d simt:gtx480 --precision quick", program_);
  EXPECT_EQ(refused.exit_code, exit_usage);
  EXPECT_EQ(refused.text,
            "redbench: " + python_ +
                " has no jinja2, so that neither plots nor reports could be made: python3 -m venv plots "
                "&& plots/bin/pip install -r " +
                shell_quoted(share_ + "/scripts/requirements.txt") + "; or --no-report\n");
  const Answer run = reproduce("-d simt:gtx480 --precision quick --no-report -q", program_);
  EXPECT_EQ(run.exit_code, exit_fine) << run.text;
  EXPECT_EQ(without_seconds(run.text, 54),
            "                            not                   time  exit\n"
            "config    cases  passed  passed  refused  shared   (s)  code  note\n"
            "--------  -----  ------  ------  -------  ------  ----  ----  ----\n"
            "slides/a      1       1                              #     0\n\n"
            "records and tables are in out\n");
}

}  // namespace
}  // namespace redbench
