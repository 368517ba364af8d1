// Shared memory of the block that an OS thread runs: poisoned before it starts, its borders looked at after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/simt/source.hpp"

namespace redbench::simt {

/// Dynamic shared memory ends where an inaccessible page begins, so an access past it faults; the bytes that
/// the alignment leaves there, and some below, are looked at when the block ends.
class SharedArena {
 public:
  SharedArena();
  ~SharedArena();
  SharedArena(const SharedArena&) = delete;

  /// Most bytes of dynamic shared memory that a block may have here.
  static constexpr std::size_t capacity = 1 << 20;
  /// On either side of it.
  static constexpr std::size_t guard_bytes = 64 * 1024;  // a multiple of every page size in use

  /// Fills `bytes` of dynamic shared memory and the variables in `storage` with poison: memory that nobody
  /// wrote holds no zeros that a kernel could rely on. Returns the base, 16-byte aligned.
  std::byte* start_block(std::size_t bytes, const KernelSource& kernel, std::byte* storage,
                         std::uint64_t seed);
  /// What the block wrote outside its dynamic shared memory, as a sentence; empty where nothing.
  std::string damage() const;
  /// Whether an access to `address` ran out of dynamic shared memory, into the pages around it.
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
