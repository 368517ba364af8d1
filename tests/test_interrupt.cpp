// Interrupts, and who learns of them.
#include "src/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace redbench {
namespace {

TEST(Interrupt, WhatAnInnerWatchCatchesTheOuterKnowsUntilANewOneBegins) {
  {
    const InterruptWatch outer;
    EXPECT_FALSE(InterruptWatch::interrupted());
    {
      const InterruptWatch inner;
      std::raise(SIGINT);
    }
    EXPECT_TRUE(InterruptWatch::interrupted());
    std::raise(SIGTERM);
  }
  const InterruptWatch another;
  EXPECT_FALSE(InterruptWatch::interrupted());
}

TEST(Interrupt, WithoutAWatchTheHandlerOfBeforeIsThere) {
  { const InterruptWatch watch; }
  EXPECT_EXIT(std::raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace redbench
