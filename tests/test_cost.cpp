// What a plan is expected to take, and what of that a run shows while it goes on.
#include <gmock/gmock.h>
#include <pty.h>

#include "src/cli/flags.hpp"
#include "src/plan/cost.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

class Costs : public testing::Test {
 protected:
  /// Of `variant` on n values, in seconds.
  double seconds(const std::string& variant, Index n, const CostFacts& facts) {
    return seconds_of(costs_of(plan(variant, n, "sum"), facts));
  }
  Plan plan(const std::string& variant, Index n, const std::string& op) {
    Config config;
    config.experiments.push_back(
        {"", "reduce", {variant}, {{"n", {n}}, {"type", {"i32"}}, {"operator", {op}}}});
    return make_plan(config, open_.devices());
  }

  static CostFacts facts(double flush_s, double timeout_s = 1000) {
    CostFacts facts{.flush_s = flush_s, .measure = {}};
    facts.measure.max_samples = 20;
    facts.measure.timeout_s = timeout_s;
    return facts;
  }

  OpenDevices open_{"simt:h200"};
};

TEST_F(Costs, TheHostsColdFlushCounts) {
  EXPECT_LT(seconds("cpu_serial", 1024, facts(0)), 0.1);
  EXPECT_GT(seconds("cpu_serial", 1024, facts(0.1)), 20 * 0.1) << "one before each sample of the case";
  CostFacts warm = facts(0.1);
  warm.measure.modes = {Mode::warm};
  EXPECT_LT(seconds("cpu_serial", 1024, warm), 0.1);
  EXPECT_LT(seconds("harris3", 1024, facts(0.1)), 0.1) << "the modelled device has no caches to flush";
}

TEST_F(Costs, TheTimeoutBoundsTheSamples) {
  EXPECT_LT(seconds("cpu_serial", 1024, facts(0.1, 0.5)), seconds("cpu_serial", 1024, facts(0.1)) - 3);
}

TEST_F(Costs, GrowWithTheInput) {
  for (const char* variant : {"harris3", "cpu_serial"})
    EXPECT_GT(seconds(variant, 1 << 24, facts(0)), 10 * seconds(variant, 1 << 20, facts(0)) / 2) << variant;
}

TEST_F(Costs, CheckingAloneTakesNoSamples) {
  CostFacts checks = facts(0.1);
  checks.timing = false;
  EXPECT_LT(seconds("cpu_serial", 1024, checks), 0.1);
}

TEST_F(Costs, OnlyTheFirstProcessJudgesOtherValues) {
  const auto in_forks = [&](const char* op, int forks) {
    MeasureOptions options = facts(0).measure;
    options.modes = {Mode::warm};
    options.forks = forks;
    return seconds_of(plan("cpu_serial", 1 << 22, op), options, open_.devices());
  };
  const double other_values = in_forks("min", 1) - in_forks("sum", 1);
  EXPECT_GT(other_values, 0.1) << "a minimum hides values";
  EXPECT_NEAR(in_forks("min", 5), 5 * in_forks("sum", 1) + other_values, 1e-6);
}

TEST_F(Costs, ARefusedCaseCostsNothing) { EXPECT_EQ(seconds("cub", 1 << 30, facts(0.1)), 0); }

/// What `redbench ARGUMENTS` writes to a terminal.
std::string on_terminal(const std::string& arguments, const char* variable, const char* value) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
    ::setenv(variable, value, 1);
    ::execl("/bin/sh", "sh", "-c", (std::string(REDBENCH_BINARY " ") + arguments).c_str(), nullptr);
    ::_exit(127);
  }
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(terminal, part.data(), part.size())) > 0;)
    text.append(part.data(), std::size_t(count));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST(ProgressOnATerminal, IsRedrawnUnlessPlainTextIsAskedFor) {
  const TemporaryFolder folder;
  const std::string run = "run " REDBENCH_SOURCE_DIR
                          "/configs/martin2012/table4.json -d simt:gtx480 -a n=1Ki -o " +
                          folder.path() + "/out";
  const std::string redrawn = on_terminal(run, "TERM", "xterm");
  EXPECT_THAT(redrawn, HasSubstr("\r\033[K["));
  EXPECT_THAT(redrawn, HasSubstr(" left  inputs"));
  EXPECT_THAT(redrawn, Not(HasSubstr("\033[31m"))) << "nothing has failed";
  for (const auto& [variable, value] : {std::pair("TERM", "dumb"), {"NO_COLOR", "1"}})
    EXPECT_THAT(on_terminal(run, variable, value), Not(HasSubstr("\033"))) << variable;
}

}  // namespace
}  // namespace redbench
