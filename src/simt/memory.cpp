#include "src/simt/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/rounding.hpp"
#include "src/error.hpp"

namespace redbench::simt {
namespace {

constexpr std::size_t alignment = 256;
// Catches all of a block of 256 threads that misses by one index.
constexpr std::size_t red_zone_bytes = 1024;
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

DeviceMemory::DeviceMemory() {
  // Only a range: pages become memory when they are touched.
  for (capacity_ = largest_range; capacity_ >= std::size_t(1) << 30; capacity_ /= 2) {
    void* const memory =
        mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) continue;
    // Neighbouring lanes' strides touch many pages, one element each.
    madvise(memory, capacity_, MADV_HUGEPAGE);
    base_ = static_cast<std::byte*>(memory);
    holes_[0] = capacity_;
    return;
  }
  throw DeviceError("no range of addresses of at least 1 GiB for the modelled device's memory");
}

DeviceMemory::~DeviceMemory() { munmap(base_, capacity_); }

std::byte* DeviceMemory::allocate(std::size_t bytes) {
  const std::size_t size = red_zone_bytes + round_up(bytes, alignment) + red_zone_bytes;
  const auto hole =
      std::ranges::find_if(holes_, [size](const auto& one) { return one.second - one.first >= size; });
  if (hole == holes_.end())
    throw DeviceError(fmt::format("no room for {} bytes in the modelled device's memory", bytes));
  const auto [begin, end] = *hole;
  holes_.erase(hole);
  if (begin + size < end) holes_[begin + size] = end;
  const auto buffer = buffers_.emplace(begin + red_zone_bytes, bytes).first;
  used_ += bytes;
  paint(*buffer);
  return base_ + buffer->first;
}

std::size_t DeviceMemory::release(const void* memory) {
  if (!memory) return 0;
  const auto found = buffers_.find(std::size_t(static_cast<const std::byte*>(memory) - base_));
  if (found == buffers_.end()) throw DeviceError(fmt::format("release of {}, which is no buffer", memory));
  const std::size_t begin = found->first - red_zone_bytes, bytes = found->second;
  std::size_t end = end_of(*found);
  used_ -= bytes;
  buffers_.erase(found);
  // Whole pages go back to the system; a page at either end may be shared with a neighbour.
  const std::size_t page = 4096, first = round_up(begin, page), last = end / page * page;
  if (first < last) madvise(base_ + first, last - first, MADV_DONTNEED);

  auto after = holes_.lower_bound(begin);
  if (after != holes_.end() && after->first == end) {
    end = after->second;
    after = holes_.erase(after);
  }
  if (after != holes_.begin() && std::prev(after)->second == begin) std::prev(after)->second = end;
  else holes_[begin] = end;
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

}  // namespace redbench::simt
