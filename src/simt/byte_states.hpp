// The state of each byte of global memory: outside every buffer, in a buffer but not written yet, or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace redbench::simt {

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

}  // namespace redbench::simt
