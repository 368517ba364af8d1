// Host memory in pages of one size, and whether the system gave that size.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/variant.hpp"

namespace redbench {

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
