// Card::reproducible against results: a card that promises the same bits in each run gives them, of an operator
// that rounds, whatever order warps, lanes and blocks run in.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/device/team.hpp"
#include "src/plan/plan.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// The bytes of the variant's result for the pair, under a schedule.
std::string result_of(const Variant& variant, const Pair& pair, std::uint64_t seed) {
  const auto kernels = modelled("h200", seed, 8), host = make_host();
  const Devices devices{*kernels, *host};
  Config config;
  config.experiments.push_back(
      {"",
       variant.problem,
       {variant.short_name},
       {{"n", {120000}}, {"type", {name_of(pair.type)}}, {"operator", {name_of(pair.op)}}}});
  if (variant.problem == "segreduce") config.experiments[0].axes.push_back({"given", {"owners", "offsets"}});
  const Plan plan = make_plan(config, devices);
  const auto cell =
      std::ranges::find_if(plan.cells, [](const Cell& cell) { return cell.cases[0].refusal.empty(); });
  EXPECT_NE(cell, plan.cells.end()) << plan.cells[0].cases[0].key();
  if (cell == plan.cells.end()) return {};
  const Case& case_ = cell->cases[0];
  Device& device = devices.of(variant);
  const Inputs inputs = cell->problem->make(case_.input);
  CellBuffers buffers(device, inputs, case_.sizes.result);
  GuardedMemory scratch(device, GuardedMemory::room_for(case_.footprint.scratch));
  const std::vector<void*> pieces = scratch.cut(case_.footprint.scratch, 0xFF);
  CaseQueue queue(device, case_.parameters, case_.footprint, pieces);
  const RankScope alone(device);
  case_.instance->run(queue, buffers.operands());
  device.finish();
  const HostBuffer& result = buffers.download_result();
  return {reinterpret_cast<const char*>(result.data.get()), result.bytes};
}

std::size_t different_results(const Variant& variant, const Pair& pair) {
  std::set<std::string> results;
  for (std::uint64_t seed = 0; seed < 4; ++seed) results.insert(result_of(variant, pair, seed));
  return results.size();
}

TEST(Reproducible, CardsThatPromiseTheSameBitsGiveThem) {
  for (const Variant& variant : variants()) {
    const Target target = variant.on_host() ? Target::host : Target::simt;
    if (!variant.gives_same_bits(false) || !variant.source.starts_with("kernels/")) continue;
    for (const Instance& instance : variant.instances[std::size_t(target)]) {
      const Pair* const pair = find_problem(variant.problem)->pair(instance.type, instance.op);
      if (!instance.run || pair->exact) continue;
      EXPECT_EQ(different_results(variant, *pair), 1) << variant.name;
      break;
    }
  }
}

TEST(Reproducible, TheSchedulesShowAtomicsOnFloats) {
  EXPECT_GT(
      different_results(*find_variant("reduce/shuffle_warp_atomic"), reduction(Type::f32, Operator::sum)), 1);
}

// `measure.digests` of committed runs on a GPU.
TEST(Reproducible, NoCommittedRecordSaysOtherwise) {
  std::set<std::string> same, different;
  for (const auto& file : std::filesystem::recursive_directory_iterator(REDBENCH_SOURCE_DIR "/results")) {
    if (file.path().filename() != "records.jsonl") continue;
    for (const std::string& line : lines_of(file.path())) {
      if (line.find(R"("result_digests":[[)") == line.npos) continue;
      const Json record = Json::parse(line);
      std::set<std::string> digests;
      for (const Json& fork : record["result_digests"]) digests.insert(fork.begin(), fork.end());
      (digests.size() == 1 ? same : different).insert(record["variant"]);
    }
  }
  EXPECT_THAT(same, testing::Contains("reduce/shuffle_two_pass"));
  for (const std::string& name : different) EXPECT_FALSE(find_variant(name)->gives_same_bits(false)) << name;
}

}  // namespace
}  // namespace redbench
