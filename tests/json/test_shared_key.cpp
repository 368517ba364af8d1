#include "src/json/shared_key.hpp"

#include <gtest/gtest.h>

#include "src/json/json.hpp"
#include "src/parallel.hpp"

namespace redbench {
namespace {

TEST(SharedKey, IsTheSameOfTheSameTextInAllThreads) {
  std::vector<SharedKey> keys(1000);
  in_parallel(keys.size(), [&](std::size_t i) { keys[i] = SharedKey("key " + std::to_string(i % 10)); });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(keys[i], SharedKey("key " + std::to_string(i % 10)));
    EXPECT_EQ(keys[i] == keys[0], i % 10 == 0);
  }
}

TEST(SharedKey, LeavesTheOrderOfAnObjectAsItIsWritten) {
  Json object = Json::parse(R"({"b": 1, "a": 2, "c": 3})");
  object.erase("b");
  object["b"] = 4;
  object["a"] = 5;
  EXPECT_EQ(object.dump(), R"({"a":5,"c":3,"b":4})");
}

TEST(SharedKey, FindsEachMemberWhateverWasFoundBefore) {
  const Json three = {{"a", 1}, {"b", 2}, {"c", 3}}, one = {{"a", 4}};
  for (const char* before : {"a", "b", "c", "none"})
    for (const char* name : {"a", "b", "c", "none"}) {
      three.contains(before);
      EXPECT_EQ(three.value(name, 0), name == std::string("none") ? 0 : name[0] - 'a' + 1) << before << name;
      three.contains(before);
      EXPECT_EQ(one.value(name, 0), name == std::string("a") ? 4 : 0) << before << name;
    }
}

}  // namespace
}  // namespace redbench
