// The host's facts and its mappings, against what the system itself says of them.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "src/device/device.hpp"
#include "src/device/host_pages.hpp"
#include "tests/device/mapping_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Of the first line "key: value".
std::string value_in(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
      return start == line.npos ? "" : line.substr(start);
    }
  return {};
}

TEST(HostFacts, AreThoseThatTheSystemTells) {
  const std::unique_ptr<Device> host = make_host();
  const DeviceFacts& facts = host->facts();
  const std::string model = value_in("/proc/cpuinfo", "model name");
  EXPECT_EQ(facts.name, model.empty() ? "CPU" : model);
  EXPECT_EQ(facts.memory_bytes, std::stoull(value_in("/proc/meminfo", "MemTotal")) * 1024);
  const std::size_t available = std::stoull(value_in("/proc/meminfo", "MemAvailable")) * 1024;
  EXPECT_GT(host->free_bytes(), available / 4);
  EXPECT_LT(host->free_bytes(), available * 4);
  cpu_set_t cores;
  ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  EXPECT_EQ(facts.multiprocessors, CPU_COUNT(&cores));
  std::size_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string size =
        first_line_of("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
    if (size.ends_with('K')) largest = std::max<std::size_t>(largest, std::stoull(size) * 1024);
    if (size.ends_with('M')) largest = std::max<std::size_t>(largest, std::stoull(size) * 1024 * 1024);
  }
  EXPECT_EQ(facts.l2_bytes, largest > 0 ? largest : 32 * 1024 * 1024);
}

TEST(HostFacts, OnOneCoreAloneThereIsOne) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(make_host()->facts().multiprocessors, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

TEST(HostFacts, ALibraryAsksForTheBytesThatItNames) {
  const std::unique_ptr<Device> host = make_host();
  const auto asks = [&](std::size_t more) {
    return host->library_bytes([more](void* temporary, std::size_t& bytes, void*) {
      EXPECT_EQ(temporary, nullptr);
      bytes += more;
      return 0;
    });
  };
  EXPECT_EQ(asks(0), 0u) << "a call that asks for nothing";
  EXPECT_EQ(asks(37), 37u);
  EXPECT_EQ(
      message_of<DeviceError>([&] { host->library_bytes([](void*, std::size_t&, void*) { return 1; }); }),
      "host: the library call failed");
}

// Of 4 MiB on memory is aligned to huge pages, of less to small ones.
TEST(HostFacts, MemoryOfTwoHugePagesStartsWithOne) {
  constexpr std::size_t huge = std::size_t(2) << 20;
  const std::unique_ptr<Device> host = make_host();
  std::vector<void*> all;
  for (int i = 0; i < 4; ++i) {  // one alone may begin there by chance
    all.push_back(host->allocate(2 * huge));
    EXPECT_EQ(std::uintptr_t(all.back()) % huge, 0u) << i;
    all.push_back(host->allocate(100));
    EXPECT_EQ(std::uintptr_t(all.back()) % 4096, 0u) << i;
  }
  for (void* memory : all) host->release(memory);
}

/// While it lives this process gets no huge pages, whatever it asks for.
class WithoutHugePages {
 public:
  WithoutHugePages() { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
  WithoutHugePages(const WithoutHugePages&) = delete;
  ~WithoutHugePages() { prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }
};

TEST(HostFacts, WrongPagesAreToldUntilTheMemoryIsReleased) {
  constexpr const char* enabled = "/sys/kernel/mm/transparent_hugepage/enabled";
  const WithoutHugePages none;
  const std::unique_ptr<Device> host = make_host();
  void* const memory = host->allocate_in(Pages::huge, std::size_t(3) << 20);
  EXPECT_EQ(mapping_says(memory, "Size:"), "4096 kB") << "whole huge pages";
  host->fill(memory, 1, std::size_t(4) << 20);
  const std::string line = first_line_of(enabled);
  EXPECT_EQ(host->wrong_pages(memory),
            std::string("takes huge pages: of 4194304 bytes 0 are in huge ones of 2048 kB, says "
                        "/proc/self/smaps (") +
                enabled + (line.empty() ? " is not there)" : " says " + line + ")"));
  host->release(memory);
  EXPECT_EQ(mapping_says(memory, "Size:"), "") << "given back";
  EXPECT_EQ(host->wrong_pages(memory), "") << "of no memory of its own nothing is known";
}

TEST(HostFacts, NoBytesTakeOneHugePage) {
  const PagedMemory paged = map_pages(Pages::small, 0);
  EXPECT_EQ(paged.bytes, std::size_t(2) << 20);
  EXPECT_EQ(paged.reserved_bytes, std::size_t(6) << 20);
  unmap_pages(paged);
}

// However many the system has left.
TEST(HostFacts, HugePagesAreCountedAsTheSystemSays) {
  const PagedMemory paged = map_pages(Pages::huge, std::size_t(8) << 20);
  std::memset(paged.memory, 1, paged.bytes);
  const std::string told = mapping_says(paged.memory, "AnonHugePages:");
  EXPECT_EQ(bytes_in_huge_pages(paged), told.empty() ? 0 : std::stoull(told) * 1024);
  unmap_pages(paged);
}

// The wish for huge pages is of the buffer's own bytes, not of all that lies above it, as the stack does.
TEST(HostFacts, ABufferWishesHugePagesForItselfAlone) {
  const int local = 0;
  ASSERT_EQ(mapping_says(&local, "VmFlags:").find(" hg"), std::string::npos);
  const HostBuffer buffer(std::size_t(32) << 20);
  EXPECT_EQ(mapping_says(&local, "VmFlags:").find(" hg"), std::string::npos);
}

}  // namespace
}  // namespace redbench
