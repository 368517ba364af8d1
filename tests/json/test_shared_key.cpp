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

}  // namespace
}  // namespace redbench
