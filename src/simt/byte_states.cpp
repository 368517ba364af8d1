#include "src/simt/byte_states.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "src/error.hpp"

namespace redbench::simt {
namespace {

/// Calls visit with 8, 4, 2 or 1 bytes at a time, each aligned to its size.
template <class Visit>
bool in_aligned_pieces(std::uint8_t* at, std::size_t bytes, Visit visit) {
  const auto fits = [&](std::size_t size) { return bytes >= size && std::uintptr_t(at) % size == 0; };
  for (std::size_t size; bytes > 0; at += size, bytes -= size) {
    size = fits(8) ? 8 : fits(4) ? 4 : fits(2) ? 2 : 1;
    const bool goes_on = size == 8   ? visit(reinterpret_cast<std::uint64_t*>(at))
                         : size == 4 ? visit(reinterpret_cast<std::uint32_t*>(at))
                         : size == 2 ? visit(reinterpret_cast<std::uint16_t*>(at))
                                     : visit(at);
    if (!goes_on) return false;
  }
  return true;
}

/// `state` in every byte.
template <class Word>
constexpr Word repeated(ByteState state) {
  return Word(Word(~Word(0)) / 0xff * Word(state));
}

}  // namespace

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
  // States are 0, 1 and 2: `written` has bit 1 of a byte, what is not forbidden has bit 0 or 1.
  static_assert(int(ByteState::unwritten) == 1 && int(ByteState::written) == 2);
  return in_aligned_pieces(states_ + offset_of(memory), bytes, [state](auto* word) {
    using Word = std::remove_pointer_t<decltype(word)>;
    const Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    constexpr Word ones = repeated<Word>(ByteState::unwritten);
    const Word fit = state == ByteState::written ? Word(seen >> 1) : Word(seen | seen >> 1);
    return (fit & ones) == ones;
  });
}

void ByteStates::write(const void* memory, std::size_t bytes) {
  in_aligned_pieces(states_ + offset_of(memory), bytes, [](auto* word) {
    using Word = std::remove_pointer_t<decltype(word)>;
    __atomic_store_n(word, repeated<Word>(ByteState::written), __ATOMIC_RELAXED);
    return true;
  });
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
