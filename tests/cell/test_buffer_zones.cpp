// What guards a cell's buffers: the name by which each zone's damage is told, and inputs that are compared
// with their own bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "src/cell/buffers.hpp"
#include "tests/fake_device.hpp"

namespace redbench {
namespace {

HostBuffer bytes_of(std::size_t count, int byte) {
  HostBuffer buffer(count);
  std::memset(buffer.data.get(), byte, count);
  return buffer;
}

unsigned char& byte_at(const void* start, std::ptrdiff_t at) {
  return const_cast<unsigned char*>(static_cast<const unsigned char*>(start))[at];
}

// A zone begins with the first byte that is not in use, and ends 1024 bytes behind the next multiple of 256.
TEST(BufferZones, DamageIsToldByTheNameOfWhatLiesBeforeIt) {
  FakeDevice device;
  Inputs inputs;
  inputs.values = bytes_of(1000, 3);
  inputs.labels = bytes_of(600, 5);
  inputs.offsets = bytes_of(208, 7);
  CellBuffers buffers(device, inputs, 40);
  EXPECT_EQ(buffers.damage(), "");
  const Operands& x = buffers.operands();
  struct {
    const void* start;
    std::ptrdiff_t at;
    const char* said;
  } const cases[] = {{x.values, -1024, "writes before the start of the values"},
                     {x.values, -1, "writes before the start of the values"},
                     {x.values, 1000, "writes byte 1000 of the values, which has 1000"},
                     {x.values, 2047, "writes byte 2047 of the values, which has 1000"},
                     {x.labels, -1, "writes byte 2047 of the values, which has 1000"},
                     {x.labels, 600, "writes byte 600 of the labels, which has 600"},
                     {x.labels, 1791, "writes byte 1791 of the labels, which has 600"},
                     {x.offsets, 208, "writes byte 208 of the offsets, which has 208"},
                     {x.offsets, 1279, "writes byte 1279 of the offsets, which has 208"},
                     {x.result, 40, "writes byte 40 of the result, which has 40"},
                     {x.result, 1279, "writes byte 1279 of the result, which has 40"}};
  for (const auto& [start, at, said] : cases) {
    byte_at(start, at) ^= 1;
    EXPECT_EQ(buffers.damage(), said);
    byte_at(start, at) ^= 1;
  }
  for (const auto& [start, last] :
       {std::pair(x.values, 999), {x.labels, 599}, {static_cast<const void*>(x.offsets), 207}}) {
    byte_at(start, 0) ^= 1;
    byte_at(start, last) ^= 1;
    EXPECT_EQ(buffers.damage(), "") << "each byte of a piece is its own";
  }
  byte_at(x.labels, 600) = byte_at(x.values, 1001) = 0;
  EXPECT_EQ(buffers.damage(), "writes byte 1001 of the values, which has 1000") << "the first";
  buffers.restore();
  EXPECT_EQ(buffers.damage(), "");
  EXPECT_TRUE(buffers.inputs_intact());
}

TEST(BufferZones, PiecesLieFarEnoughFromEachOther) {
  EXPECT_EQ(GuardedMemory::room_for({}), 1024u);
  EXPECT_EQ(GuardedMemory::room_for({0}), 2048u);
  EXPECT_EQ(GuardedMemory::room_for({256}), 1024 + 256 + 1024u);
  EXPECT_EQ(GuardedMemory::room_for({257, 3}), 1024 + 512 + 1024 + 256 + 1024u);
  FakeDevice device;
  GuardedMemory memory(device, 3840);
  const std::vector<void*> places = memory.cut({257, 3}, 0x5A);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places, memory.places({257, 3}));
  EXPECT_EQ(static_cast<char*>(places[1]) - static_cast<char*>(places[0]), 512 + 1024);
  std::vector<unsigned char> expected(3840, 0x7A);
  std::fill_n(expected.begin() + 1024, 257, 0x5A);
  std::fill_n(expected.begin() + 1024 + 1536, 3, 0x5A);
  const auto held = [&] {
    const auto* const start = static_cast<unsigned char*>(places[0]) - 1024;
    return std::vector<unsigned char>(start, start + 3840);
  };
  EXPECT_EQ(held(), expected);
  // Cut otherwise, without a new poison: what was a zone is one no more, and holds what it held.
  EXPECT_EQ(memory.guard({100})[0], places[0]);
  std::fill_n(expected.begin() + 1124, 157, 0x7A);
  EXPECT_EQ(held(), expected);
  EXPECT_EQ(memory.damage({"scratch 0"}), "");
  byte_at(places[0], 1279) = 0;
  EXPECT_EQ(memory.damage({"scratch 0"}), "writes byte 1279 of scratch 0, which has 100");
  byte_at(places[0], 1279) = 0x7A;
  byte_at(places[0], 1280) = 0;
  EXPECT_EQ(memory.damage({"scratch 0"}), "") << "no zone any more";
}

TEST(BufferZones, SpansAreOfTheInputsThatThereAre) {
  FakeDevice device;
  Inputs inputs;
  inputs.n = 9;
  inputs.m = 4;
  inputs.form = 2;
  inputs.values = bytes_of(36, 1);
  inputs.offsets = bytes_of(24, 2);
  CellBuffers buffers(device, inputs, 16);
  EXPECT_EQ(buffers.input_bytes(), 60u);
  EXPECT_EQ(buffers.result_bytes(), 16u);
  const std::vector<Span> spans = buffers.input_spans();
  ASSERT_EQ(spans.size(), 2u);
  const Operands& x = buffers.operands();
  EXPECT_EQ(spans[0].start, x.values);
  EXPECT_EQ(spans[0].bytes, 36u);
  EXPECT_EQ(spans[1].start, x.offsets);
  EXPECT_EQ(spans[1].bytes, 24u);
  EXPECT_EQ(x.n, 9);
  EXPECT_EQ(x.m, 4);
  EXPECT_EQ(x.form, 2);
  // Some of the values anew, and the others as they are.
  std::memset(&byte_at(x.values, 0), 8, 36);
  buffers.restore_values(12, 8);
  std::string held(reinterpret_cast<const char*>(x.values), 36);
  EXPECT_EQ(held, std::string(12, 8) + std::string(8, 1) + std::string(16, 8));
  buffers.poison_result(0xA5);
  EXPECT_EQ(std::string(buffers.download_result().as<char>(), 16), std::string(16, char(0xA5)));
}

// Inputs of more than 64 MiB are read back in pieces: each is compared with its own bytes of the inputs, not
// with those before them, nor with what was just read.
TEST(BufferZones, EachPieceOfLargeInputsIsComparedWithItsOwn) {
  constexpr std::ptrdiff_t piece = std::ptrdiff_t(64) << 20;
  FakeDevice device;
  Inputs inputs;
  inputs.values = bytes_of(std::size_t(piece) + 12, 3);
  std::memset(inputs.values.data.get() + piece, 9, 12);
  CellBuffers buffers(device, inputs, 4);
  EXPECT_TRUE(buffers.inputs_intact());
  for (const std::ptrdiff_t at : {std::ptrdiff_t(0), piece - 1, piece, piece + 11}) {
    byte_at(buffers.operands().values, at) ^= 1;
    EXPECT_FALSE(buffers.inputs_intact()) << at;
    byte_at(buffers.operands().values, at) ^= 1;
  }
}

}  // namespace
}  // namespace redbench
