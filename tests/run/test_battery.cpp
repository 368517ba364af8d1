// The battery of `verify`: which pairs, sizes and shapes it takes of each kind of variant.
#include "src/run/battery.hpp"

#include <gtest/gtest.h>

#include <set>

#include "src/run/job.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A line for each set of axes, with the pairs that it is of.
std::string text_of(const std::vector<Experiment>& experiments) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Experiment& experiment : experiments) {
    std::string axes, pair;
    for (const auto& [name, values] : experiment.axes)
      if (name == "type" || name == "operator") pair += " " + values.at(0).get<std::string>();
      else axes += " " + name + "=" + Json(values).dump();
    auto line = std::ranges::find(lines, axes, &std::pair<std::string, std::string>::first);
    if (line == lines.end()) line = lines.insert(line, {axes, ""});
    line->second += (line->second.empty() ? "" : ",") + pair;
  }
  std::string text;
  for (const auto& [axes, pairs] : lines) text += pairs.substr(1) + ":" + axes + '\n';
  return text;
}

// The bug: a size, a pair, a value or a shape that was left out, and with it what breaks at it alone. On the
// H200 grids are so wide that what they cover once is too many for some.
TEST(Battery, IsTheSameOfEachKindOfVariant) {
  std::string text;
  for (const auto& [device, variant, breadth] :
       {std::tuple("simt:gtx480", "reduce/tb2", Breadth::few),
        {"simt:gtx480", "segreduce/tb2", Breadth::few},
        {"simt:gtx480", "histogram/global_atomic", Breadth::whole},
        {"simt:gtx480", "histogram/podlozhnyuk64", Breadth::few},
        {"simt:gtx480", "multireduce/minimal", Breadth::small},
        {"simt:gtx480", "multireduce/vector_reduce", Breadth::few},
        {"simt:gtx480", "multireduce/wrong_label_dropped", Breadth::few},
        {"simt:gtx480", "multireduce/global_transposed", Breadth::few},
        {"simt:gtx480", "multiscan/sequential_global", Breadth::whole},
        {"simt:h200", "reduce/shuffle_block_atomic_vec4", Breadth::few},
        {"simt:h200", "gather/naive", Breadth::few},
        {"simt:h200", "multireduce/global_transposed", Breadth::few}}) {
    OpenDevices open{device};
    const Battery battery = make_battery("^" + std::string(variant) + "$", breadth, open.devices());
    const std::string breadth_name = breadth == Breadth::whole ? "whole"
                                     : breadth == Breadth::few ? "few"
                                                               : "small";
    text += std::string("# ") + variant + " on " + device + ", " + breadth_name + '\n' +
            text_of(battery.experiments) + "under each schedule:\n" + text_of(battery.scheduled) + '\n';
    for (const Experiment& experiment : battery.experiments)
      EXPECT_EQ(experiment.problem + "/" + experiment.variants.at(0), variant);
  }
  expect_golden("run/battery.txt", text);
}

std::set<Json> values(const Battery& battery, const std::string& axis) {
  std::set<Json> all;
  for (const Experiment& experiment : battery.experiments)
    for (const auto& [name, values] : experiment.axes)
      if (name == axis) all.insert(values.begin(), values.end());
  return all;
}

// No kernel, launch parameter or shape is left out where every launch takes a tool a hundred times as long.
TEST(Battery, OfASmallBreadthHasEveryKernelParameterAndShape) {
  OpenDevices open{"simt:gtx480"};
  const Battery small = make_battery("^multireduce/", Breadth::small, open.devices());
  const Battery few = make_battery("^multireduce/", Breadth::few, open.devices());
  std::set<std::string> of_small, of_few;
  for (const Experiment& experiment : small.experiments) of_small.insert(experiment.variants[0]);
  for (const Experiment& experiment : few.experiments) of_few.insert(experiment.variants[0]);
  EXPECT_EQ(of_small, of_few);
  EXPECT_FALSE(of_small.contains("cpu_sequential"));
  for (const char* axis : {"block", "blocks", "sets", "labels"})
    EXPECT_EQ(values(small, axis), values(few, axis)) << axis;
}

TEST(Battery, WithNothingToVerifyIsAnError) {
  Work work;
  work.devices = std::make_unique<OpenDevices>("simt:gtx480");
  Battery impossible;
  impossible.experiments = {
      {"battery",
       "histogram",
       {"global_atomic"},
       {{"n", {10}}, {"type", {"u32"}}, {"operator", {"sum"}}, {"m", {1}}, {"labels", {"missing"}}}}};
  EXPECT_EQ(usage_error([&] { plan_battery(impossible, 1, work); }),
            "histogram: the battery is empty, so nothing would be verified: labels=missing leaves a label "
            "out: m is 1, so none would be left");
  // A library call alone is refused on the modelled device by its card: no fault of the problem.
  const Battery cub = make_battery("^histogram/cub$", Breadth::whole, work.devices->devices());
  EXPECT_NO_THROW(plan_battery(cub, 1, work));
}

}  // namespace
}  // namespace redbench
