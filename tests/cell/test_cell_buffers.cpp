// The buffers of a cell, by what they hold before anything runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "src/cell/buffers.hpp"
#include "tests/support.hpp"

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

// Pieces of 0, 12 and 256 bytes begin at multiples of 256; each zone is 1024 bytes and what is left up to
// one.
class ThreePieces : public testing::Test {
 protected:
  std::byte* memory() const { return static_cast<std::byte*>(guarded_.places({0})[0]) - 1024; }
  /// What is said once that byte was written.
  std::string damage_at(std::size_t byte) {
    const std::byte before = std::exchange(memory()[byte], std::byte(1));
    const std::string said = guarded_.damage({"none", "twelve", "whole"});
    memory()[byte] = before;
    return said;
  }
  const std::unique_ptr<Device> host_ = make_host();
  const std::vector<std::size_t> pieces_{0, 12, 256};
  GuardedMemory guarded_{*host_, 4700};
};

TEST_F(ThreePieces, LieBetweenZones) {
  EXPECT_EQ(GuardedMemory::room_for(pieces_), 4608u);
  EXPECT_EQ(GuardedMemory::room_for({}), 1024u);
  const std::vector<void*> starts = guarded_.cut(pieces_, 0x11);
  EXPECT_EQ(starts, (std::vector<void*>{memory() + 1024, memory() + 2048, memory() + 3328}));
  EXPECT_EQ(guarded_.places(pieces_), starts);
  const auto bytes = [&](std::size_t first, std::size_t end, int value) {
    return std::count(memory() + first, memory() + end, std::byte(value)) == std::ptrdiff_t(end - first);
  };
  EXPECT_TRUE(bytes(0, 2048, 0x7A));
  EXPECT_TRUE(bytes(2048, 2060, 0x11));
  EXPECT_TRUE(bytes(2060, 3328, 0x7A));
  EXPECT_TRUE(bytes(3328, 3584, 0x11));
  EXPECT_TRUE(bytes(3584, 4608, 0x7A));
  EXPECT_TRUE(bytes(4608, 4700, 0x11)) << "what is behind";
  std::memset(starts[2], 0x22, 256);
  EXPECT_EQ(guarded_.guard({0, 12, 250}), starts);
  EXPECT_TRUE(bytes(2048, 2060, 0x11)) << "what pieces hold stays";
  EXPECT_TRUE(bytes(3328, 3578, 0x22));
  EXPECT_TRUE(bytes(3578, 4608, 0x7A));
}

TEST_F(ThreePieces, AWriteIsToldByThePieceThatItIsBehind) {
  guarded_.cut(pieces_, 0x11);
  EXPECT_EQ(guarded_.damage({"none", "twelve", "whole"}), "");
  const std::pair<std::size_t, const char*> places[] = {{0, "writes before the start of none"},
                                                        {1023, "writes before the start of none"},
                                                        {1024, "writes byte 0 of none, which has 0"},
                                                        {2047, "writes byte 1023 of none, which has 0"},
                                                        {2048, ""},
                                                        {2059, ""},
                                                        {2060, "writes byte 12 of twelve, which has 12"},
                                                        {2063, "writes byte 15 of twelve, which has 12"},
                                                        {3327, "writes byte 1279 of twelve, which has 12"},
                                                        {3328, ""},
                                                        {3583, ""},
                                                        {3584, "writes byte 256 of whole, which has 256"},
                                                        {4607, "writes byte 1279 of whole, which has 256"},
                                                        {4608, ""}};
  for (const auto& [byte, said] : places) EXPECT_EQ(damage_at(byte), said) << byte;
  memory()[4000] = memory()[2100] = memory()[2090] = std::byte(1);
  EXPECT_EQ(guarded_.damage({"none", "twelve", "whole"}), "writes byte 42 of twelve, which has 12")
      << "the first of all";
  guarded_.cut({}, 0x11);
  EXPECT_EQ(damage_at(0), "") << "of no piece";
}

// Without labels: where they would be is a zone alone.
TEST(CellBuffers, InputsAndResultLieWhereTheyAreToldToBe) {
  const std::unique_ptr<Device> host = make_host();
  Inputs inputs;
  inputs.n = 4;
  inputs.m = 3;
  inputs.form = 2;
  inputs.values = HostBuffer(16);
  std::memset(inputs.values.data.get(), 3, 16);
  inputs.offsets = HostBuffer(24);
  std::memset(inputs.offsets.data.get(), 5, 24);
  CellBuffers buffers(*host, inputs, 8);
  const Operands& x = buffers.operands();
  EXPECT_EQ(x.n, 4);
  EXPECT_EQ(x.m, 3);
  EXPECT_EQ(x.form, 2);
  auto* const values = static_cast<std::byte*>(const_cast<void*>(x.values));
  EXPECT_EQ(x.labels, values + 1280);
  EXPECT_EQ(static_cast<const void*>(x.offsets), values + 2304);
  EXPECT_EQ(x.result, values + 3584);
  EXPECT_EQ(buffers.result_bytes(), 8u);
  EXPECT_EQ(buffers.input_bytes(), 40u);
  const std::vector<Span> spans = buffers.input_spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].start, x.values);
  EXPECT_EQ(spans[0].bytes, 16u);
  EXPECT_EQ(spans[1].start, static_cast<const void*>(x.offsets));
  EXPECT_EQ(spans[1].bytes, 24u);

  const auto said = [&](std::ptrdiff_t byte) {
    const std::byte before = std::exchange(values[byte], std::byte(1));
    const std::string damage = buffers.damage();
    values[byte] = before;
    return damage;
  };
  EXPECT_EQ(said(-1), "writes before the start of the values");
  EXPECT_EQ(said(18), "writes byte 18 of the values, which has 16");
  EXPECT_EQ(said(1281), "writes byte 1 of the labels, which has 0");
  EXPECT_EQ(said(2330), "writes byte 26 of the offsets, which has 24");
  EXPECT_EQ(said(3593), "writes byte 9 of the result, which has 8");
  EXPECT_EQ(said(3584), "");

  std::memset(values, 9, 16);
  buffers.restore_values(4, 8);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(values), 16),
            std::string(4, 9) + std::string(8, 3) + std::string(4, 9));
  EXPECT_FALSE(buffers.inputs_intact());
  buffers.restore_values(0, 16);
  EXPECT_TRUE(buffers.inputs_intact());
  const_cast<Index*>(x.offsets)[2] = 0;
  EXPECT_FALSE(buffers.inputs_intact()) << "the last byte of the last of them";
  buffers.restore();
  EXPECT_TRUE(buffers.inputs_intact());
}

// What does no harm to an operator at first does so in the second round.
TEST(ScratchPoison, IsLowForAMinimumAndHighForAllOthers) {
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::min), 0), 0xFF);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::max), 0), 0xFF);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::min), 1), 0x80);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::max), 1), 0x7F);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::sum), 1), 0x7F);
}

}  // namespace
}  // namespace redbench
