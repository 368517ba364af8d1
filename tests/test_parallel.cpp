#include "src/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
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

}  // namespace
}  // namespace redbench
