// Memory of the modelled device by itself: what is in use, what is refused, and whose bytes are left alone.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "src/simt/memory.hpp"
#include "src/strict_json.hpp"
#include "tests/sanitizer_support.hpp"
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

TEST(DeviceMemory, WhatIsUsedIsWhatWasAskedFor) {
  DeviceMemory memory;
  EXPECT_EQ(memory.used(), 0u);
  std::byte *const first = memory.allocate(100), *const second = memory.allocate(5000);
  EXPECT_EQ(memory.used(), 5100u);
  memory.release(first);
  EXPECT_EQ(memory.used(), 5000u);
  memory.release(nullptr);
  EXPECT_EQ(memory.used(), 5000u);
  memory.release(second);
  EXPECT_EQ(memory.used(), 0u);
}

TEST(DeviceMemory, TheModelsMemoryLessWhatIsUsedIsFree) {
  const auto device = modelled("gtx690");  // 2 GiB
  const std::size_t all = device->facts().memory_bytes;
  void* const memory = device->allocate(std::size_t(1) << 30);
  EXPECT_LE(device->free_bytes(), all - (std::size_t(1) << 30));
  const std::string message = message_of<DeviceError>([&] { device->allocate(all); });
  EXPECT_TRUE(message.starts_with(std::to_string(all) + " bytes asked for, ")) << message;
  EXPECT_TRUE(message.ends_with(" are free on simt:gtx690")) << message;
  device->release(memory);
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

// And the next one in its place starts as zeros.
TEST(DeviceMemory, ReleasingABufferLeavesItsNeighboursAlone) {
  DeviceMemory memory;
  std::byte* buffers[4];
  for (std::byte*& buffer : buffers) buffer = memory.allocate(two_pages);
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(holds(buffers[i], two_pages, 0)) << i;
    std::fill_n(buffers[i], two_pages, std::byte(i + 1));
  }
  memory.release(buffers[1]);
  EXPECT_EQ(memory.damage(), "");
  for (const int i : {0, 2, 3}) EXPECT_TRUE(holds(buffers[i], two_pages, i + 1)) << i;
  EXPECT_EQ(memory.allocate(two_pages), buffers[1]);
  EXPECT_TRUE(holds(buffers[1], two_pages, 0));
  for (const int i : {0, 2, 3}) EXPECT_TRUE(holds(buffers[i], two_pages, i + 1)) << i;
  EXPECT_EQ(memory.damage(), "");
}

// Whatever lies before it. With its red zones the second buffer takes 4096 bytes, of which 2048 are for one.
TEST(DeviceMemory, AHoleTakesWhatFitsAndNothingMore) {
  DeviceMemory memory;
  std::byte *const first = memory.allocate(10'000), *const second = memory.allocate(2048),
                   *const third = memory.allocate(100);
  EXPECT_EQ(second - first, 10'240 + 2048);
  EXPECT_EQ(third - second, 2048 + 2048);
  memory.release(second);
  std::byte* const larger = memory.allocate(2049);
  EXPECT_EQ(larger - third, 256 + 2048) << "behind all others";
  EXPECT_EQ(memory.allocate(2048), second);
  memory.release(second);
  EXPECT_EQ(memory.allocate(1), second);
  EXPECT_EQ(memory.used(), 10'000u + 100 + 2049 + 1);
  EXPECT_EQ(memory.damage(), "");
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

// In the order of their places; the second buffer is whole.
TEST(DeviceMemory, DamageOfSeveralBuffersIsOneSentence) {
  DeviceMemory memory;
  std::byte* const first = memory.allocate(100);
  memory.allocate(200);
  std::byte* const third = memory.allocate(300);
  third[-8] = ~third[-8];
  first[103] = ~first[103];
  EXPECT_EQ(
      memory.damage(),
      "wrote 3 bytes past the end of a buffer of 100 bytes; wrote 8 bytes before the start of a buffer of "
      "300 bytes");
  EXPECT_EQ(memory.damage(), "");
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
}

TEST(DeviceMemory, ARangeLiesInOneBuffer) {
  DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  memory.allocate(100);
  struct {
    std::ptrdiff_t offset;
    std::size_t bytes;
    bool fits;
  } const cases[] = {{0, 100, true},  {99, 1, true},  {100, 0, true},    {-5000, 0, true},
                     {0, 101, false}, {99, 2, false}, {100, 1, false},   {101, 1, false},
                     {-1, 1, false},  {-1, 2, false}, {-5000, 1, false}, {1, ~std::size_t(0), false}};
  for (const auto& one : cases) {
    const std::byte* const start = buffer + one.offset;
    if (one.fits) EXPECT_NO_THROW(memory.check_range(start, one.bytes, "a fill")) << one.offset;
    else
      EXPECT_EQ(message_of<DeviceError>([&] { memory.check_range(start, one.bytes, "a fill"); }),
                fmt::format("a fill of {} bytes at {}, which no buffer of the modelled device holds",
                            one.bytes, static_cast<const void*>(start)));
  }
  EXPECT_EQ(message_of<DeviceError>([&] { memory.release(buffer + 4); }),
            fmt::format("release of {}, which is no buffer", static_cast<const void*>(buffer + 4)));
}

/// For as long as it lives the process has room for so many bytes of addresses more.
class RoomFor {
 public:
  explicit RoomFor(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit more{pages * std::size_t(sysconf(_SC_PAGESIZE)) + bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &more);
  }
  ~RoomFor() { setrlimit(RLIMIT_AS, &before_); }
  RoomFor(const RoomFor&) = delete;

 private:
  rlimit before_;
};

// Containers and batch systems set such limits.
TEST(DeviceMemory, TakesThePowerOfTwoThatHasRoomDownToAGibibyte) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer ends the program where it finds no memory";
  constexpr std::size_t gibi = std::size_t(1) << 30;
  for (const auto& [room, size] :
       {std::pair(gibi + gibi / 2, gibi), {3 * gibi, 2 * gibi}, {9 * gibi, 8 * gibi}}) {
    const RoomFor some(room);
    EXPECT_EQ(DeviceMemory().range().size(), size) << room;
  }
  std::string message;
  {
    const RoomFor little(gibi / 2);
    message = message_of<DeviceError>([] { DeviceMemory(); });
  }
  EXPECT_EQ(message, "no range of addresses of at least 1 GiB for the modelled device's memory");
}

TEST(DeviceMemory, ItsAddressesAreGivenBack) {
  void* base = nullptr;
  unsigned char resident;
  {
    DeviceMemory memory;
    base = memory.allocate(100) - 1024;
    EXPECT_EQ(mincore(base, 1, &resident), 0);
  }
  EXPECT_NE(mincore(base, 1, &resident), 0);
}

TEST(DeviceMemory, WhatHasNoRoomIsRefused) {
  DeviceMemory memory;
  const std::size_t all = memory.range().size();
  EXPECT_EQ(message_of<DeviceError>([&] { memory.allocate(all); }),
            fmt::format("no room for {} bytes in the modelled device's memory", all));
  EXPECT_EQ(memory.used(), 0u);
}

}  // namespace
}  // namespace redbench
