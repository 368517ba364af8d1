// The buffers of a cell, by what they hold before anything runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "src/cell/buffers.hpp"

namespace redbench {
namespace {

TEST(CellBuffers, WhatIsRestoredIsTheInputsAndAResultOfZeros) {
  const std::unique_ptr<Device> host = make_host();
  Inputs inputs;
  inputs.n = 4;
  inputs.values = HostBuffer(16);
  std::memset(inputs.values.data.get(), 3, 16);
  CellBuffers buffers(*host, inputs, 8);
  buffers.poison_result(0x5A);
  std::memset(const_cast<void*>(buffers.operands().values), 4, 16);
  EXPECT_FALSE(buffers.inputs_intact());
  buffers.restore();
  EXPECT_TRUE(buffers.inputs_intact());
  const HostBuffer& result = buffers.download_result();
  ASSERT_EQ(result.bytes, 8u);
  EXPECT_TRUE(
      std::all_of(result.data.get(), result.data.get() + 8, [](auto byte) { return int(byte) == 0; }));
}

}  // namespace
}  // namespace redbench
