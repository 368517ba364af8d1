// Which case of a cell has written the inputs: of small ones each is asked after it ran, of large ones all at
// once, and only where something was written one by one.
#include <gtest/gtest.h>

#include <vector>

#include "src/cell/cell.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

int runs = 0;

u32 sum_of(const Operands& x) {
  u32 sum = 0;
  for (Index i = 0; i < x.n; ++i) sum += static_cast<const u32*>(x.values)[i];
  return sum;
}
void right(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    ++runs;
    *static_cast<u32*>(x.result) = sum_of(x);
  });
}
void writes_input(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    ++runs;
    *static_cast<u32*>(x.result) = sum_of(x);
    static_cast<u32*>(const_cast<void*>(x.values))[x.n - 1] ^= 1;
  });
}

/// What is said of each of three cases, of which one writes its inputs, and how often one was run.
std::vector<std::string> told(Index n, std::size_t writer) {
  FakeDevice device;
  Meters meters({device, device});
  Cell cell;
  cell.problem = find_problem("reduce");
  cell.input = {Type::u32, Operator::sum,
                n,         Json{{"values", "uniform"}},
                1,         cell.problem->pair(Type::u32, Operator::sum)};
  std::vector<Variant> variants(3);
  std::vector<Instance> instances;
  for (std::size_t i = 0; i < 3; ++i)
    instances.push_back({Type::u32, Operator::sum, i == writer ? writes_input : right, {}});
  for (std::size_t i = 0; i < 3; ++i) {
    variants[i].name = "reduce/case" + std::to_string(i);
    variants[i].problem = "reduce";
    variants[i].instances[std::size_t(Target::host)] = {instances[i]};
    cell.cases.push_back(
        {&variants[i], "host", cell.input, {}, &instances[i], {}, {}, cell.problem->sizes(cell.input)});
  }
  CellOptions options;
  options.timing = false;
  std::vector<std::string> all;
  runs = 0;
  run_cell(cell, meters, options,
           {[](const Case&) {}, [] {},
            [&](const Record& record) {
              all.push_back(record["outcome"].get<std::string>() +
                            (record["reason"].is_null() ? "" : ": " + record["reason"].get<std::string>()));
            }});
  all.push_back(std::to_string(runs));
  return all;
}

// 16 MiB are 4 Mi numbers.
TEST(WrittenInputs, AreBlamedOnTheirWriterWhereverItIs) {
  constexpr Index small = Index(4) << 20;
  for (std::size_t writer = 0; writer < 3; ++writer)
    for (const Index n : {small, small + 1}) {
      std::vector<std::string> expected(3, "passed");
      expected[writer] = "wrong: writes its inputs";
      expected.emplace_back(n == small ? "3" : "6");
      EXPECT_EQ(told(n, writer), expected) << n << ' ' << writer;
    }
  EXPECT_EQ(told(small + 1, 3), (std::vector<std::string>{"passed", "passed", "passed", "3"}))
      << "nobody wrote, and nobody runs again";
}

}  // namespace
}  // namespace redbench
