// Shared memory of the block that an OS thread runs: poisoned before the block starts, its borders checked at
// its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/simt/source.hpp"

namespace redbench::simt {

/// Dynamic shared memory ends where an inaccessible page begins, so an access past it faults. The bytes of
/// padding before that page, and some below the base, are checked when the block ends.
class SharedArena {
 public:
  SharedArena();
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;

  /// The most bytes of dynamic shared memory of a block.
  static constexpr std::size_t capacity = 1 << 20;
  /// The inaccessible range on either side, a multiple of every page size in use.
  static constexpr std::size_t guard_bytes = 64 * 1024;

  /// Fills `bytes` of dynamic shared memory and the kernel's variables in `storage` with poison, so that no
  /// kernel can rely on zeros in memory that nobody wrote. Returns the base, 16-byte aligned.
  std::byte* start_block(std::size_t bytes, const KernelSource& kernel, std::byte* storage,
                         std::uint64_t seed);
  /// A sentence about what the block wrote outside its dynamic shared memory; empty: nothing.
  std::string damage() const;
  /// Whether `address` is in the arena or in the inaccessible pages around it.
  bool guards(const void* address) const;
  std::size_t bytes() const { return bytes_; }
  const std::byte* base() const { return base_; }

 private:
  std::byte* memory_;  // guard page, capacity, guard page
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  unsigned char poison_ = 0;
};

}  // namespace redbench::simt
