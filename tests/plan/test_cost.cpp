// What a plan is expected to take: against the runs of results/h200, and what makes it longer or shorter.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <ctime>

#include "src/config/config.hpp"
#include "src/plan/cost.hpp"
#include "src/records/stored_run.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

class FakeGpu : public FakeDevice {
 public:
  Target target() const override { return Target::cuda; }
};

/// As if the plan of a modelled GPU were a GPU's, which no machine needs to have.
Plan on_gpu(Plan plan) {
  for (Cell& cell : plan.cells)
    for (Case& case_ : cell.cases)
      if (!case_.variant->on_host()) case_.device = "cuda:0";
  return plan;
}

class Costs : public testing::Test {
 protected:
  Plan plan(const char* problem, const char* variant, Index n, const char* type = "i32") {
    Config config;
    config.experiments.push_back(
        {"", problem, {variant}, {{"n", {n}}, {"type", {type}}, {"operator", {"sum"}}}});
    return make_plan(config, open_.devices());
  }

  OpenDevices open_{"simt:h200"};
  FakeGpu gpu_;
};

TEST_F(Costs, CheckingAloneTakesNoSamplesAndARefusedCaseNothing) {
  const Plan host = plan("reduce", "cpu_serial", 1 << 24);
  EXPECT_LT(seconds_of(host, {}, open_.devices(), false), seconds_of(host, {}, open_.devices()) / 10);
  EXPECT_EQ(seconds_of(plan("reduce", "cub", 1 << 30), {}, open_.devices()), 0);
}

// The modelled device has no time, so that one process is enough for it.
TEST_F(Costs, OnlyWhatTakesTimesIsMeasuredInForks) {
  MeasureOptions measure;
  measure.forks = 5;
  EXPECT_EQ(forks_of(plan("reduce", "cpu_serial", 1024), measure), 5u);
  EXPECT_EQ(forks_of(on_gpu(plan("reduce", "harris3", 1024)), measure), 5u);
  EXPECT_EQ(forks_of(plan("reduce", "harris3", 1024), measure), 1u);
  Plan refused = plan("reduce", "cpu_serial", 1024);
  refused.cells[0].cases[0].refusal = "too large";
  EXPECT_EQ(forks_of(refused, measure), 1u);
}

double seconds_between(const std::string& start, const std::string& end) {
  const auto seconds = [](const std::string& text) {
    std::tm parts{};
    ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return double(::timegm(&parts));
  };
  return seconds(end) - seconds(start);
}

/// How long the runs of results/h200 took, against what is expected of their cases on that machine.
TEST_F(Costs, AreThoseOfTheRunsOfAnH200) {
  constexpr double most = 3;  // other runs shared the machine
  const int threads = omp_get_max_threads();
  std::size_t compared = 0, far = 0;
  std::string report;
  for (const std::string& folder : runs_below(REDBENCH_SOURCE_DIR "/results/h200")) {
    const StoredRun run = read_stored_run(folder);
    const std::vector<Json> sessions = sessions_of(run.facts);
    if (sessions.size() != 1 || !sessions[0].value("ended", Json()).is_string()) continue;
    if (!sessions[0].contains("measure") || !sessions[0]["measure"].contains("forks")) continue;
    Json resolved = run.facts["config"];
    resolved["measure"] = sessions[0]["measure"];
    const Config config = deserialize_config(folder, run.name(), resolved);
    const Plan plan = on_gpu(replan(config, open_.devices()));
    const auto unsupported = std::ranges::count(run.records, Json("unsupported"),
                                                [](const Record& record) { return record["outcome"]; });
    const bool on_host =
        std::ranges::any_of(run.records, [](const Record& record) { return record["device"] == "host"; });
    // A machine with less memory refuses the largest cases; a modelled GPU, those of libraries.
    if (on_host || plan.cases() - plan.runnable() > std::size_t(unsupported) + plan.cases() / 4) continue;
    omp_set_num_threads(sessions[0]["host"]["cores"]);
    const double expected = seconds_of(plan, config.measure, {gpu_, *open_.host});
    const double taken = seconds_between(sessions[0]["started"], sessions[0]["ended"]);
    if (std::max(expected, taken) < 10) continue;  // a process more or less decides
    ++compared;
    const bool is_far = taken > most * expected || expected > most * taken;
    far += is_far;
    report += fmt::format("{}{}: {:.0f} s expected, {:.0f} s taken\n", is_far ? "far: " : "", folder,
                          expected, taken);
  }
  omp_set_num_threads(threads);
  EXPECT_GT(compared, 10u);
  EXPECT_LE(far, compared / 20) << report;
  if (std::getenv("REDBENCH_SHOW_COSTS")) std::puts(report.c_str());
}

TEST(RoughDuration, ChangesItsUnit) {
  for (const auto& [seconds, text] : {std::pair(0.999, "less than a second"),
                                      {1.0, "1 s"},
                                      {89.4, "89 s"},
                                      {90.0, "2 min"},
                                      {5390.0, "90 min"},
                                      {5400.0, "1.5 h"},
                                      {3'600'000.0, "1000.0 h"}})
    EXPECT_EQ(rough_duration(seconds), text) << seconds;
}

}  // namespace
}  // namespace redbench
