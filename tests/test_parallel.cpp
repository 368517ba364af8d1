#include "src/parallel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

namespace redbench {
namespace {

TEST(InParallel, EachIndexIsVisitedOnce) {
  for (const std::size_t count : {0u, 1u, 1000u, 100'000u}) {
    std::vector<int> visits(count);
    in_parallel(count, [&](std::size_t i) { ++visits[i]; });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

TEST(InParallel, WhatOneCallThrowsIsThrown) {
  EXPECT_THROW(in_parallel(1000,
                           [](std::size_t i) {
                             if (i == 500) throw std::runtime_error("500");
                           }),
               std::runtime_error);
}

/// 0 to 999, in order; `at` sees each call of next, make and take with its part.
std::vector<int> taken_of(const std::function<void(std::string_view call, int part)>& at) {
  std::vector<int> taken;
  int next = 0;
  in_order(
      [&] {
        at("next", next);
        return next < 1000 ? std::optional(next++) : std::nullopt;
      },
      [&](int part) {
        at("make", part);
        return part;
      },
      [&](int part) {
        at("take", part);
        taken.push_back(part);
      });
  return taken;
}

TEST(InOrder, PartsAreTakenAsTheyAreGivenHoweverLongTheyTakeToMake) {
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(taken_of([](std::string_view call, int part) {
              if (call == "make" && part % 7 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(500));
            }),
            expected);
}

TEST(InOrder, WhatOneCallThrowsIsThrown) {
  for (const std::string_view where : {"next", "make", "take"})
    EXPECT_THROW(taken_of([&](std::string_view call, int part) {
                   if (call == where && part == 500) throw std::runtime_error("500");
                 }),
                 std::runtime_error);
}

}  // namespace
}  // namespace redbench
