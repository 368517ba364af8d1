// Records in little memory are the records.
#include "src/records/packed_records.hpp"

#include <gtest/gtest.h>

#include "tests/record_support.hpp"

namespace redbench {
namespace {

const std::vector<Record> records = [] {
  Record first = completed(timed("reduce/a", 1024, 7, 6, 8)), other = first;
  first["trace"] = {-1,
                    18446744073709551615u,
                    0.1,
                    true,
                    false,
                    nullptr,
                    "a text",
                    Json::array(),
                    Json::object(),
                    {{"b", {1, {{"a", "a text"}}}}}};
  other["trace"] = {-2,      0u, 2.5,           true,           true,
                    nullptr, "", Json::array(), Json::object(), {{"b", {2, {{"a", ""}}}}}};
  return std::vector<Record>{first, other, first};
}();

TEST(PackedRecords, GiveEachRecordAsItWas) {
  std::vector<std::string> expected, given;
  for (const Record& record : records) expected.push_back(line_of(record));
  PackedRecords(records).for_each([&](const Record& record) { given.push_back(line_of(record)); });
  EXPECT_EQ(given, expected);
}

TEST(PackedRecords, AreGoneThroughInTheirOrderAfterSomeWereChosen) {
  PackedRecords all;
  for (int i = 0; i < 5000; ++i) {
    Record record = records[0];
    record["n"] = i;
    all.push_back(record);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 5000; i-- > 1;) places.push_back(i);
  std::vector<int> seen;
  all.chosen(places).for_each([](const Record& record) { return record["n"].get<int>(); },
                              [&](int n) { seen.push_back(n); });
  EXPECT_EQ(seen, std::vector<int>(places.begin(), places.end()));
}

}  // namespace
}  // namespace redbench
