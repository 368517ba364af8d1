// The battery of `verify`: which pairs, sizes and shapes it takes of each kind of variant.
#include "src/run/battery.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "src/run/job.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::IsSubsetOf;
using testing::Not;
using Names = std::set<std::string>;

/// A line for each experiment.
std::string text_of(const std::vector<Experiment>& experiments) {
  std::string text;
  for (const Experiment& experiment : experiments) {
    std::string axes;
    for (const auto& [name, values] : experiment.axes) axes += " " + name + "=" + Json(values).dump();
    text += axes.substr(1) + '\n';
  }
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

class BatteryOf : public testing::Test {
 protected:
  Battery battery(const std::string& pattern, Breadth breadth = Breadth::whole) {
    return make_battery(pattern, breadth, open_.devices());
  }
  static std::set<Json> values(const std::vector<Experiment>& experiments, const std::string& axis) {
    std::set<Json> all;
    for (const Experiment& experiment : experiments)
      for (const auto& [name, values] : experiment.axes)
        if (name == axis) all.insert(values.begin(), values.end());
    return all;
  }
  /// "u32 affine", of each experiment.
  static Names pairs(const std::vector<Experiment>& experiments) {
    Names all;
    for (const Experiment& experiment : experiments)
      for (const Json& type : values({experiment}, "type"))
        for (const Json& op : values({experiment}, "operator"))
          all.insert(type.get<std::string>() + " " + op.get<std::string>());
    return all;
  }

  OpenDevices open_{"simt:gtx480"};
};

// An order that shows everywhere, identities that are not zero, every size of an element, one that rounds.
TEST_F(BatteryOf, FewPairsDifferInWhatAKernelCanGetWrong) {
  const Names few = pairs(battery("^reduce/tb2$", Breadth::few).experiments);
  EXPECT_THAT(few, IsSubsetOf(pairs(battery("^reduce/tb2$").experiments)));
  EXPECT_THAT(few, Contains("u32 affine"));
  EXPECT_LT(few.size(), 7u);
  std::set<std::size_t> sizes;
  bool padded_by_zero = true, rounds = false;
  for (const Pair& pair : find_problem("reduce")->pairs) {
    if (!few.contains(std::string(name_of(pair.type)) + " " + std::string(name_of(pair.op)))) continue;
    sizes.insert(pair.value->bytes);
    padded_by_zero = padded_by_zero && (!pair.commutative || pair.op == Operator::sum);
    rounds = rounds || !pair.exact;
  }
  EXPECT_THAT((std::vector<std::size_t>{4, 8, 16}), IsSubsetOf(sizes));
  EXPECT_FALSE(padded_by_zero) << "no commutative operator whose identity is not zero";
  EXPECT_TRUE(rounds);
  // harris3 refuses what does not commute.
  const Names taken = pairs(battery("^reduce/harris3$", Breadth::few).experiments);
  EXPECT_THAT(taken, Contains("i32 sum"));
  EXPECT_THAT(taken,
              Not(Contains(testing::AnyOf(testing::HasSubstr("affine"), testing::HasSubstr("right")))));
}

// No kernel, launch parameter or shape is left out where every launch takes a tool a hundred times as long.
TEST_F(BatteryOf, ASmallOneHasEveryKernelParameterAndShape) {
  const std::vector<Experiment> small = battery("^multireduce/", Breadth::small).experiments;
  const std::vector<Experiment> few = battery("^multireduce/", Breadth::few).experiments;
  const auto variants_of = [](const std::vector<Experiment>& experiments) {
    Names all;
    for (const Experiment& experiment : experiments) all.insert(experiment.variants[0]);
    return all;
  };
  EXPECT_EQ(variants_of(small), variants_of(few));
  EXPECT_THAT(variants_of(small), Not(Contains("cpu_sequential")));
  for (const char* axis : {"block", "blocks", "sets", "labels"})
    EXPECT_EQ(values(small, axis), values(few, axis)) << axis;
}

// What one pass of the largest launch covers, with one input a thread and with its whole tile, and one more
// or less.
TEST_F(BatteryOf, SizesAreAroundWhatTheLargestLaunchCovers) {
  const Index many = (Index(1) << 20) + 1;
  for (const char* variant : {"harris7", "harris3"}) {
    Config config;
    config.experiments.push_back(
        {"", "reduce", {variant}, {{"n", {many}}, {"type", {"i32"}}, {"operator", {"sum"}}}});
    const Plan plan = make_plan(config, open_.devices());
    const std::vector<LaunchFacts>& launches = plan.cells[0].cases[0].footprint.launches;
    const Grid& first = launches.front().grid;
    ASSERT_GT(first.blocks, launches.back().grid.blocks);
    std::set<Json> expected{100003, many};
    for (const Index covered : {first.blocks * first.threads, (many + first.blocks - 1) / first.blocks})
      if (covered < many) expected.insert({covered - 1, covered, covered + 1});
    EXPECT_GT(expected.size(), 4u);
    EXPECT_THAT(expected,
                IsSubsetOf(values(battery(std::string("^reduce/") + variant + "$").experiments, "n")))
        << variant;
  }
}

TEST_F(BatteryOf, NothingToVerifyIsAnError) {
  const auto plan = [](const Battery& battery) {
    Work work;
    work.devices = std::make_unique<OpenDevices>("simt:gtx480");
    plan_battery(battery, 1, work);
  };
  Battery impossible;
  impossible.experiments = {
      {"battery",
       "histogram",
       {"global_atomic"},
       {{"n", {10}}, {"type", {"u32"}}, {"operator", {"sum"}}, {"m", {1}}, {"labels", {"missing"}}}}};
  EXPECT_EQ(usage_error([&] { plan(impossible); }),
            "histogram: the battery is empty, so nothing would be verified: labels=missing leaves a label "
            "out: m is 1, so none would be left");
  // A library call alone is refused on the modelled device by its card: no fault of the problem.
  EXPECT_NO_THROW(plan(battery("^histogram/cub$")));
}

}  // namespace
}  // namespace redbench
