// The values that a cell's cases are judged on besides their own: what is planted where, and what is said of
// a case that only they show to be wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "src/cell/cell.hpp"
#include "src/reference/planted.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr i32 identity = std::numeric_limits<i32>::min();  // of max and right

using Places = std::vector<Index>;
std::vector<Places> seen;  // where there was another value, in each run in which most were the identity

std::vector<Index> others(const Operands& x) {
  std::vector<Index> places;
  for (Index i = 0; i < x.n; ++i)
    if (static_cast<const i32*>(x.values)[i] != identity) places.push_back(i);
  return places;
}
i32 value_at(const Operands& x, Index i) { return static_cast<const i32*>(x.values)[i]; }
i32& result_of(const Operands& x) { return *static_cast<i32*>(x.result); }

void last(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    const Places places = others(x);
    if (Index(places.size()) < x.n || x.n < 3) seen.push_back(places);
    result_of(x) = places.empty() ? identity : value_at(x, places.back());
  });
}
void largest(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    const Places places = others(x);
    if (places.size() < 3) seen.push_back(places);
    result_of(x) = identity;
    for (const Index i : places) result_of(x) = std::max(result_of(x), value_at(x, i));
  });
}
/// Where all have values the last, else the first.
void first_of_few(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    const Places places = others(x);
    result_of(x) = value_at(x, Index(places.size()) == x.n && x.n > 2 ? places.back() : places.front());
  });
}
/// Where all have values the largest, else none.
void none_of_few(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    result_of(x) = identity;
    if (others(x).size() > 2)
      for (Index i = 0; i < x.n; ++i) result_of(x) = std::max(result_of(x), value_at(x, i));
  });
}

/// The record of one case on the host, over n numbers, whose launch has so many blocks; 0: it has none.
Record record_of_case(void (*run)(Queue&, const Operands&), Operator op, Index n, Index blocks = 0) {
  FakeDevice device;
  FakeTime time;
  Meters meters({device, device});
  meters.host.use(std::make_unique<FakeStopwatch>(time, 1000));
  Variant variant{"reduce/case", "reduce", "case", {}, "", "hash", {}};
  const Instance instance{Type::i32, op, run, {}};
  variant.instances[std::size_t(Target::host)] = {instance};
  Cell cell;
  cell.problem = find_problem("reduce");
  cell.input = {Type::i32, op, n, Json{{"values", "uniform"}}, 1, cell.problem->pair(Type::i32, op)};
  Case one{&variant, "host", cell.input, {}, &instance, {}, {}, cell.problem->sizes(cell.input)};
  if (blocks) {
    one.footprint.launches.resize(1);
    one.footprint.launches[0].grid.blocks = blocks;
  }
  cell.cases.push_back(one);
  CellOptions options;
  options.measure.min_samples = options.measure.max_samples = 1;
  options.measure.timeout_s = 1e6;
  Record told;
  seen.clear();
  run_cell(cell, meters, options,
           {[](const Case&) {}, [] {}, [&](Record record) { told = std::move(record); }});
  return told;
}

// The order of two shows in the result of `right` alone: there another value is before the place, also where
// that is the second of all.
TEST(PlantedSteps, BeforeEachPlaceButTheFirstIsAnotherValueForRight) {
  for (const Index n : {Index(9), Index(100)}) {
    EXPECT_EQ(record_of_case(last, Operator::right, n)["outcome"], "passed");
    std::vector<Places> expected;
    for (const Index place : planting_places(n, 1, {}))
      expected.push_back(place == 0 ? Places{0} : Places{place - 1, place});
    EXPECT_EQ(seen, expected) << n;
  }
  EXPECT_EQ(record_of_case(last, Operator::right, 2)["outcome"], "passed");
  ASSERT_GT(seen.size(), 3u) << "its own values first, then the places 1 and 0";
  EXPECT_EQ(seen[1], (Places{0, 1}));
  EXPECT_EQ(seen[2], Places{0});
  EXPECT_EQ(record_of_case(largest, Operator::max, 9)["outcome"], "passed");
  std::vector<Places> alone;
  for (const Index place : planting_places(9, 1, {})) alone.push_back({place});
  EXPECT_EQ(seen, alone);
}

// Two blocks share the values out, one does not.
TEST(PlantedSteps, TwoBlocksHaveABorder) {
  for (const auto& [blocks, shares] : {std::pair<Index, Places>(0, {}), {1, {}}, {2, {2, 2}}, {3, {3, 3}}}) {
    EXPECT_EQ(record_of_case(largest, Operator::max, 100, blocks)["outcome"], "passed");
    std::vector<Places> expected;
    for (const Index place : planting_places(100, 1, shares)) expected.push_back({place});
    EXPECT_EQ(seen, expected) << blocks;
  }
}

TEST(PlantedSteps, AWrongResultIsToldWithWhatWasPlantedWhere) {
  const auto number = [](const HostBuffer& value) { return std::to_string(*value.as<i32>()); };
  const Pair& right = reduction(Type::i32, Operator::right);
  const HostBuffer value = planted_value(right, 1), before = other_planted_value(right, 1, value);
  const Record ordered = record_of_case(first_of_few, Operator::right, 9);
  EXPECT_EQ(ordered["outcome"], "wrong");
  EXPECT_EQ(ordered["reason"], "with " + number(before) + " before " + number(value) +
                                   " as value 8 among identities: result[0] is " + number(before) +
                                   ", the exact answer is " + number(value));
  EXPECT_TRUE(ordered["time_ns"].is_null());
  const std::string planted = number(planted_value(reduction(Type::i32, Operator::max), 1));
  const Record alone = record_of_case(none_of_few, Operator::max, 9);
  EXPECT_EQ(alone["outcome"], "wrong");
  EXPECT_EQ(alone["reason"], "with " + planted +
                                 " as value 8 among identities: result[0] is -2147483648, "
                                 "the exact answer is " +
                                 planted);
}

}  // namespace
}  // namespace redbench
