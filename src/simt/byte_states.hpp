// What a kernel may do with each byte of global memory: the difference between a buffer, what lies around it,
// and what nobody has written yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace redbench::simt {

enum class ByteState : std::uint8_t { forbidden, unwritten, written };

/// One state for each byte of a range of addresses, which starts out forbidden.
class ByteStates {
 public:
  /// Throws DeviceError where the system has no such range of addresses to give.
  explicit ByteStates(std::span<const std::byte> range);
  ~ByteStates();
  ByteStates(const ByteStates&) = delete;

  void set(const void* memory, std::size_t bytes, ByteState state);

  bool contains(const void* address) const { return offset_of(address) < bytes_; }
  /// Whether all the bytes have at least `state`. They must lie in the range.
  bool all_at_least(const void* memory, std::size_t bytes, ByteState state) const;
  /// A kernel writes bytes that are not forbidden. Other OS threads may write and ask at the same time.
  void write(const void* memory, std::size_t bytes);

  /// The bytes that are not forbidden around an address, or nearest to it within the length of a red zone.
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
