// A test that needs a GPU: skipped with the reason where there is none, failed where REDBENCH_NEEDS_GPU is
// set.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "src/error.hpp"
#include "src/measure/meter.hpp"

namespace redbench {

/// The first GPU with what it is measured with, or why there is none.
struct Gpu {
  std::unique_ptr<Device> device;
  std::unique_ptr<Meter> meter;
  std::string missing;
};

inline Gpu& gpu() {
  static Gpu opened = [] {
    Gpu first;
    try {
      first.device = open_device("cuda");
      first.meter = std::make_unique<Meter>(*first.device);
    } catch (const std::runtime_error& error) {
      first.missing = error.what();
    }
    return first;
  }();
  return opened;
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    if (gpu().device) return;
    if (std::getenv("REDBENCH_NEEDS_GPU")) FAIL() << gpu().missing;
    GTEST_SKIP() << gpu().missing;
  }
  static Device& device() { return *gpu().device; }
};

}  // namespace redbench
