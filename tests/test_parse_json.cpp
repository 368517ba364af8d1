// The reader of JSON that programs wrote.
#include "src/parse_json.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

/// A number within so many lists, or objects.
std::string nested(std::size_t levels, const std::string& opening, const std::string& closing) {
  std::string text;
  for (std::size_t level = 0; level < levels; ++level) text += opening;
  text += '1';
  for (std::size_t level = 0; level < levels; ++level) text += closing;
  return text;
}

// The bug: what stands in the deepest list counted as a level of its own.
TEST(ParseJson, OnlyListsAndObjectsAreLevels) {
  EXPECT_FALSE(parse_json(nested(64, "[", "]")).is_discarded());
  EXPECT_TRUE(parse_json(nested(65, "[", "]")).is_discarded());
  EXPECT_FALSE(parse_json(nested(64, "{\"a\":", "}")).is_discarded());
  EXPECT_TRUE(parse_json(nested(65, "{\"a\":", "}")).is_discarded());
}

TEST(ParseJson, WhatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "{", "[1,]", "{\"a\": 1,}", "[1] 2", "\xff", "nul", "{\"a\": 1e999}"})
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5, "µ"], "a": null})").dump(), R"({"b":[1,2.5,"µ"],"a":null})");
}

TEST(PartOf, IsNullWhereThereIsNone) {
  const Json object{{"a", 7}, {"b", nullptr}};
  EXPECT_EQ(part_of(object, "a"), 7);
  EXPECT_TRUE(part_of(object, "b").is_null());
  EXPECT_TRUE(part_of(object, "c").is_null());
  EXPECT_TRUE(part_of(Json::array({1}), "a").is_null());
  EXPECT_TRUE(part_of("a", "a").is_null());
}

}  // namespace
}  // namespace redbench
