#include "src/simt/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "kernels/rounding.hpp"
#include "src/error.hpp"

namespace redbench::simt {
namespace {

constexpr std::size_t alignment = 256;
// Catches all of a block of 256 threads that misses by one index.
constexpr std::size_t red_zone_bytes = 1024;
constexpr std::size_t shared_red_zone_bytes = 64;
constexpr std::byte paint_byte{0xb5};

/// Where the red zone behind a buffer ends.
std::size_t end_of(const std::pair<const std::size_t, std::size_t>& buffer) {
  return buffer.first + round_up(buffer.second, alignment) + red_zone_bytes;
}

// The thread sanitizer leaves a program 1.5 TiB of addresses, which must hold two devices and the states of
// their bytes.
#ifdef __SANITIZE_THREAD__
constexpr std::size_t largest_range = std::size_t(1) << 37;
#else
constexpr std::size_t largest_range = std::size_t(1) << 42;
#endif

}  // namespace

std::byte* reserve(std::size_t bytes, bool accessible) {
  void* const memory = mmap(nullptr, bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

DeviceMemory::DeviceMemory() {
  for (capacity_ = largest_range; !(base_ = reserve(capacity_)); capacity_ /= 2)
    if (capacity_ <= std::size_t(1) << 30)
      throw DeviceError("no range of addresses of at least 1 GiB for the modelled device's memory");
  // Neighbouring lanes' strides touch many pages, one element each.
  madvise(base_, capacity_, MADV_HUGEPAGE);
}

DeviceMemory::~DeviceMemory() { munmap(base_, capacity_); }

/// Takes the first gap between the buffers that is large enough.
std::byte* DeviceMemory::allocate(std::size_t bytes) {
  const std::size_t size = red_zone_bytes + round_up(bytes, alignment) + red_zone_bytes;
  std::size_t begin = 0;
  for (const auto& buffer : buffers_) {
    if (buffer.first - red_zone_bytes - begin >= size) break;
    begin = end_of(buffer);
  }
  if (capacity_ - begin < size)
    throw DeviceError(fmt::format("no room for {} bytes in the modelled device's memory", bytes));
  const auto buffer = buffers_.emplace(begin + red_zone_bytes, bytes).first;
  used_ += bytes;
  paint(*buffer);
  return base_ + buffer->first;
}

std::size_t DeviceMemory::release(const void* memory) {
  if (!memory) return 0;
  const auto found = buffers_.find(std::size_t(static_cast<const std::byte*>(memory) - base_));
  if (found == buffers_.end()) throw DeviceError(fmt::format("release of {}, which is no buffer", memory));
  // Whole pages go back to the system; a page at either end may be shared with a neighbour.
  const std::size_t page = 4096, bytes = found->second;
  const std::size_t first = round_up(found->first - red_zone_bytes, page),
                    last = end_of(*found) / page * page;
  if (first < last) madvise(base_ + first, last - first, MADV_DONTNEED);
  used_ -= bytes;
  buffers_.erase(found);
  return bytes;
}

void DeviceMemory::check_range(const void* memory, std::size_t bytes, const char* what) const {
  if (bytes == 0) return;
  const auto start = std::size_t(static_cast<const std::byte*>(memory) - base_);
  const auto after = buffers_.upper_bound(start);
  if (after != buffers_.begin()) {
    const auto& [buffer, size] = *std::prev(after);
    if (start - buffer <= size && bytes <= size - (start - buffer)) return;
  }
  throw DeviceError(
      fmt::format("{} of {} bytes at {}, which no buffer of the modelled device holds", what, bytes, memory));
}

void DeviceMemory::paint(const Buffers::value_type& buffer) {
  const auto& [start, bytes] = buffer;
  std::memset(base_ + start - red_zone_bytes, int(paint_byte), red_zone_bytes);
  std::memset(base_ + start + bytes, int(paint_byte), end_of(buffer) - start - bytes);
}

std::string DeviceMemory::damage_of(const Buffers::value_type& buffer) const {
  const auto spoilt = [](std::byte byte) { return byte != paint_byte; };
  const std::byte *const start = base_ + buffer.first, *const end = start + buffer.second;
  const std::byte* const zone_end = base_ + end_of(buffer);
  if (const std::byte* const hit = std::find_if(end, zone_end, spoilt); hit != zone_end)
    return fmt::format("wrote {} bytes past the end of a buffer of {} bytes", hit - end, buffer.second);
  for (const std::byte* hit = start; hit-- > start - red_zone_bytes;)
    if (spoilt(*hit))
      return fmt::format("wrote {} bytes before the start of a buffer of {} bytes", start - hit,
                         buffer.second);
  return "";
}

std::string DeviceMemory::damage() {
  std::string all;
  for (const auto& buffer : buffers_) {
    const std::string damage = damage_of(buffer);
    if (damage.empty()) continue;
    all += (all.empty() ? "" : "; ") + damage;
    paint(buffer);
  }
  return all;
}

ByteStates::ByteStates(std::span<const std::byte> range)
    : base_(range.data()),
      bytes_(range.size()),
      states_(reinterpret_cast<std::uint8_t*>(reserve(range.size()))) {
  if (!states_) throw DeviceError("no range of addresses to keep the state of global memory in");
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

SharedArena::SharedArena() : memory_(reserve(all_bytes, false)) {
  if (!memory_ || mprotect(memory_ + guard_bytes, capacity, PROT_READ | PROT_WRITE) != 0)
    throw DeviceError("no memory for the modelled shared memory");
}

SharedArena::~SharedArena() { munmap(memory_, all_bytes); }

std::byte* SharedArena::start_block(std::size_t bytes, const KernelSource& kernel, std::byte* storage,
                                    std::uint64_t seed) {
  bytes_ = bytes;
  base_ = end() - round_up(bytes, 16);
  // Negative or very large, by the seed: no single value would change both a minimum and a maximum.
  poison_ = seed % 2 ? 0x7e : 0xa5;
  std::memset(base_ - shared_red_zone_bytes, poison_, std::size_t(end() - base_) + shared_red_zone_bytes);
  if (storage)
    for (const SharedVariable& variable : kernel.shared)
      std::memset(storage + variable.offset, poison_, variable.bytes);
  return base_;
}

std::string SharedArena::damage() const {
  const auto is_whole = [this](const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [this](std::byte byte) { return byte == std::byte(poison_); });
  };
  const std::string size = fmt::format("its {} bytes of dynamic shared memory", bytes_);
  if (!is_whole(base_ - shared_red_zone_bytes, base_)) return "wrote below " + size;
  if (!is_whole(base_ + bytes_, end())) return "wrote past " + size;
  return "";
}

bool SharedArena::guards(const void* address) const {
  return address >= memory_ && address < memory_ + all_bytes;
}

}  // namespace redbench::simt
