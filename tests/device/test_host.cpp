// The CPU as a device: its facts against what the system itself says, its memory and the pages that it lies
// in, and how its cores share the work.
#include <gtest/gtest.h>
#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "src/device/device.hpp"
#include "src/device/host.hpp"
#include "src/records/record.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr std::size_t page = 4096, mebi = std::size_t(1) << 20, huge = 2 * mebi;

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

/// What /proc/self/smaps says of the mapping at `address`; empty where there is none.
std::string mapping_says(const void* address, const std::string& key) {
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> start >> dash >> end && dash == '-')
      inside = start <= std::uintptr_t(address) && std::uintptr_t(address) < end;
    if (inside && line.starts_with(key)) return line.substr(line.find_first_not_of(' ', key.size()));
  }
  return {};
}

bool wishes_huge_pages(const void* address) {
  return mapping_says(address, "VmFlags:").find(" hg") != std::string::npos;
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
  std::size_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string size =
        first_line_of("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
    if (size.ends_with('K')) largest = std::max<std::size_t>(largest, std::stoull(size) * 1024);
    if (size.ends_with('M')) largest = std::max<std::size_t>(largest, std::stoull(size) * 1024 * 1024);
  }
  EXPECT_EQ(facts.l2_bytes, largest > 0 ? largest : 32 * mebi);
}

TEST(HostFacts, CountTheCoresThatMayBeUsed) {
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(make_host()->facts().multiprocessors, CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(make_host()->facts().multiprocessors, 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

// A launch is what times of single launches are taken around.
TEST(Host, TellsALibraryCallToWhoeverListensAndAsksForTheBytesThatItNames) {
  const std::unique_ptr<Device> host = make_host();
  const auto call = [](void*, std::size_t& bytes, void*) { return bytes += 37, 0; };
  int launches = 0;
  host->execute_library(call, nullptr, 0);
  host->listen([&] { ++launches; });
  host->execute_library(call, nullptr, 0);
  host->listen({});
  host->execute_library(call, nullptr, 0);
  EXPECT_EQ(launches, 1);
  EXPECT_EQ(host->library_bytes(call), 37u);
  const auto fails = [](void*, std::size_t&, void*) { return 1; };
  const std::string why = "host: the library call failed";
  EXPECT_EQ(message_of<DeviceError>([&] { host->library_bytes(fails); }), why);
  EXPECT_EQ(message_of<DeviceError>([&] { host->execute_library(fails, nullptr, 0); }), why);
}

TEST(HostCores, EveryByteIsSharedOutToOneCoreInWholeLines) {
  for (const std::size_t whole : {0u, 1u, 63u, 64u, 65u, 577u, 4096u, 1'000'003u})
    for (const int cores : {1, 2, 3, 7, 16, 64}) {
      std::size_t end = 0, most = 0;
      for (int core = 0; core < cores; ++core) {
        const Piece piece(whole, core, cores);
        EXPECT_EQ(piece.start, end) << whole << ' ' << core << " of " << cores;
        EXPECT_TRUE(piece.start % 64 == 0 || piece.bytes == 0) << whole << ' ' << core << " of " << cores;
        end = piece.start + piece.bytes;
        most = std::max(most, piece.bytes);
      }
      EXPECT_EQ(end, whole) << cores;
      EXPECT_LE(most, whole / std::size_t(cores) + 64) << "a core has more than its share";
    }
}

// The rates of the CPU are those of all of its cores.
TEST(HostCores, CountsGoUpByFourToAllOfThem) {
  const int threads = omp_get_max_threads();
  const std::pair<int, std::vector<int>> expected[] = {
      {1, {1}}, {2, {1, 2}}, {4, {1, 4}}, {6, {1, 4, 6}}, {64, {1, 4, 16, 64}}};
  for (const auto& [all, counts] : expected) {
    omp_set_num_threads(all);
    EXPECT_EQ(core_counts(), counts) << all;
  }
  omp_set_num_threads(threads);
}

// Past the size from which all cores take part: a gap between two of them would be a wrong input.
TEST(HostMemory, IsFilledAndCopiedByManyCoresAsByOne) {
  const std::unique_ptr<Device> host = make_host();
  for (const std::size_t bytes : {std::size_t(100), mebi + 1, 5 * mebi + 63}) {
    std::vector<unsigned char> from(bytes), back(bytes);
    for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<unsigned char>(i * 7 >> 3);
    auto* const memory = static_cast<unsigned char*>(host->allocate(bytes + 1));
    memory[bytes] = 1;
    host->fill(memory, 9, bytes);
    EXPECT_EQ(std::count(memory, memory + bytes, 9), std::ptrdiff_t(bytes));
    host->upload(memory, from.data(), bytes);
    host->download(back.data(), memory, bytes);
    EXPECT_EQ(back, from);
    EXPECT_EQ(memory[bytes], 1);
    host->release(memory);
  }
}

// Small pages below 4 MiB, or a few bytes would take 2 MiB; huge ones from there on.
TEST(HostMemory, IsInWholePages) {
  const std::unique_ptr<Device> host = make_host();
  for (const auto& [bytes, pages] :
       {std::pair(std::size_t(0), std::size_t(1)), {page, 1}, {page + 1, 2}, {4 * mebi - 1, 1024}}) {
    void* const memory = host->allocate(bytes);
    EXPECT_EQ(std::uintptr_t(memory) % page, 0u) << bytes;
    EXPECT_GE(::malloc_usable_size(memory), pages * page) << bytes;
    EXPECT_LT(::malloc_usable_size(memory), (pages + 3) * page) << bytes;
    host->release(memory);
  }
  void* const much = host->allocate(2 * huge + mebi);
  EXPECT_EQ(std::uintptr_t(much) % huge, 0u);
  EXPECT_GE(::malloc_usable_size(much), 3 * huge);
  const bool has_huge_pages = bool(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"));
  EXPECT_EQ(wishes_huge_pages(static_cast<char*>(much) + page), has_huge_pages);
  host->release(much);
  const std::size_t endless = std::size_t(1) << 62;
  const std::string why = "host: no room for 4611686018427387904 bytes";
  if (!is_sanitized()) {  // which ends the program there
    EXPECT_EQ(message_of<DeviceError>([&] { host->allocate(endless); }), why);
  }
  EXPECT_EQ(message_of<DeviceError>([&] { host->allocate_in(Pages::small, endless); }), why);
}

// What the kernel says counts, not what was asked for.
TEST(HostPages, OfTheOtherKindAreRefused) {
  PagedMemory paged = map_pages(Pages::small, 5 * mebi);
  std::memset(paged.memory, 1, paged.bytes);
  EXPECT_EQ(bytes_in_huge_pages(paged), 0u);
  EXPECT_EQ(wrong_pages(paged), "");
  paged.pages = Pages::huge;
  EXPECT_TRUE(wrong_pages(paged).starts_with(
      "takes huge pages: of 6291456 bytes 0 are in huge ones of 2048 kB, says /proc/self/smaps "
      "(/sys/kernel/mm/transparent_hugepage/enabled "))
      << wrong_pages(paged);
  unmap_pages(paged);
  paged = map_pages(Pages::huge, 5 * mebi);
  EXPECT_EQ(std::uintptr_t(paged.memory) % huge, 0u);
  std::memset(paged.memory, 1, paged.bytes);
  const bool given = wrong_pages(paged).empty();
  const std::string reported = mapping_says(paged.memory, "AnonHugePages:");
  EXPECT_EQ(bytes_in_huge_pages(paged), reported.empty() ? 0 : std::stoull(reported) * 1024);
  if (given) {
    EXPECT_EQ(bytes_in_huge_pages(paged), paged.bytes);
    paged.pages = Pages::small;
    EXPECT_TRUE(
        wrong_pages(paged).starts_with("takes small pages: of 6291456 bytes 6291456 are in huge ones"));
  }
  unmap_pages(paged);
  if (!given) GTEST_SKIP() << "a kernel that gives no huge pages";
}

/// While it lives this process gets no huge pages, whatever it asks for; nor do those that it starts.
class WithoutHugePages {
 public:
  WithoutHugePages() { prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }
  WithoutHugePages(const WithoutHugePages&) = delete;
  ~WithoutHugePages() { prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0); }
};

TEST(HostPages, AreToldToBeWrongUntilTheMemoryIsReleased) {
  const WithoutHugePages none;
  const std::unique_ptr<Device> host = make_host();
  void* const memory = host->allocate_in(Pages::huge, 3 * mebi);
  EXPECT_EQ(mapping_says(memory, "Size:"), "4096 kB") << "whole huge pages";
  host->fill(memory, 1, 4 * mebi);
  EXPECT_TRUE(host->wrong_pages(memory).starts_with("takes huge pages: of 4194304 bytes 0 are in huge ones"));
  host->release(memory);
  EXPECT_EQ(mapping_says(memory, "Size:"), "") << "given back";
  EXPECT_EQ(host->wrong_pages(memory), "") << "of no memory of its own nothing is known";
  for (const Pages pages : {Pages::small, Pages::any}) {
    void* const other = host->allocate_in(pages, 1);
    EXPECT_EQ(host->wrong_pages(other), "");
    host->release(other);
  }
}

TEST(HostPages, CasesOfOtherPagesThanThereAreHaveNoTime) {
  const TemporaryFolder folder;
  folder.write("config.json",
               R"({"measure": {"min_samples": 1, "max_samples": 1}, "experiments": [{"problem": "multireduce",
    "variants": ["cpu_sequential", "cpu_huge_pages"], "axes": {"n": 1000}}]})");
  const WithoutHugePages none;
  const Answer answer = redbench("run config.json -q -d host --mode warm -o out", folder.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const std::vector<Record> records = read_records(folder.path() + "/out/records.jsonl");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) {
    const bool is_huge = record["variant"] == "multireduce/cpu_huge_pages";
    EXPECT_EQ(record["outcome"], is_huge ? "unsupported" : "passed");
    EXPECT_EQ(record["time_ns"].is_null(), is_huge);
    if (is_huge) {
      EXPECT_TRUE(record["reason"].get<std::string>().starts_with("takes huge pages: of 2097152 bytes 0 are"))
          << record["reason"];
    }
  }
}

}  // namespace
}  // namespace redbench
