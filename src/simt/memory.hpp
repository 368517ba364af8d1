// Memory of the modelled device: global memory, the states of its bytes, and a block's shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "src/simt/source.hpp"

namespace redbench::simt {

/// Addresses that nothing else has; a page becomes memory when it is touched. Null where there are too few.
std::byte* reserve(std::size_t bytes, bool accessible = true);

/// Global memory: one range of addresses, so that an address alone says whether it is in it, in which buffers
/// have red zones around them, which writes out of bounds spoil.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  /// 256-byte aligned. Throws DeviceError where there is no room.
  std::byte* allocate(std::size_t bytes);
  /// Returns the bytes of the buffer.
  std::size_t release(const void* memory);

  /// Throws DeviceError unless the bytes lie in one buffer.
  void check_range(const void* memory, std::size_t bytes, const char* what) const;

  /// Writes past either end of a buffer since the last call, as a sentence; empty where there were none.
  /// Repairs the red zones.
  std::string damage();

  std::size_t used() const { return used_; }

  /// Every address that a buffer may have.
  std::span<const std::byte> range() const { return {base_, capacity_}; }

 private:
  using Buffers = std::map<std::size_t, std::size_t>;  // bytes by start, an offset from the base
  void paint(const Buffers::value_type& buffer);
  std::string damage_of(const Buffers::value_type& buffer) const;

  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  Buffers buffers_;
};

/// A byte of global memory is outside every buffer, in a buffer but not written yet, or written.
enum class ByteState : std::uint8_t { forbidden, unwritten, written };

/// The states of a range of addresses, forbidden at first.
class ByteStates {
 public:
  /// Throws DeviceError if the system has no address space for them.
  explicit ByteStates(std::span<const std::byte> range);
  ~ByteStates();
  ByteStates(const ByteStates&) = delete;

  void set(const void* memory, std::size_t bytes, ByteState state);

  bool contains(const void* address) const { return offset_of(address) < bytes_; }
  /// Whether all the bytes have at least `state`. They must lie in the range.
  bool all_at_least(const void* memory, std::size_t bytes, ByteState state) const;
  /// Marks bytes that are not forbidden as written. Thread-safe against write and all_at_least.
  void write(const void* memory, std::size_t bytes);

  /// The bytes around an address that are not forbidden, or else the nearest such piece less than 4096 bytes
  /// away.
  std::span<const std::byte> piece_near(const void* address) const;

 private:
  std::size_t offset_of(const void* address) const {
    return std::size_t(static_cast<const std::byte*>(address) - base_);
  }
  bool is_open(std::size_t offset) const { return states_[offset] != std::uint8_t(ByteState::forbidden); }

  const std::byte* base_;
  std::size_t bytes_;
  std::uint8_t* states_;
};

/// Shared memory of the block that an OS thread runs. Dynamic shared memory ends where an inaccessible page
/// begins, so an access past it faults. The bytes of padding before that page, and some below the base, are
/// checked when the block ends.
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
  static constexpr std::size_t all_bytes = guard_bytes + capacity + guard_bytes;
  std::byte* end() const { return memory_ + guard_bytes + capacity; }

  std::byte* const memory_;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  unsigned char poison_ = 0;
};

}  // namespace redbench::simt
