// The CPU, for the algorithms that run on it.
#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "src/device/device.hpp"
#include "src/device/host.hpp"
#include "src/error.hpp"

namespace redbench {
namespace {

// x86's size. Where huge pages are larger, none fits into the mapping, and a case that needs them is refused.
constexpr std::size_t huge_page_bytes = std::size_t(2) << 20;
constexpr const char* transparent = "/sys/kernel/mm/transparent_hugepage/enabled";

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "is not there" : "says " + line;
}

/// The value of the first line "key: value" in a file of /proc, empty where there is none.
std::string first_field(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t:", key.size());
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

std::size_t kibibytes(const std::string& text) { return std::strtoull(text.c_str(), nullptr, 10) << 10; }

/// Bytes of the largest cache of the first core; 32 MiB where the system reports none.
std::size_t last_level_cache() {
  std::size_t largest = 0;
  for (int level = 0; level < 8; ++level) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
    std::string size;  // "32768K"
    if (file >> size)
      largest = std::max(largest, size.back() == 'M' ? kibibytes(size) << 10 : kibibytes(size));
  }
  return largest ? largest : std::size_t(32) << 20;
}

int usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return CPU_COUNT(&cores);
}

/// Calls work(Piece) on all cores, each with its own piece; on the calling one alone where waking the others
/// would take longer.
template <class Work>
void on_all_cores(std::size_t bytes, const Work& work) {
  constexpr std::size_t worth_it = std::size_t(1) << 20;
  const int cores = bytes < worth_it ? 1 : omp_get_max_threads();
  if (cores == 1) return work(Piece(bytes, 0, 1));
#pragma omp parallel for schedule(static, 1) num_threads(cores)
  for (int core = 0; core < cores; ++core) work(Piece(bytes, core, cores));
}

class HostDevice : public Device {
 public:
  HostDevice() {
    facts_.name = first_field("/proc/cpuinfo", "model name");
    if (facts_.name.empty()) facts_.name = "CPU";
    facts_.multiprocessors = usable_cores();
    facts_.l2_bytes = last_level_cache();
    facts_.memory_bytes = kibibytes(first_field("/proc/meminfo", "MemTotal"));
  }

  Target target() const override { return Target::host; }
  std::string name() const override { return "host"; }
  std::string slug() const override { return "host"; }
  const DeviceFacts& facts() const override { return facts_; }
  std::size_t free_bytes() const override { return available_memory(); }

  /// Large allocations are in huge pages, as a core's TLB covers little memory in small ones. No page is
  /// touched, so that `fill` and `upload` touch each first on the core that reads it later.
  void* allocate(std::size_t bytes) override {
    constexpr std::size_t page = 4096, huge_page = std::size_t(2) << 20;
    const std::size_t unit = bytes < 2 * huge_page ? page : huge_page;
    const std::size_t whole = std::max(page, round_up(bytes, unit));
    void* memory = std::aligned_alloc(unit, whole);
    if (!memory) throw DeviceError("host: no room for " + std::to_string(bytes) + " bytes");
    if (unit == huge_page) madvise(memory, whole, MADV_HUGEPAGE);  // advice: its failure does no harm
    return memory;
  }
  void* allocate_in(Pages pages, std::size_t bytes) override {
    if (pages == Pages::any) return allocate(bytes);
    const PagedMemory paged = map_pages(pages, bytes);
    if (!paged.memory) throw DeviceError("host: no room for " + std::to_string(bytes) + " bytes");
    paged_.emplace(paged.memory, paged);
    return paged.memory;
  }
  std::string wrong_pages(void* memory) override {
    const auto paged = paged_.find(memory);
    return paged == paged_.end() ? std::string() : redbench::wrong_pages(paged->second);
  }
  void release(void* memory) override {
    const auto paged = paged_.find(memory);
    if (paged == paged_.end()) return std::free(memory);
    unmap_pages(paged->second);
    paged_.erase(paged);
  }
  void upload(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { copy(to, from, bytes); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    on_all_cores(bytes, [&](const Piece& piece) {
      if (piece.bytes) std::memset(static_cast<char*>(memory) + piece.start, byte, piece.bytes);
    });
  }

  void execute(const KernelCall&) override { throw DeviceError("host: a CPU algorithm launches no kernel"); }
  void execute_library(const Queue::LibraryCall& call, void* temporary, std::size_t bytes) override {
    if (call(temporary, bytes, nullptr) != 0) throw DeviceError("host: the library call failed");
    tell_launch();
  }
  std::size_t library_bytes(const Queue::LibraryCall& call) override {
    std::size_t bytes = 0;
    if (call(nullptr, bytes, nullptr) != 0) throw DeviceError("host: the library call failed");
    return bytes;
  }
  LaunchFacts describe(const KernelCall&) const override {
    throw DeviceError("host: a CPU algorithm launches no kernel");
  }
  void finish() override {}

 private:
  static void copy(void* to, const void* from, std::size_t bytes) {
    on_all_cores(bytes, [&](const Piece& piece) {
      if (piece.bytes)
        std::memcpy(static_cast<char*>(to) + piece.start, static_cast<const char*>(from) + piece.start,
                    piece.bytes);
    });
  }

  DeviceFacts facts_;
  std::map<void*, PagedMemory> paged_;
};

}  // namespace

PagedMemory map_pages(Pages pages, std::size_t bytes) {
  PagedMemory paged;
  paged.pages = pages;
  paged.bytes = round_up(bytes + (bytes == 0), huge_page_bytes);
  // Guard areas before and after keep the kernel from merging the mapping with a neighbour.
  paged.reserved_bytes = paged.bytes + 2 * huge_page_bytes;
  paged.reserved =
      mmap(nullptr, paged.reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (paged.reserved == MAP_FAILED) return {};
  void* const start = reinterpret_cast<void*>(
      round_up(reinterpret_cast<std::uintptr_t>(paged.reserved) + 1, huge_page_bytes));
  // A system without transparent huge pages ignores the advice: all pages are small.
  madvise(start, paged.bytes, pages == Pages::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (mprotect(start, paged.bytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(paged.reserved, paged.reserved_bytes);
    return {};
  }
  paged.memory = start;
  return paged;
}

void unmap_pages(const PagedMemory& paged) { munmap(paged.reserved, paged.reserved_bytes); }

std::size_t bytes_in_huge_pages(const PagedMemory& paged) {
  const auto first = reinterpret_cast<std::uintptr_t>(paged.memory);
  std::ifstream file("/proc/self/smaps");
  std::size_t total = 0;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    if (words >> std::hex >> start >> dash >> end && dash == '-')
      inside = start < first + paged.bytes && first < end;
    else if (inside && line.starts_with("AnonHugePages:"))
      total += std::stoull(line.substr(line.find(':') + 1)) << 10;
  }
  return total;
}

std::string wrong_pages(const PagedMemory& paged) {
  std::size_t huge = bytes_in_huge_pages(paged);
#ifdef MADV_COLLAPSE
  // Physical memory may have been too fragmented when the pages were first touched.
  if (paged.pages == Pages::huge && huge < paged.bytes &&
      madvise(paged.memory, paged.bytes, MADV_COLLAPSE) == 0)
    huge = bytes_in_huge_pages(paged);
#endif
  const std::size_t wanted = paged.pages == Pages::huge ? paged.bytes : 0;
  if (huge == wanted) return {};
  return fmt::format(
      "takes {} pages: of {} bytes {} are in huge ones of {} kB, says /proc/self/smaps ({} {})",
      paged.pages == Pages::huge ? "huge" : "small", paged.bytes, huge, huge_page_bytes >> 10, transparent,
      first_line(transparent));
}

std::vector<int> core_counts() {
  std::vector<int> counts;
  const int all = omp_get_max_threads();
  for (int some = 1; some < all; some *= 4) counts.push_back(some);
  counts.push_back(all);
  return counts;
}

std::size_t available_memory() {
  const std::string available = first_field("/proc/meminfo", "MemAvailable");
  return available.empty() ? std::numeric_limits<std::size_t>::max() : kibibytes(available);
}

std::unique_ptr<Device> make_host() { return std::make_unique<HostDevice>(); }

}  // namespace redbench
