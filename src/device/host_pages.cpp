#include "src/device/host_pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <sstream>

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

}  // namespace redbench
