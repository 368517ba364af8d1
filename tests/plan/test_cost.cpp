// What a plan is expected to take, and what of that a run shows while it goes on.
#include <gmock/gmock.h>

#include <ctime>
#include <optional>

#include "src/cli/flags.hpp"
#include "src/config/resolved.hpp"
#include "src/plan/cost.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_folder.hpp"
#include "src/reproduce/papers.hpp"
#include "src/reproduce/precision.hpp"
#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

double seconds_between(const std::string& start, const std::string& end) {
  const auto seconds = [](const std::string& text) {
    std::tm parts{};
    ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return double(::timegm(&parts));
  };
  return seconds(end) - seconds(start);
}

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

// On one core the fastest of eight ways to read is found in 8 + 4 + 4 + 4 + 4 samples, a copy and a write
// have one way, and five samples each; then come 21 rounds of the case, an empty sample and three movers.
TEST_F(Costs, EachSampleOfTheHostIsFlushedOnceTrialsAmongThem) {
  EXPECT_NEAR(seconds("cpu_serial", 1024, facts(1)) - seconds("cpu_serial", 1024, facts(0)),
              (24 + 2 * 5) + 21 * (1 + 4), 1e-6);
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

TEST_F(Costs, WhatNoThreadDoesTakesNoTime) {
  Plan nothing = plan("harris3", 1024, "sum");
  Case& one = nothing.cells.at(0).cases.at(0);
  one.footprint.launches.clear();
  one.input.n = 0;
  const CellCost cost = costs_of(nothing, facts(0)).at(0);
  EXPECT_EQ(cost.parts.back().kind, "simt");
  EXPECT_EQ(cost.parts.back().seconds, 0);
}

/// As if the plan of a modelled GPU were a GPU's, which no machine needs to have.
Plan on_gpu(Plan plan) {
  for (Cell& cell : plan.cells)
    for (Case& one : cell.cases)
      if (!one.variant->on_host()) one.device = "cuda:0";
  return plan;
}

TEST_F(Costs, FewThreadsTakeUpLabelsSlowly) {
  Config config;
  config.experiments.push_back({"",
                                "multireduce",
                                {"global_transposed"},
                                {{"n", {1 << 24}},
                                 {"type", {"i32"}},
                                 {"operator", {"sum"}},
                                 {"m", {16}},
                                 {"block", {384}},
                                 {"blocks", {2, 264}}}});
  const Plan both = on_gpu(make_plan(config, open_.devices()));
  ASSERT_EQ(both.cells.size(), 1u);
  ASSERT_EQ(both.cells[0].cases.size(), 2u);
  std::vector<double> seconds;
  for (const Case& one : both.cells[0].cases) {
    CostFacts gpu = facts(0);
    gpu.multiprocessors = 132;
    const std::vector<CellCost> costs =
        costs_of(Plan{{{both.cells[0].problem, both.cells[0].input, {one}}}}, gpu);
    seconds.push_back(costs[0].parts.back().seconds);
  }
  EXPECT_GT(seconds[0], 3 * seconds[1]) << "2 blocks of 384 threads against 264";
}

// 2^27 bytes of values and labels in steps of 8, each of a microsecond, among the threads that are resident:
// 132 multiprocessors with one block of 384 each, or with two, which are all 264.
TEST_F(Costs, ResidentBlocksOfAllMultiprocessorsTakeUpLabels) {
  Config config;
  config.experiments.push_back({"",
                                "multireduce",
                                {"global_transposed"},
                                {{"n", {1 << 24}}, {"type", {"i32"}}, {"operator", {"sum"}}, {"m", {16}}}});
  Plan plan = on_gpu(make_plan(config, open_.devices()));
  CostFacts gpu = facts(0);
  gpu.multiprocessors = 132;
  const auto with = [&](int resident_blocks) {
    for (LaunchFacts& launch : plan.cells.at(0).cases.at(0).footprint.launches) {
      launch.grid.blocks = 264;
      launch.grid.threads = 384;
      launch.resident_blocks = resident_blocks;
    }
    return seconds_of(costs_of(plan, gpu));
  };
  const double of_one = 1e-6 * (1 << 24) / (132 * 384);
  EXPECT_NEAR(with(1) - with(2), 21 * of_one / 2, 1e-9) << "in 21 rounds";
  EXPECT_NEAR(with(2), with(3), 1e-12) << "there are no more blocks";
}

/// What a run of one kernel, of one CPU algorithm, and of one with labels is expected to take.
struct Expected {
  double gpu, host, labels;
};

TEST_F(Costs, EachOptionOfMeasureChangesTheTimeOfWhatItIsAbout) {
  Config config;
  config.experiments.push_back({"",
                                "multireduce",
                                {"cpu_sequential"},
                                {{"n", {1 << 16}}, {"type", {"i32"}}, {"operator", {"sum"}}, {"m", {16}}}});
  const Plan on_host = plan("cpu_serial", 1 << 16, "sum"), labels = make_plan(config, open_.devices());
  const Plan gpu = on_gpu(plan("harris3", 1 << 16, "sum"));
  const auto expected = [&](const MeasureOptions& measure) {
    const auto of = [&](const Plan& plan) {
      CostFacts facts = cost_facts(plan, measure, true, open_.devices());
      facts.flush_s = 0.001;
      facts.cores = 2;
      EXPECT_EQ(facts.measure.max_samples, measure.max_samples) << "they are those of the plan";
      return seconds_of(costs_of(plan, facts));
    };
    return Expected{of(gpu), of(on_host), of(labels)};
  };
  MeasureOptions base;
  base.min_samples = 50;
  base.max_samples = 100;
  base.timeout_s = 100;
  const Expected before = expected(base);
  using Change = void (*)(MeasureOptions&);
  enum Effect { less = -1, none = 0, more = 1 };
  struct {
    const char* option;
    Change change;
    Effect gpu, host, labels;
  } const options[] = {
      {"max_samples", [](MeasureOptions& m) { m.max_samples = 200; }, more, more, more},
      {"min_samples", [](MeasureOptions& m) { m.min_samples = m.max_samples = 200; }, more, more, more},
      {"timeout_s", [](MeasureOptions& m) { m.timeout_s = 1e-4; }, less, less, less},
      {"modes", [](MeasureOptions& m) { m.modes = {Mode::cold, Mode::warm}; }, more, more, more},
      {"warm", [](MeasureOptions& m) { m.modes = {Mode::warm}; }, none, less, less},
      {"graph", [](MeasureOptions& m) { m.modes = {Mode::cold, Mode::graph}; }, more, none, none},
      {"energy", [](MeasureOptions& m) { m.energy = true; }, more, none, none},
      {"scattered", [](MeasureOptions& m) { m.scattered = true; }, none, none, more},
      {"twice", [](MeasureOptions& m) { m.twice = true; }, more, more, more},
      {"max_noise", [](MeasureOptions& m) { m.max_noise = 9; }, none, none, none},
      {"hang_s", [](MeasureOptions& m) { m.hang_s = 9; }, none, none, none}};
  const auto effect = [](double now, double then) {
    return now > 1.001 * then ? more : now < then / 1.001 ? less : none;
  };
  for (const auto& one : options) {
    MeasureOptions changed = base;
    one.change(changed);
    const Expected now = expected(changed);
    EXPECT_EQ(effect(now.gpu, before.gpu), one.gpu) << one.option << " on a GPU";
    EXPECT_EQ(effect(now.host, before.host), one.host) << one.option << " on a CPU";
    EXPECT_EQ(effect(now.labels, before.labels), one.labels) << one.option << " of labels on a CPU";
  }
  // Only the modelled device counts.
  const Plan modelled = plan("harris3", 1 << 20, "sum");
  const auto counted = [&](bool counters) {
    MeasureOptions measure;
    measure.counters = counters;
    return seconds_of(costs_of(modelled, cost_facts(modelled, measure, true, open_.devices())));
  };
  EXPECT_NEAR(counted(true) / counted(false), 4, 0.3);
  const double one_process = seconds_of(on_host, base, open_.devices());
  base.forks = 3;
  EXPECT_NEAR(seconds_of(on_host, base, open_.devices()), 3 * one_process, 1e-6);
}

// Each input is uploaded at 4 GB/s to a GPU, which has 50 ms for a cell, and checked on the host.
TEST_F(Costs, AGpusInputsAreUploaded) {
  CostFacts checks = facts(0);
  checks.timing = false;
  checks.cores = 1;
  const auto of = [&](Index n) {
    return costs_of(on_gpu(plan("harris3", n, "sum")), checks)[0].parts.back().seconds;
  };
  EXPECT_NEAR(of(1024), 0.05, 1e-4);
  const double inputs = 3.0 * (1 << 24);
  EXPECT_NEAR(of(1 << 26) - of(1 << 24), inputs * (4 / 4e9 + 2e-9), 1e-6);
}

// Labels are gone through once for each 2^24 of the results, and once for fewer.
TEST_F(Costs, LabelsAreMadeInPassesOverTheResults) {
  const auto making = [&](Index m) {
    Config config;
    config.experiments.push_back({"",
                                  "multireduce",
                                  {"cpu_sequential"},
                                  {{"n", {1 << 24}}, {"type", {"i32"}}, {"operator", {"sum"}}, {"m", {m}}}});
    CostFacts one_core = facts(0);
    one_core.cores = 1;
    return costs_of(make_plan(config, open_.devices()), one_core)[0].parts[0].seconds;
  };
  const Index pass = 1 << 24;
  const double least = making(16);
  EXPECT_DOUBLE_EQ(making(pass), least);
  const double second = making(pass + 1) - least;
  EXPECT_NEAR(second, 2.5e-9 * (1 << 24), 1e-6);
  EXPECT_NEAR(making(2 * pass), least + second, 1e-9);
  CostFacts values = facts(0);
  values.cores = 1;
  const double without_labels = costs_of(plan("cpu_serial", 1 << 24, "sum"), values)[0].parts[0].seconds;
  EXPECT_NEAR(least, without_labels + second, 1e-6) << "the first pass counts, too";
}

/// How long the runs of results/h200 took, against what is expected of their cases on that machine.
TEST_F(Costs, AreThoseOfTheRunsOfAnH200) {
  constexpr double most = 2;  // runs went on beside others, which shared memory and cores
  std::size_t compared = 0, far = 0;
  std::string told;
  for (const std::string& folder : runs_below(REDBENCH_SOURCE_DIR "/results/h200")) {
    const StoredRun run = read_stored_run(folder);
    const std::vector<Json> sessions = sessions_of(run.facts);
    if (sessions.size() != 1 || !sessions[0].value("ended", Json()).is_string()) continue;
    if (!sessions[0].contains("measure") || !sessions[0]["measure"].contains("forks")) continue;
    Json resolved = run.facts["config"];
    resolved["measure"] = sessions[0]["measure"];
    const Config config = told_config(folder, run.name(), resolved);
    const Plan plan = on_gpu(told_plan(config, open_.devices()));
    const auto unsupported = std::ranges::count(run.records, Json("unsupported"),
                                                [](const Record& record) { return record["outcome"]; });
    const bool on_host =
        std::ranges::any_of(run.records, [](const Record& record) { return record["device"] == "host"; });
    // A machine with less memory refuses the largest cases; a modelled GPU, those of libraries.
    if (on_host || plan.cases() - plan.runnable() > std::size_t(unsupported) + plan.cases() / 4) continue;
    CostFacts h200{.cores = sessions[0]["host"]["cores"], .multiprocessors = 132, .measure = config.measure};
    const double first = seconds_of(costs_of(plan, h200));
    h200.other_values = false;
    const double expected = first + (config.measure.forks - 1) * seconds_of(costs_of(plan, h200));
    const double taken = seconds_between(sessions[0]["started"], sessions[0]["ended"]);
    if (std::max(expected, taken) < 10) continue;  // a process more or less decides
    ++compared;
    const bool is_far = taken > most * expected || expected > most * taken;
    far += is_far;
    told += fmt::format("{}{}: {:.0f} s expected, {:.0f} s taken\n", is_far ? "far: " : "", folder, expected,
                        taken);
  }
  EXPECT_GT(compared, 10u);
  EXPECT_LE(far, compared / 20) << told;
  if (std::getenv("REDBENCH_SHOW_COSTS")) std::puts(told.c_str());
}

/// What `redbench reproduce all` is said to take at its default precision, on an H200 and its 16 cores.
TEST_F(Costs, AllPapersTakeTwentyMinutesOfAnH200) {
  const Precision& precision = precision_named("default");
  std::vector<std::pair<std::string, Config>> configs;
  for (const std::string& paper : papers_of("all"))
    for (const std::string& path : configs_of(paper)) {
      if (path.ends_with("fig4.23.json")) continue;  // of images, which are not in the repository
      const Config config = load_config(path, Target::cuda, {}, record_columns());
      bool on_host = true;
      for (const Experiment& experiment : config.experiments)
        for (const std::string& name : experiment.variants)
          on_host = on_host && find_variant(experiment.problem + "/" + name)->on_host();
      const Overrides bounds = overrides_of(precision, config, on_host ? Target::host : Target::cuda);
      configs.emplace_back(path, load_config(path, Target::cuda, bounds, record_columns()));
    }
  // Wide cells first; what is a part of one of them is shared.
  const auto widest = [&](const Plan& plan) {
    std::size_t most = 0;
    for (const Cell& cell : plan.cells) most = std::max(most, cell.cases.size());
    return most;
  };
  std::vector<std::tuple<std::size_t, std::string, const Config*, Plan>> plans;
  for (const auto& [path, config] : configs) {
    Plan plan = on_gpu(make_plan(config, open_.devices()));
    plans.emplace_back(widest(plan), path, &config, std::move(plan));
  }
  std::ranges::stable_sort(plans, std::greater(), [](const auto& one) { return std::get<0>(one); });
  std::vector<std::set<std::string>> cells;
  double total = 0;
  for (const auto& [width, path, config, plan] : plans) {
    Plan rest;
    for (const Cell& cell : plan.cells) {
      std::set<std::string> keys{config->resolved["measure"].dump()};
      for (const Case& one : cell.cases) keys.insert(one.key());
      if (std::ranges::none_of(cells, [&](const auto& other) { return std::ranges::includes(other, keys); }))
        rest.cells.push_back(cell);
      cells.push_back(std::move(keys));
    }
    const double seconds = seconds_of(
        costs_of(rest, {.cores = 16, .multiprocessors = 132, .flush_s = 0.02, .measure = config->measure}));
    if (std::getenv("REDBENCH_SHOW_COSTS")) std::printf("%s: %.0f s\n", path.c_str(), seconds);
    if (seconds <= precision.most_s) total += seconds;
  }
  EXPECT_LT(total, 20 * 60) << "plots and reports come on top";
  EXPECT_GT(total, 5 * 60) << "more could be measured";
}

TEST_F(Costs, ARefusedCaseCostsNothing) { EXPECT_EQ(seconds("cub", 1 << 30, facts(0.1)), 0); }

/// What `redbench ARGUMENTS` writes to a terminal; none where the machine gives no terminal.
std::optional<std::string> shown_by(const std::string& arguments, const char* variable, const char* value) {
  return on_terminal([&] {
    ::setenv(variable, value, 1);
    ::execl("/bin/sh", "sh", "-c", (std::string(REDBENCH_BINARY " ") + arguments).c_str(), nullptr);
  });
}

TEST(ProgressOnATerminal, IsRedrawnUnlessPlainTextIsAskedFor) {
  const TemporaryFolder folder;
  const std::string run = "run " REDBENCH_SOURCE_DIR
                          "/configs/martin2012/table4.json -d simt:gtx480 -a n=1Ki -o " +
                          folder.path() + "/out";
  const std::optional<std::string> redrawn = shown_by(run, "TERM", "xterm");
  if (!redrawn) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  EXPECT_THAT(*redrawn, HasSubstr("\r\033[K["));
  EXPECT_THAT(*redrawn, HasSubstr(" left  inputs"));
  EXPECT_THAT(*redrawn, Not(HasSubstr("\033[31m"))) << "nothing has failed";
  for (const auto& [variable, value] : {std::pair("TERM", "dumb"), {"NO_COLOR", "1"}})
    EXPECT_THAT(shown_by(run, variable, value).value(), Not(HasSubstr("\033"))) << variable;
}

}  // namespace
}  // namespace redbench
