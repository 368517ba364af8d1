#include "src/simt/byte_states.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "src/error.hpp"

namespace redbench::simt {
ByteStates::ByteStates(std::span<const std::byte> range) : base_(range.data()), bytes_(range.size()) {
  // Pages become memory when they are touched, as those of the range itself.
  void* const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw DeviceError("no range of addresses to keep the state of global memory in");
  states_ = static_cast<std::uint8_t*>(memory);
}

ByteStates::~ByteStates() { munmap(states_, bytes_); }

void ByteStates::set(const void* memory, std::size_t bytes, ByteState state) {
  if (bytes) std::memset(states_ + offset_of(memory), int(state), bytes);
}

bool ByteStates::all_at_least(const void* memory, std::size_t bytes, ByteState state) const {
  const std::uint8_t* const states = states_ + offset_of(memory);
  return std::all_of(states, states + bytes, [state](const std::uint8_t& byte) {
    return __atomic_load_n(&byte, __ATOMIC_RELAXED) >= std::uint8_t(state);
  });
}

void ByteStates::write(const void* memory, std::size_t bytes) {
  std::uint8_t* const states = states_ + offset_of(memory);
  for (std::size_t i = 0; i < bytes; ++i)
    __atomic_store_n(states + i, std::uint8_t(ByteState::written), __ATOMIC_RELAXED);
}

std::span<const std::byte> ByteStates::piece_near(const void* address) const {
  constexpr std::size_t farthest = 4096;
  const std::size_t at = offset_of(address);
  std::size_t found = at;
  for (std::size_t distance = 0; distance < farthest && !is_open(found); ++distance) {
    if (at >= distance && is_open(at - distance)) found = at - distance;
    else if (at + distance < bytes_ && is_open(at + distance)) found = at + distance;
  }
  if (!is_open(found)) return {};
  std::size_t begin = found, end = found;
  while (begin > 0 && is_open(begin - 1)) --begin;
  while (end < bytes_ && is_open(end)) ++end;
  return {base_ + begin, base_ + end};
}

}  // namespace redbench::simt
