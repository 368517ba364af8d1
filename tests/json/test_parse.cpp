// The reader of JSON that programs wrote.
#include "src/json/parse.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

TEST(ParseJson, SixtyFourListsOrObjectsMayBeWithinEachOther) {
  const auto nested = [](std::size_t levels, const std::string& opening, const std::string& closing) {
    std::string text = "1";
    for (std::size_t level = 0; level < levels; ++level) text = opening + text + closing;
    return text;
  };
  for (const auto& [opening, closing] : {std::pair("[", "]"), {"{\"a\":", "}"}}) {
    EXPECT_FALSE(parse_json(nested(64, opening, closing)).is_discarded());
    EXPECT_TRUE(parse_json(nested(65, opening, closing)).is_discarded());
  }
}

TEST(ParseJson, WhatIsNoJsonIsDiscarded) {
  for (const char* text : {"", "{", "[1,]", "{\"a\": 1,}", "[1] 2", "\xff", "nul", "{\"a\": 1e999}"})
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
  EXPECT_EQ(parse_json(R"({"b": [1, 2.5, "µ"], "a": null})").dump(), R"({"b":[1,2.5,"µ"],"a":null})");
  EXPECT_TRUE(part_of(Json::array({1}), "a").is_null());
}

}  // namespace
}  // namespace redbench
