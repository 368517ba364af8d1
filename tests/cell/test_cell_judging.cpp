// Whom run_cell blames, and in which words.
#include <gtest/gtest.h>

#include "src/reference/planted.hpp"
#include "tests/cell/cell_of.hpp"
#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

// The first of all is among those that may have written them.
TEST(Cell, TheFirstCaseMayBeTheWriterOfLargeInputs) {
  CellOf cell({writes_input, right, zero}, (Index(4) << 20) + 1);
  cell.options_.timing = false;
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0]["reason"], "writes its inputs");
  EXPECT_EQ(records[1]["outcome"], "passed") << records[1];
  EXPECT_EQ(caught_by(records[2]), CaughtBy::comparison) << records[2];
}

// Of an operator that keeps the last value, another stands before; of the others one is alone.
TEST(Cell, WhatIsPlantedIsToldInOrder) {
  const auto reason = [](Algorithm run, Operator op) {
    return CellOf({run}, 1000, op, Type::u32).only()["reason"].get<std::string>();
  };
  const Pair& last = reduction(Type::u32, Operator::right);
  const HostBuffer value = planted_value(last, 1), before = other_planted_value(last, 1, value);
  const std::string second = last.value->text(value.data.get()), first = last.value->text(before.data.get()),
                    nothing = last.value->text(identities(last, 4).data.get());
  EXPECT_NE(first, second);
  EXPECT_EQ(reason(skips<Right<u32>, 448, 512>, Operator::right),
            "with " + first + " before " + second + " as value 500 among identities: result[0] is " +
                nothing + ", the exact answer is " + second);
  EXPECT_EQ(reason(skips<Right<u32>, 500, 501>, Operator::right),
            "with " + first + " before " + second + " as value 500 among identities: result[0] is " + first +
                ", the exact answer is " + second);
  const std::string least =
      last.value->text(planted_value(reduction(Type::u32, Operator::min), 1).data.get());
  EXPECT_EQ(reason(skips<Min<u32>, 448, 512>, Operator::min),
            "with " + least +
                " as value 500 among identities: result[0] is 4294967295, the exact answer is " + least);
}

// The second of three values has one before it, too.
TEST(Cell, AtTheSecondValueTheFirstIsTheOneBefore) {
  const Pair& last = reduction(Type::u32, Operator::right);
  const HostBuffer value = planted_value(last, 1), before = other_planted_value(last, 1, value);
  const std::string second = last.value->text(value.data.get()), first = last.value->text(before.data.get());
  EXPECT_EQ(CellOf({skips<Right<u32>, 1, 2>}, 3, Operator::right, Type::u32).only()["reason"],
            "with " + first + " before " + second + " as value 1 among identities: result[0] is " + first +
                ", the exact answer is " + second);
}

// What has not passed on the cell's own values is not judged on others, which would hide its reason.
TEST(Cell, TheFirstReasonStays) {
  const std::vector<Record> records = CellOf({zero, fails}, 1000, Operator::min).records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["reason"].get<std::string>().find("result[0] is 0, the exact answer is -"), 0u)
      << records[0];
  EXPECT_EQ(records[1]["reason"], "the device said no");
}

}  // namespace
}  // namespace redbench
