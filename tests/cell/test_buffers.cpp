// The device memory of a cell: pieces between red zones, inputs that are compared with their own bytes.
#include "src/cell/buffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

HostBuffer bytes_of(std::size_t count, int byte) {
  HostBuffer buffer(count);
  std::memset(buffer.data.get(), byte, count);
  return buffer;
}

std::byte* writable(const void* start) { return static_cast<std::byte*>(const_cast<void*>(start)); }

/// What `damage` says once this byte was written.
template <class Memory>
std::string damage_at(std::byte& byte, const Memory& damage) {
  const std::byte before = std::exchange(byte, std::byte(1));
  const std::string reported = damage();
  byte = before;
  return reported;
}

// Pieces of 0, 12 and 256 bytes begin at multiples of 256. The zone behind each begins at its last byte in
// use, and ends 1024 bytes behind the next multiple of 256.
class GuardedPieces : public testing::Test {
 protected:
  std::byte* memory() const { return static_cast<std::byte*>(guarded_.places({0})[0]) - 1024; }
  std::string damage() const { return guarded_.damage({"none", "twelve", "whole"}); }
  bool holds(std::size_t first, std::size_t end, int value) const {
    return std::count(memory() + first, memory() + end, std::byte(value)) == std::ptrdiff_t(end - first);
  }
  FakeDevice device_;
  const std::vector<std::size_t> pieces_{0, 12, 256};
  GuardedMemory guarded_{device_, 4700};
};

TEST_F(GuardedPieces, LieBetweenZones) {
  EXPECT_EQ(GuardedMemory::room_for(pieces_), 4608u);
  EXPECT_EQ(GuardedMemory::room_for({}), 1024u);
  EXPECT_EQ(GuardedMemory::room_for({257, 3}), 1024 + 512 + 1024 + 256 + 1024u);
  const std::vector<void*> starts = guarded_.cut(pieces_, 0x11);
  EXPECT_EQ(starts, (std::vector<void*>{memory() + 1024, memory() + 2048, memory() + 3328}));
  EXPECT_EQ(guarded_.places(pieces_), starts);
  EXPECT_TRUE(holds(0, 2048, 0x7A) && holds(2060, 3328, 0x7A) && holds(3584, 4608, 0x7A));
  EXPECT_TRUE(holds(2048, 2060, 0x11) && holds(3328, 3584, 0x11));
  EXPECT_TRUE(holds(4608, 4700, 0x11)) << "what is behind";
  // Guarded anew, the pieces keep what they hold.
  std::memset(starts[2], 0x22, 256);
  EXPECT_EQ(guarded_.guard({0, 12, 250}), starts);
  EXPECT_TRUE(holds(2048, 2060, 0x11) && holds(3328, 3578, 0x22) && holds(3578, 4608, 0x7A));
}

TEST_F(GuardedPieces, AWriteIsReportedWithThePieceThatItIsBehind) {
  guarded_.cut(pieces_, 0x11);
  EXPECT_EQ(damage(), "");
  const std::pair<std::size_t, const char*> places[] = {{0, "writes before the start of none"},
                                                        {1024, "writes byte 0 of none, which has 0"},
                                                        {2047, "writes byte 1023 of none, which has 0"},
                                                        {2048, ""},
                                                        {2059, ""},
                                                        {2060, "writes byte 12 of twelve, which has 12"},
                                                        {3583, ""},
                                                        {3584, "writes byte 256 of whole, which has 256"},
                                                        {4607, "writes byte 1279 of whole, which has 256"},
                                                        {4608, ""}};
  for (const auto& [byte, reported] : places)
    EXPECT_EQ(damage_at(memory()[byte], [&] { return damage(); }), reported) << byte;
  memory()[4000] = memory()[2100] = memory()[2090] = std::byte(1);
  EXPECT_EQ(damage(), "writes byte 42 of twelve, which has 12") << "the first of all";
}

// Without labels: where they would be is a zone alone.
TEST(CellBuffers, InputsAndResultAreGuardedByTheirNames) {
  FakeDevice device;
  Inputs inputs;
  inputs.n = 4;
  inputs.m = 3;
  inputs.form = 2;
  inputs.values = bytes_of(16, 3);
  inputs.offsets = bytes_of(24, 5);
  CellBuffers buffers(device, inputs, 8);
  const Operands& x = buffers.operands();
  EXPECT_EQ(std::tuple(x.n, x.m, x.form), std::tuple(4, 3, 2));
  std::byte* const values = writable(x.values);
  EXPECT_EQ(x.labels, values + 1280);
  EXPECT_EQ(static_cast<const void*>(x.offsets), values + 2304);
  EXPECT_EQ(x.result, values + 3584);
  EXPECT_EQ(buffers.result_bytes(), 8u);
  EXPECT_EQ(buffers.input_bytes(), 40u);
  const std::vector<Span> spans = buffers.input_spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(std::pair(spans[0].start, spans[0].bytes), std::pair(x.values, std::size_t(16)));
  EXPECT_EQ(std::pair(spans[1].start, spans[1].bytes),
            std::pair(static_cast<const void*>(x.offsets), std::size_t(24)));
  for (const auto& [byte, reported] : {std::pair(-1, "writes before the start of the values"),
                                       {18, "writes byte 18 of the values, which has 16"},
                                       {1281, "writes byte 1 of the labels, which has 0"},
                                       {2330, "writes byte 26 of the offsets, which has 24"},
                                       {3593, "writes byte 9 of the result, which has 8"},
                                       {3584, ""}})
    EXPECT_EQ(damage_at(values[byte], [&] { return buffers.damage(); }), reported);

  // What is written is seen, and what is restored is the inputs and a result of zeros.
  std::memset(values, 9, 16);
  buffers.restore_values(4, 8);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(values), 16),
            std::string(4, 9) + std::string(8, 3) + std::string(4, 9));
  EXPECT_FALSE(buffers.inputs_intact());
  buffers.restore_values(0, 16);
  EXPECT_TRUE(buffers.inputs_intact());
  const_cast<Index*>(x.offsets)[2] = 0;
  EXPECT_FALSE(buffers.inputs_intact()) << "the last byte of the last of them";
  buffers.poison_result(0xA5);
  EXPECT_EQ(std::string(buffers.download_result().as<char>(), 8), std::string(8, char(0xA5)));
  values[-1] = std::byte(0);
  buffers.restore();
  EXPECT_TRUE(buffers.inputs_intact());
  EXPECT_EQ(buffers.damage(), "");
  EXPECT_EQ(std::string(buffers.download_result().as<char>(), 8), std::string(8, '\0'));
}

// Inputs of more than 64 MiB are read back in pieces: each is compared with its own bytes of the inputs.
TEST(CellBuffers, EachPieceOfLargeInputsIsComparedWithItsOwn) {
  constexpr std::ptrdiff_t piece = std::ptrdiff_t(64) << 20;
  FakeDevice device;
  Inputs inputs;
  inputs.values = bytes_of(std::size_t(piece) + 12, 3);
  std::memset(inputs.values.data.get() + piece, 9, 12);
  inputs.labels = bytes_of(8, 5);
  CellBuffers buffers(device, inputs, 4);
  EXPECT_TRUE(buffers.inputs_intact());
  std::byte* const values = writable(buffers.operands().values);
  for (std::byte* const byte : {values, values + piece - 1, values + piece, values + piece + 11,
                                writable(buffers.operands().labels) + 7})
    EXPECT_EQ(damage_at(*byte, [&] { return buffers.inputs_intact() ? "intact" : ""; }), "");
}

/// An answer of two results.
struct Two : Reference {
  Two(i32 first, i32 second) : answer{first, second} {}
  Index results() const override { return 2; }
  Expected block(Index first, Index count) override {
    Expected block;
    block.exact = HostBuffer(std::size_t(count) * sizeof(i32));
    std::memcpy(block.exact.data.get(), answer.data() + first, block.exact.bytes);
    return block;
  }
  std::array<i32, 2> answer;
};

// An answer of all ones is what a result that nobody wrote would hold, were its poison all ones.
TEST(Poison, OfAResultIsNotTheAnswer) {
  const auto poison = [&](i32 first, i32 second, int round = 0) {
    ExactAnswer answer(reduction(Type::i32, Operator::sum), std::make_unique<Two>(first, second));
    return result_poison(answer, round);
  };
  EXPECT_EQ(poison(5, i32(0xA5A5A5A5)), 0xFF);
  EXPECT_EQ(poison(i32(0xA5A5A5A5), -1, 0), 0xA5);
  EXPECT_EQ(poison(i32(0xA5A5A5A5), -1, 1), 0x5A) << "of the two rounds one tells it";
}

// What does no harm to an operator at first does so in the second round.
TEST(Poison, OfScratchIsLowForAMinimumAndHighForAllOthersInTheSecondRound) {
  for (const Operator op : {Operator::min, Operator::max, Operator::sum})
    EXPECT_EQ(scratch_poison(reduction(Type::i32, op), 0), 0xFF);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::min), 1), 0x80);
  EXPECT_EQ(scratch_poison(reduction(Type::i32, Operator::max), 1), 0x7F);
  for (const Pair& pair : find_problem("reduce")->pairs)
    EXPECT_TRUE(pair.op != Operator::sum || scratch_poison(pair, 1) != 0) << pair.value->name;
}

}  // namespace
}  // namespace redbench
