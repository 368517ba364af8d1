// Memory of the host in pages of one size, whatever the system does by itself, and which size it got.
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

/// `bytes` bytes or more in pages of that kind, small or huge, in a mapping of their own. Nothing is touched.
PagedMemory map_pages(Pages pages, std::size_t bytes);
void unmap_pages(const PagedMemory& paged);

/// Bytes of it that lie in huge pages, as /proc/self/smaps says; 0 where that does not tell.
std::size_t bytes_in_huge_pages(const PagedMemory& paged);

/// Why it is not in the pages that were asked for: a sentence with what the system says; empty where it is.
/// All of it must have been written.
std::string wrong_pages(const PagedMemory& paged);

}  // namespace redbench
