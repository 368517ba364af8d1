// Global memory of the modelled device: one range of addresses, so that an address alone says whether it is
// in it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace redbench::simt {

/// Buffers with red zones around them, which writes out of bounds spoil.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  /// 256-byte aligned. Throws DeviceError where there is no room.
  std::byte* allocate(std::size_t bytes);
  void release(const void* memory);

  /// Throws DeviceError unless the bytes lie in one buffer.
  void check_range(const void* memory, std::size_t bytes, const char* what) const;

  /// Writes past either end of a buffer since the last call, as a sentence; empty where there were none.
  /// Repairs the red zones.
  std::string damage();

  std::size_t used() const { return used_; }

  struct Buffer {
    std::size_t start, bytes;  // start: of its payload, from the range's base
  };
  /// The buffer that is at `address` or nearest below it; null where there is none.
  const Buffer* buffer_near(const void* address) const;
  bool contains(const void* address) const {
    return std::size_t(static_cast<const std::byte*>(address) - base_) < capacity_;
  }
  const std::byte* base() const { return base_; }
  /// Every address that a buffer may have.
  std::span<const std::byte> range() const { return {base_, capacity_}; }

 private:
  struct Place {
    std::size_t begin, end;  // with red zones
    Buffer buffer;
  };
  std::string damage_of(const Place& place);
  void paint(const Place& place);

  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::map<std::size_t, Place> places_;       // by the start of the payload
  std::map<std::size_t, std::size_t> holes_;  // begin -> end
};

}  // namespace redbench::simt
