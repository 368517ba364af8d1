// What a process works on: all that a job asks for is in its work, and all of that is told to a worker.
#include "src/run/job.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>

#include "src/simt/model.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> keys_of(const Work& work) {
  std::vector<std::string> keys;
  for (const Cell& cell : work.plan.cells)
    for (const Case& one : cell.cases) keys.push_back(one.key());
  return keys;
}

/// A worker has ten times as long as its parent took, and ten seconds, beyond the silence that counts as a
/// hang.
void expect_idle_s(const Work& work, double hang_s, Clock::time_point begun) {
  const double own_s = std::chrono::duration<double>(Clock::now() - begun).count();
  EXPECT_GT(work.idle_s, hang_s + 10);
  EXPECT_LT(work.idle_s, hang_s + 10 + 10 * own_s);
}

Job verification(int schedules, bool races, const std::string& variants = "^reduce/tb2$",
                 const std::string& device = "simt:gtx480", Breadth breadth = Breadth::small) {
  return {.kind = Job::Kind::verify,
          .request = {.device = device, .overrides = {.variants = variants}},
          .schedules = schedules,
          .races = races,
          .breadth = breadth};
}

class Jobs : public testing::Test {
 protected:
  Job job(Job::Kind kind, const std::string& device = "simt:gtx480") const {
    return {.kind = kind, .request = {.config = config_, .device = device}};
  }

  TemporaryFolder folder_;
  const std::string input_ = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  const std::string config_ = folder_.write("mine.json", R"({"title": "Mine", "seed": 5,
      "measure": {"hang_s": 40, "mode": ["warm", "cold"]},
      "experiments": [{"problem": "reduce", "variants": ["harris1", "harris3"],
                       "axes": {"n": [2, 3], "values": ["exact", {"file": "x.npy"}]}}]})");
};

TEST_F(Jobs, ARunMeasuresAsItsConfigSays) {
  const Clock::time_point begun = Clock::now();
  const Work work = make_work(job(Job::Kind::run));
  expect_idle_s(work, 40, begun);
  EXPECT_EQ(work.kind, Job::Kind::run);
  EXPECT_TRUE(work.options.timing);
  EXPECT_EQ(work.options.measure.hang_s, 40);
  EXPECT_EQ(work.options.measure.modes, (std::vector<Mode>{Mode::warm, Mode::cold}));
  EXPECT_EQ(work.config.name, "mine");
  EXPECT_EQ(work.schedule_seeds, (std::vector<std::uint64_t>{0, 0, 0, 0})) << "of each cell";
  EXPECT_EQ(work.plan.cells.size(), 4u);

  const std::string digest = answer_of("sha256sum", "< " + input_ + " | cut -c -64 | tr -d '\\n'", ".").text;
  EXPECT_EQ(to_json(work), (Json{{"kind", 0},
                                 {"device", "simt:gtx480"},
                                 {"model", ""},
                                 {"schedules", 1},
                                 {"races", false},
                                 {"path", config_},
                                 {"name", "mine"},
                                 {"config", work.config.resolved},
                                 {"inputs", {{input_, digest}}}}));
}

TEST_F(Jobs, AProfileCountsAndTakesNoTime) {
  const Work work = make_work(job(Job::Kind::profile));
  EXPECT_FALSE(work.options.timing);
  EXPECT_TRUE(work.options.measure.counters);
  EXPECT_EQ(work.config.name, "profile/mine");
  EXPECT_EQ(to_json(work)["kind"], 1);
}

// A worker reads no config: it may have changed.
TEST_F(Jobs, AWorkerHasTheSameWork) {
  for (const Job::Kind kind : {Job::Kind::run, Job::Kind::profile}) {
    const Work work = make_work(job(kind));
    const Json told = Json::parse(to_json(work).dump());
    const std::string text = "{}";
    std::ofstream(config_) << text;
    const Work there = work_from(told);
    EXPECT_EQ(to_json(there), told);
    EXPECT_EQ(keys_of(there), keys_of(work));
    EXPECT_EQ(there.kind, kind);
    EXPECT_EQ(there.options.timing, kind == Job::Kind::run);
    EXPECT_EQ(there.options.measure.hang_s, 40);
    EXPECT_EQ(there.schedule_seeds.size(), 4u);
    folder_.write("mine.json", R"({"measure": {"hang_s": 40}, "experiments": [{"problem": "reduce",
                     "variants": ["harris1"], "axes": {"n": [2, 3, 4, 5]}}]})");
  }
}

// The bug: a worker read the file of a model again, which had changed.
TEST_F(Jobs, AWorkerGoesByTheModelThatItIsTold) {
  const std::string model = fixture("../../configs/devices/gtx480.json");
  std::string text;
  for (const std::string& line : lines_of(model)) text += line + '\n';
  Json mine = Json::parse(text);
  mine["multiprocessors"] = 3;
  const std::string path = folder_.write("mine-of-a-test.json", mine.dump());
  Json told = to_json(make_work(job(Job::Kind::run, "simt:" + path)));
  EXPECT_EQ(told["model"], mine.dump());
  mine["multiprocessors"] = 4;
  told["model"] = mine.dump();
  EXPECT_EQ(work_from(told).devices->kernels->facts().multiprocessors, 4);
}

TEST_F(Jobs, AVerificationGoesThroughItsSchedulesInTurn) {
  for (const int schedules : {1, 2, 3}) {
    const Clock::time_point begun = Clock::now();
    const Work work = make_work(verification(schedules, schedules == 3));
    expect_idle_s(work, MeasureOptions().hang_s, begun);
    EXPECT_EQ(work.kind, Job::Kind::verify);
    EXPECT_EQ(work.schedules, schedules);
    EXPECT_EQ(work.races, schedules == 3);
    EXPECT_FALSE(work.options.timing);

    // All of the battery, each cell under another schedule than the one before; then a few under each.
    Config battery, scheduled;
    battery.experiments = work.battery.experiments;
    scheduled.experiments = work.battery.scheduled;
    const std::size_t all = make_plan(battery, work.devices->devices()).cells.size(),
                      few = make_plan(scheduled, work.devices->devices()).cells.size();
    ASSERT_EQ(few, 6u) << "three sizes of a pair of either order";
    std::vector<std::uint64_t> seeds;
    for (std::size_t i = 0; i < all; ++i) seeds.push_back(i % std::size_t(schedules));
    for (int seed = 0; seed < schedules && schedules > 1; ++seed)
      seeds.insert(seeds.end(), few, std::uint64_t(seed));
    EXPECT_EQ(work.schedule_seeds, seeds) << schedules;
    ASSERT_EQ(work.plan.cells.size(), seeds.size());
    if (schedules > 1) EXPECT_EQ(work.plan.cells.back().input.n, 10007);

    const Json told = Json::parse(to_json(work).dump());
    EXPECT_EQ(told["kind"], 2);
    EXPECT_EQ(told["schedules"], schedules);
    EXPECT_EQ(told["races"], schedules == 3);
    EXPECT_EQ(told["battery"], to_json(work.battery));
    EXPECT_EQ(told.size(), 6u);
    const Work there = work_from(told);
    EXPECT_EQ(to_json(there), told);
    EXPECT_EQ(keys_of(there), keys_of(work));
    EXPECT_EQ(there.schedule_seeds, seeds);
  }
}

// The bug: a kernel that hangs was waited for as long as one of a run.
TEST_F(Jobs, AKernelOfABatteryHasLessTimeThanOneOfARun) {
  const Work work = make_work(verification(1, false));
  const double hang_s = work.config.measure.hang_s;
  EXPECT_TRUE(hang_s == 20 || hang_s == 600) << hang_s << ": with sanitizers thirty times as much";
  EXPECT_EQ(work.options.measure.hang_s, hang_s);
}

TEST_F(Jobs, TheHostHasOneScheduleAlone) {
  const Work work = make_work(verification(3, false, "^scatter/cpu_sequential$", "host", Breadth::whole));
  EXPECT_EQ(work.schedule_seeds, std::vector<std::uint64_t>(work.plan.cells.size(), 0));
  EXPECT_EQ(work.plan.cells.size(),
            make_work(verification(1, false, "^scatter/cpu_sequential$", "host", Breadth::whole))
                .plan.cells.size());
}

TEST_F(Jobs, WhatNoVerificationCanDoIsRefused) {
  const auto refusal = [](const Job& job) { return usage_error([&] { make_work(job); }); };
  EXPECT_EQ(refusal(verification(1, true, "", "host", Breadth::whole)),
            "--races checks accesses on the modelled device: --device simt; this is host");
  EXPECT_EQ(refusal(verification(1, false, "", "host")),
            "--small is of kernels alone, which need a GPU or a modelled one: --device cuda, simt");
  EXPECT_EQ(refusal(verification(1, false, "reduce/cpu_seriel")),
            "no variant with a kernel fits `reduce/cpu_seriel`");
  EXPECT_EQ(refusal(verification(1, false, "reduce/cpu_seriel", "simt:gtx480", Breadth::whole)),
            "no variant fits `reduce/cpu_seriel`; did you mean `reduce/cpu_serial`?");
  EXPECT_EQ(refusal(verification(1, false, "reduce/haris3")),
            "no variant with a kernel fits `reduce/haris3`; did you mean `reduce/harris3`?");
  // The name that is refused, as the modelled device has no library's call, is no help.
  EXPECT_EQ(refusal(verification(1, false, "^histogram/cub$")).find("histogram/cub`"), std::string::npos);
}

// The bug: OpenMP was asked for more threads than it has room for, and crashed.
TEST_F(Jobs, AsManyThreadsAsOpenMpHasRoomFor) {
  const int before = omp_get_max_threads(), cores = make_host()->facts().multiprocessors,
            most = cores > 256 ? 4 * cores : 1024;
  omp_set_num_threads(most);
  EXPECT_NO_THROW(make_work(job(Job::Kind::run)));
  omp_set_num_threads(most + 1);
  const std::string refusal = usage_error([&] { make_work(job(Job::Kind::run)); });
  omp_set_num_threads(before);
  EXPECT_EQ(refusal, "OMP_NUM_THREADS: " + std::to_string(most + 1) + " threads; 1 to " +
                         std::to_string(most) + " are allowed on this machine's " + std::to_string(cores) +
                         " cores");
}

}  // namespace
}  // namespace redbench
