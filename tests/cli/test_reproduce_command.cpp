// redbench reproduce: what it prints, and what it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "src/shell.hpp"
#include "tests/golden.hpp"
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

  TemporaryFolder folder_;
};

/// Without the seconds that runs take, or are planned to take by the cores and caches of this machine: in a
/// column that ends two blanks before the next, and in the last line of a plan.
std::string without_seconds(const std::string& text) {
  std::string masked;
  std::istringstream lines(text);
  std::size_t end = 0;
  for (std::string line; std::getline(lines, line); masked += line + '\n') {
    if (const std::size_t at = line.find("(s)  "); at != line.npos) end = at + 3;
    if (end == 0 || !line.starts_with("slides/") || line.size() < end || line[end - 1] == ' ') continue;
    EXPECT_TRUE(std::regex_match(line.substr(end - 4, 4), std::regex(" *[1-9][0-9]*"))) << line;
    line.replace(end - 4, 4, "   #");
  }
  return std::regex_replace(masked, std::regex("( cases; ).*"), "$1#");
}

// Of two figures one is a part of the other, one is of times alone, one is refused where it runs, one is
// wrong, and first, so that the code of the last is not that of all.
TEST_F(ReproduceOnTheCommandLine, SaysOfEachConfigWhatBecameOfIt) {
  write("counts2", {"harris1", "shuffle_block_atomic"}, counters());
  write("counts10", "harris1", counters());
  write("graph", "cpu_serial", {{"mode", "graph"}});
  write("times", "harris4", Json::object());
  write("a_wrong", {"harris2", "wrong_zero"}, counters());
  folder_.write("configs/slides/broken.json", "{");
  const std::string options = "-d simt:gtx480 --no-report --precision quick";
  const Answer plan = reproduce(options + " --dry-run", REDBENCH_WRONG_BINARY);
  EXPECT_EQ(plan.exit_code, exit_usage);
  EXPECT_FALSE(fs::exists(folder_.path() + "/out")) << "nothing is run";
  const Answer run = reproduce(options + " -q", REDBENCH_WRONG_BINARY);
  EXPECT_EQ(run.exit_code, exit_wrong);
  expect_golden("cli/reproduce.txt", "With --dry-run:\n" + without_seconds(plan.text) + "\nWithout:\n" +
                                         without_seconds(run.text));
  for (const std::string name : {"counts2", "counts10", "a_wrong"})
    for (const std::string& file :
         {std::string("records.jsonl"), std::string("run.json"), "tables/" + name + ".md"})
      EXPECT_TRUE(fs::exists(folder_.path() + "/out/slides/" + name + "/" + file)) << name << ' ' << file;
  EXPECT_FALSE(fs::exists(folder_.path() + "/out/slides/graph/records.jsonl")) << "what cannot run is no run";

  EXPECT_EQ(reproduce(options, REDBENCH_WRONG_BINARY).exit_code, exit_wrong)
      << "what is there is wrong still";
}

// Nothing is begun after the figure that is interrupted, and no report is made.
TEST_F(ReproduceOnTheCommandLine, AnInterruptionEndsItAndSaysHowToGoOn) {
  write("a", "harris1", counters(), {"1Ki", "2^26"});
  write("b", "harris1", counters());
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  RunningProgram running(
      "reproduce slides --out out -d simt:gtx480 --precision paper --no-report -q > printed.txt 2>&1");
  running.wait_for("out/slides/a/records.jsonl", 1);
  const int status = running.end_with(SIGINT);
  fs::current_path(before);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
  EXPECT_EQ(lines_of(folder_.path() + "/printed.txt"),
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
  EXPECT_THAT(run.text, StartsWith("slides/a (1 of 1; less than a second left)\n"
                                   "the plots of slides/a\n"
                                   "the claims\n"
                                   "the claims: out/claims.md\n"
                                   "the report of slides\n"
                                   "the report of slides: out/slides/report.html\n"
                                   "      "));
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/claims.json"));
}

TEST_F(ReproduceWithAnotherPython, AStepThatFailsIsPrintedWithItsCommand) {
  write("a", "harris1", counters(), "1Ki", {{{"name", "x"}, {"x", "n"}, {"y", "sectors"}, {"ladder", true}}});
  write_python("nothing", 3);
  const Answer modelled = reproduce("-d simt:gtx480 --precision quick", program_);
  EXPECT_EQ(modelled.exit_code, exit_failed) << modelled.text;
  EXPECT_THAT(modelled.text,
              HasSubstr("\nredbench: the plots of slides/a failed with exit code 3; `redbench doctor` "
                        "says whether Python has what it takes: " +
                        shell_quoted(python_) + " "));
  EXPECT_THAT(
      modelled.text,
      HasSubstr("\nredbench: the steps of slides/a failed with exit code 2; `redbench why --help` says "
                "what it counts: " +
                shell_quoted(program_) + " 'why' 'configs/slides/a.json' '--device' 'simt:gtx480' "))
      << "which needs two kernels";
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
}

}  // namespace
}  // namespace redbench
