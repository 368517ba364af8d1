// What a process works on: all that a job asks for is in its work, and all of that is serialised for a
// worker.
#include "src/run/job.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <chrono>

#include "src/config/config.hpp"
#include "src/run/planned_records.hpp"
#include "src/simt/model.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

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

std::string refusal(const Job& job) {
  return usage_error([&] { make_work(job); });
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

// A worker reads neither the config nor the file of a device's model: both may have changed.
TEST_F(Jobs, AWorkerHasTheSameWork) {
  const Clock::time_point begun = Clock::now();
  const Work work = make_work(job(Job::Kind::run));
  expect_idle_s(work, 40, begun);
  EXPECT_TRUE(work.options.timing);
  EXPECT_EQ(work.options.measure.modes, (std::vector<Mode>{Mode::warm, Mode::cold}));
  EXPECT_EQ(work.schedule_seeds, (std::vector<std::uint64_t>{0, 0, 0, 0})) << "of each cell";
  EXPECT_EQ(work.plan.cells.size(), 4u);
  EXPECT_EQ(work.plan.cells[3].input.seed, 5u);
  const Json message = Json::parse(to_json(work).dump());
  std::ofstream(config_) << "{}";
  const Work there = deserialize_work(message);
  EXPECT_EQ(to_json(there), message);
  EXPECT_EQ(keys_of(there.plan), keys_of(work.plan));
  EXPECT_TRUE(there.options.timing);
  EXPECT_EQ(there.options.measure.hang_s, 40);
  EXPECT_EQ(there.schedule_seeds, work.schedule_seeds);
  EXPECT_EQ(there.plan.cells[3].input.seed, 5u);
  EXPECT_EQ(there.inputs.digests(), work.inputs.digests());

  Json model = Json::parse(std::ifstream(fixture("../../configs/devices/gtx480.json")));
  model["multiprocessors"] = 3;
  folder_.write("mine.json", config_text("[2]"));
  const std::string path = folder_.write("mine-of-a-test.json", model.dump());
  Json of_model = to_json(make_work(job(Job::Kind::run, "simt:" + path)));
  EXPECT_EQ(of_model["model"], model.dump());
  model["multiprocessors"] = 4;
  of_model["model"] = model.dump();
  EXPECT_EQ(deserialize_work(of_model).devices->kernels->facts().multiprocessors, 4);
}

TEST_F(Jobs, AProfileCountsAndTakesNoTime) {
  Job profile = job(Job::Kind::profile);
  profile.request.overrides.sets = {"measure.counters=false"};  // it counts, whatever else is asked for
  const Work of_config = make_work(profile);
  EXPECT_EQ(of_config.config.name, "profile/mine");
  profile.request.config = "reduce/harris3";
  const Work of_variant = make_work(profile);
  EXPECT_EQ(of_variant.config.name, "profile/reduce/harris3");
  EXPECT_EQ(of_variant.plan.cells.at(0).cases.at(0).variant->name, "reduce/harris3");
  for (const Work* work : {&of_config, &of_variant}) {
    EXPECT_FALSE(work->options.timing);
    EXPECT_TRUE(work->options.measure.counters);
  }
  const auto refused = [&](const std::string& config, const std::string& device = "simt:gtx480") {
    return refusal({.kind = Job::Kind::profile, .request = {.config = config, .device = device}});
  };
  EXPECT_EQ(refused("reduce/harris3", "host"), "the host counts nothing; -d simt does");
  EXPECT_EQ(refused("reduce/cpu_serial"), "reduce/cpu_serial: a CPU algorithm has no kernel to count");
  const std::string last = "; redbench list names the variants";
  EXPECT_EQ(refused("reduce/haris3"),
            "reduce/haris3: neither a variant nor a file; did you mean `reduce/harris3`?" + last);
  EXPECT_EQ(refused("nowhere/quik.json"),
            "nowhere/quik.json: neither a variant nor a file" + nearest_config("nowhere/quik.json") + last);
}

// All of the battery, each cell under another schedule than the one before; then a few under each.
TEST_F(Jobs, AVerificationGoesThroughItsSchedulesInTurn) {
  const Clock::time_point begun = Clock::now();
  const Work work = make_work(verification(3, true));
  expect_idle_s(work, MeasureOptions().hang_s, begun);
  EXPECT_FALSE(work.options.timing);
  Config battery;
  battery.experiments = work.battery.experiments;
  const std::size_t all = make_plan(battery, work.devices->devices()).cells.size(), few = 6;
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < all; ++i) seeds.push_back(i % 3);
  for (const std::uint64_t seed : {0, 1, 2}) seeds.insert(seeds.end(), few, seed);
  EXPECT_EQ(work.schedule_seeds, seeds) << "three sizes of a pair of either order are the few";
  ASSERT_EQ(work.plan.cells.size(), seeds.size());

  const Json message = Json::parse(to_json(work).dump());
  EXPECT_EQ(message["races"], true);
  const Work there = deserialize_work(message);
  EXPECT_EQ(to_json(there), message);
  EXPECT_EQ(keys_of(there.plan), keys_of(work.plan));
  EXPECT_EQ(there.schedule_seeds, seeds);
  const Work host = make_work(verification(3, false, "^scatter/cpu_sequential$", "host", Breadth::whole)),
             once = make_work(verification(1, false));
  for (const Work* in_order : {&host, &once})
    EXPECT_EQ(in_order->schedule_seeds, std::vector<std::uint64_t>(in_order->plan.cells.size(), 0));
}

TEST_F(Jobs, WhatNoVerificationCanDoIsRefused) {
  EXPECT_EQ(refusal(verification(1, true, "", "host", Breadth::whole)),
            "--races checks accesses on the modelled device: --device simt; this is host");
  EXPECT_EQ(refusal(verification(1, false, "", "host")),
            "--small is of kernels alone, which need a GPU or a modelled one: --device cuda, simt");
  EXPECT_EQ(refusal(verification(1, false, "reduce/cpu_seriel", "simt:gtx480", Breadth::whole)),
            "no variant fits `reduce/cpu_seriel`; did you mean `reduce/cpu_serial`?");
  EXPECT_EQ(refusal(verification(1, false, "reduce/haris3")),
            "no variant with a kernel fits `reduce/haris3`; did you mean `reduce/harris3`?");
  // The name that is refused, as the modelled device has no library's call, is no help.
  EXPECT_EQ(refusal(verification(1, false, "^histogram/cub$")).find("histogram/cub`"), std::string::npos);
}

// The bug: OpenMP was asked for more threads than it has room for, and crashed.
TEST_F(Jobs, AsManyThreadsAsOpenMpHasRoomFor) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1024);
  EXPECT_NO_THROW(make_work(job(Job::Kind::run)));
  omp_set_num_threads(1 << 20);
  const std::string message = refusal(job(Job::Kind::run));
  omp_set_num_threads(before);
  EXPECT_TRUE(message.starts_with("OMP_NUM_THREADS: 1048576 threads; 1 to ")) << message;
}

}  // namespace
}  // namespace redbench
