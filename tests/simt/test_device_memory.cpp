// Memory of the modelled device by itself: what is in use, what is refused, and whose bytes are left alone.
#include <algorithm>

#include "src/json/strict.hpp"
#include "src/simt/memory.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using simt::DeviceMemory;

// With its red zones a buffer of so many bytes takes two pages, so that what is released is whole pages.
constexpr std::size_t two_pages = 8192 - 2048;

bool holds(const std::byte* memory, std::size_t bytes, int value) {
  return std::all_of(memory, memory + bytes, [&](std::byte byte) { return byte == std::byte(value); });
}

// Of a model with a mebibyte: all of it can be had, and no byte more.
TEST(DeviceMemory, TheModelsMemoryCanBeHadToItsLastByte) {
  constexpr std::size_t all = 1 << 20;
  Json model = read_json_file(REDBENCH_SOURCE_DIR "/configs/devices/gtx480.json");
  model["memory_bytes"] = all;
  const TemporaryFolder folder;
  const std::unique_ptr<Device> device = open_device("simt:" + folder.write("small.json", model.dump()));
  EXPECT_EQ(device->free_bytes(), all);
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(all + 1); }),
            "1048577 bytes asked for, 1048576 are free on simt:small.json");
  void* const memory = device->allocate(all);
  EXPECT_EQ(device->free_bytes(), 0u);
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(1); }),
            "1 bytes asked for, 0 are free on simt:small.json");
  device->release(device->allocate(0));
  device->release(memory);
  EXPECT_EQ(device->free_bytes(), all);
}

// The third shares a page with the one released, and was given back with it.
TEST(DeviceMemory, ReleasingABufferLeavesThoseOnItsPagesAlone) {
  DeviceMemory memory;
  std::byte *const first = memory.allocate(256), *const second = memory.allocate(2048),
                   *const third = memory.allocate(1024);
  std::fill_n(first, 256, std::byte(1));
  std::fill_n(third, 1024, std::byte(3));
  memory.release(second);
  EXPECT_EQ(memory.damage(), "");
  EXPECT_TRUE(holds(first, 256, 1));
  EXPECT_TRUE(holds(third, 1024, 3));
}

// 1024 bytes on either side, behind the last 256 of which the buffer has a part.
TEST(DeviceMemory, RedZonesAreWatchedToTheirEnds) {
  DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  struct {
    std::ptrdiff_t offset;
    const char* damage;
  } const cases[] = {{100, "wrote 0 bytes past the end of a buffer of 100 bytes"},
                     {1279, "wrote 1179 bytes past the end of a buffer of 100 bytes"},
                     {1280, ""},
                     {99, ""},
                     {0, ""},
                     {-1, "wrote 1 bytes before the start of a buffer of 100 bytes"},
                     {-1024, "wrote 1024 bytes before the start of a buffer of 100 bytes"}};
  for (const auto& one : cases) {
    buffer[one.offset] = ~buffer[one.offset];
    EXPECT_EQ(memory.damage(), one.damage) << one.offset;
  }
  buffer[-3] = buffer[-7] = buffer[101] = buffer[110] = std::byte(0);
  EXPECT_EQ(memory.damage(), "wrote 1 bytes past the end of a buffer of 100 bytes") << "what is nearest";
  buffer[-3] = buffer[-7] = std::byte(0);
  EXPECT_EQ(memory.damage(), "wrote 3 bytes before the start of a buffer of 100 bytes") << "what is nearest";
  std::byte* const second = memory.allocate(300);
  second[-8] = buffer[103] = std::byte(0);
  EXPECT_EQ(
      memory.damage(),
      "wrote 3 bytes past the end of a buffer of 100 bytes; wrote 8 bytes before the start of a buffer of "
      "300 bytes");
  EXPECT_EQ(memory.damage(), "") << "the red zones were repaired";
}

TEST(DeviceMemory, ARangeLiesInOneBuffer) {
  DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  memory.allocate(100);
  for (const auto& [offset, bytes] : {std::pair(0, 100), {99, 1}, {100, 0}, {-5000, 0}})
    EXPECT_NO_THROW(memory.check_range(buffer + offset, std::size_t(bytes), "a fill")) << offset;
  for (const auto& [offset, bytes] : {std::pair(0, 101), {99, 2}, {101, 1}, {-1, 2}, {-5000, 1}, {1, -1}})
    EXPECT_EQ(
        message_of<DeviceError>([&] { memory.check_range(buffer + offset, std::size_t(bytes), "a fill"); }),
        fmt::format("a fill of {} bytes at {}, which no buffer of the modelled device holds",
                    std::size_t(bytes), static_cast<const void*>(buffer + offset)));
  EXPECT_EQ(message_of<DeviceError>([&] { memory.release(buffer + 4); }),
            fmt::format("release of {}, which is no buffer", static_cast<const void*>(buffer + 4)));
}

}  // namespace
}  // namespace redbench
