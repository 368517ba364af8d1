// The battery: which pairs and shapes it takes from a problem's own data.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "src/run/worker.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using Names = std::set<std::string>;

const std::vector<Json>* find_axis(const Experiment& experiment, const std::string& name) {
  for (const auto& [axis, values] : experiment.axes)
    if (axis == name) return &values;
  return nullptr;
}

template <class T>
bool holds(const std::set<T>& all, const std::set<T>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

class BatteryOf : public testing::Test {
 protected:
  Battery battery(const std::string& pattern, Breadth breadth = Breadth::whole) {
    return make_battery(pattern, breadth, open_.devices());
  }
  /// "u32 affine": the pairs of the experiments that have this axis (every one has n).
  static Names pairs(const std::vector<Experiment>& experiments, const std::string& axis = "n") {
    Names all;
    for (const Experiment& one : experiments)
      if (find_axis(one, axis))
        for (const Json& type : *find_axis(one, "type"))
          for (const Json& op : *find_axis(one, "operator"))
            all.insert(type.get<std::string>() + " " + op.get<std::string>());
    return all;
  }
  static std::set<Json> values(const std::vector<Experiment>& experiments, const std::string& axis) {
    std::set<Json> all;
    for (const Experiment& one : experiments)
      if (const std::vector<Json>* found = find_axis(one, axis)) all.insert(found->begin(), found->end());
    return all;
  }

  OpenDevices open_{"simt:gtx480"};
};

// An order that shows everywhere, identities that are not zero, every size of an element, one that rounds.
TEST_F(BatteryOf, PairsThatDifferAreFoundByTheirTraits) {
  const Names few = pairs(battery("^reduce/tb2$", Breadth::few).experiments);
  EXPECT_TRUE(holds(pairs(battery("^reduce/tb2$").experiments), few));
  EXPECT_EQ(pairs(battery("^reduce/tb2$").experiments, "values"), pairs(battery("^reduce/tb2$").experiments))
      << "what values do differs by the pair";
  EXPECT_THAT(few, Contains("i32 sum"));
  EXPECT_THAT(few, Contains("u32 affine"));
  EXPECT_THAT(few, Contains("c64 sum"));
  EXPECT_LT(few.size(), 7u);
  std::set<std::size_t> sizes;
  bool padded_by_zero = true, rounds = false;
  for (const Pair& pair : find_problem("reduce")->pairs) {
    if (!few.contains(std::string(name_of(pair.type)) + " " + std::string(name_of(pair.op)))) continue;
    sizes.insert(pair.value->bytes);
    padded_by_zero = padded_by_zero && (!pair.commutative || pair.op == Operator::sum);
    rounds = rounds || !pair.exact;
  }
  EXPECT_TRUE(holds(sizes, {4, 8, 16}));
  EXPECT_FALSE(padded_by_zero) << "no commutative operator whose identity is not zero";
  EXPECT_TRUE(rounds);
}

// Of two and three inputs a tree has its lowest level and an odd one; with one input each launch parameter
// leaves all threads but one idle.
TEST_F(BatteryOf, TheSmallestSizesAreAmongThem) {
  const std::vector<Experiment> all = battery("^reduce/harris3$").experiments;
  const std::vector<Json>& sizes = *find_axis(all.at(0), "n");
  ASSERT_GT(sizes.size(), 4u);
  EXPECT_EQ(std::vector<Json>(sizes.begin(), sizes.begin() + 4), (std::vector<Json>{0, 1, 2, 3}));
  std::size_t of_parameters = 0;
  for (const Experiment& one : all)
    if (find_axis(one, "block")) {
      ++of_parameters;
      EXPECT_EQ(*find_axis(one, "n"), (std::vector<Json>{1, 1000, 10007}));
    }
  EXPECT_GT(of_parameters, 0u);
}

// harris3 refuses affine: its shapes need another pair of 8 bytes, and one whose identity is not zero.
TEST_F(BatteryOf, PairsAreThoseThatTheVariantTakes) {
  const Names few = pairs(battery("^reduce/harris3$", Breadth::few).experiments);
  EXPECT_THAT(few, Not(Contains("u32 affine")));
  for (const std::string& pair : few) EXPECT_THAT(pair, Not(HasSubstr("right"))) << pair;
  EXPECT_THAT(few, Contains("i32 sum"));
}

// No kernel, launch parameter or shape is left out where every launch takes a tool a hundred times as long.
TEST_F(BatteryOf, ASmallOneHasFewPairsAndSizesOfEveryKernel) {
  const std::vector<Experiment> small = battery("^multireduce/", Breadth::small).experiments;
  const std::vector<Experiment> few = battery("^multireduce/", Breadth::few).experiments;
  const auto variants_of = [](const std::vector<Experiment>& experiments) {
    Names all;
    for (const Experiment& one : experiments) all.insert(one.variants[0]);
    return all;
  };
  EXPECT_EQ(variants_of(small), variants_of(few));
  EXPECT_THAT(variants_of(small), Not(Contains("cpu_sequential")));
  for (const char* parameter : {"block", "blocks", "sets"})
    EXPECT_EQ(values(small, parameter), values(few, parameter)) << parameter;
  EXPECT_TRUE(holds(values(small, "labels"), {"degenerate", "sorted", "missing"}));
  EXPECT_EQ(values(small, "n"), (std::set<Json>{1, 33, 1009, 10007}));
  EXPECT_EQ(pairs(small), (Names{"i32 sum", "u32 affine"}));
}

TEST_F(BatteryOf, AHistogramHasItsOwnPairsAndShapes) {
  const Battery found = battery("^histogram/global_atomic$");
  EXPECT_EQ(pairs(found.experiments), (Names{"u32 sum", "u8 sum"}));
  EXPECT_EQ(pairs(found.experiments, "labels"), (Names{"u32 sum", "u8 sum"}));
  EXPECT_TRUE(
      holds(values(found.experiments, "labels"), {"degenerate", "sorted", "reversed", "zipf:1", "missing"}));
  // Its block of 256 takes 256 inputs.
  EXPECT_TRUE(holds(values(found.experiments, "m"), {1, 255, 257, 1031}));
  EXPECT_TRUE(holds(values(found.experiments, "n"), {0, 1, 255, 256, 257, 769}));
}

// Each kind of labels also with m = 1 and with more labels than inputs.
// With the default m of 256 all of its cases but those over m would be refused.
TEST_F(BatteryOf, AVariantForFewerLabelsThanTheDefaultHasAsManyAsItTakes) {
  for (const Experiment& one : battery("^histogram/podlozhnyuk64$").experiments)
    EXPECT_TRUE(find_axis(one, "m")) << find_axis(one, "n")->front();
  EXPECT_EQ(find_axis(battery("^histogram/podlozhnyuk64$").scheduled.front(), "m")->front(), 64);
  EXPECT_FALSE(find_axis(battery("^histogram/trish$").scheduled.front(), "m"));
}

TEST_F(BatteryOf, ShapesMeetTheEndsOfOtherAxes) {
  bool met = false;
  for (const Experiment& one : battery("^multiscan/sequential_global$").experiments) {
    const std::vector<Json>*labels = find_axis(one, "labels"), *m = find_axis(one, "m");
    met = met || (labels && m && labels->size() > 5 && *m == std::vector<Json>{1, 1031});
  }
  EXPECT_TRUE(met);
}

TEST_F(BatteryOf, TheFormOfACaseIsNeverLeftOut) {
  for (const Experiment& one : battery("^multiscan/").experiments)
    EXPECT_EQ(*find_axis(one, "scan"), (std::vector<Json>{"exclusive", "inclusive"}));
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
    ASSERT_GT(launches.size(), 1u);
    const Grid& first = launches.front().grid;
    ASSERT_GT(first.blocks, launches.back().grid.blocks);
    std::set<Json> expected{100003, many};
    for (const Index covered : {first.blocks * first.threads, (many + first.blocks - 1) / first.blocks})
      if (covered < many) expected.insert({covered - 1, covered, covered + 1});
    EXPECT_GT(expected.size(), 4u);
    EXPECT_TRUE(holds(values(battery(std::string("^reduce/") + variant + "$").experiments, "n"), expected))
        << variant;
  }
}

// A worker that found other cells than its parent would answer for the wrong ones.
TEST_F(BatteryOf, WorkersAreToldTheSame) {
  const Battery found = battery("^segreduce/tb2$");
  const Battery told = battery_from(Json::parse(to_json(found).dump()));
  EXPECT_EQ(to_json(told), to_json(found));
  ASSERT_FALSE(told.experiments.empty());
  EXPECT_EQ(told.scheduled.size(), found.scheduled.size());
}

TEST_F(BatteryOf, NothingToVerifyIsAnError) {
  Battery impossible;
  impossible.experiments = {
      {"battery",
       "histogram",
       {"global_atomic"},
       {{"n", {10}}, {"type", {"u32"}}, {"operator", {"sum"}}, {"m", {1}}, {"labels", {"missing"}}}}};
  Work work;
  work.devices = std::make_unique<OpenDevices>("simt:gtx480");
  EXPECT_EQ(usage_error([&] { plan_battery(impossible, 1, work); }),
            "histogram: the battery is empty, so nothing would be verified: labels=missing leaves a label "
            "out: m is 1, "
            "so none would be left");
  // A library call alone is refused on the modelled device by its card: no fault of the problem.
  Work library;
  library.devices = std::make_unique<OpenDevices>("simt:gtx480");
  EXPECT_NO_THROW(plan_battery(battery("^histogram/cub$"), 1, library));
}

}  // namespace
}  // namespace redbench
