// The host's cores and memory. The core that first touches a byte of shared out memory is the one that reads
// it later, so that it lies in the memory of that core's NUMA node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench {

/// One core's part of `whole` bytes: equal parts in whole cache lines, in order, as of a loop with a static
/// schedule.
struct Piece {
  Piece(std::size_t whole, int core, int cores) {
    constexpr std::size_t line = 64;
    const std::size_t lines = (whole + line - 1) / line;
    start = std::min(whole, lines * std::size_t(core) / std::size_t(cores) * line);
    bytes = std::min(whole, lines * std::size_t(core + 1) / std::size_t(cores) * line) - start;
  }
  std::size_t start, bytes;
};

/// The numbers of cores that are tried: 1, 4, 16 and so on, and all. Few are faster for work that ends before
/// all have woken up.
std::vector<int> core_counts();

/// Available memory of this machine in bytes; without a limit where the system does not say.
std::size_t available_memory();

/// Memory in pages of one size.
struct PagedMemory {
  void* memory = nullptr;  // null: no room
  std::size_t bytes = 0;   // a multiple of huge_page_bytes, at such an address
  void* reserved = nullptr;
  std::size_t reserved_bytes = 0;
  Pages pages = Pages::any;
};

/// Maps `bytes` bytes or more in small or huge pages. No page is touched.
PagedMemory map_pages(Pages pages, std::size_t bytes);
void unmap_pages(const PagedMemory& paged);

/// The bytes that lie in huge pages, by /proc/self/smaps; 0 where it does not say.
std::size_t bytes_in_huge_pages(const PagedMemory& paged);

/// Why the memory is not in pages of the kind that was asked for, with what the system says; empty where it
/// is. All of it must have been written to before.
std::string wrong_pages(const PagedMemory& paged);

}  // namespace redbench
