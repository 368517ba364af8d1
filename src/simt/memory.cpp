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
constexpr std::size_t red_zone_bytes =
    1024;  // catches all of a block of 256 threads that misses by one index
constexpr std::byte paint_byte{0xb5};

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
  for (const auto& [begin, end] : holes_) {
    if (end - begin < size) continue;
    const Place place{begin, begin + size, {begin + red_zone_bytes, bytes}};
    const std::size_t hole_end = end;
    holes_.erase(begin);
    if (place.end < hole_end) holes_[place.end] = hole_end;
    places_[place.buffer.start] = place;
    used_ += bytes;
    paint(place);
    return base_ + place.buffer.start;
  }
  throw DeviceError(fmt::format("no room for {} bytes in the modelled device's memory", bytes));
}

void DeviceMemory::release(const void* memory) {
  if (!memory) return;
  const auto found = places_.find(std::size_t(static_cast<const std::byte*>(memory) - base_));
  if (found == places_.end()) throw DeviceError(fmt::format("release of {}, which is no buffer", memory));
  auto [begin, end, buffer] = found->second;
  used_ -= buffer.bytes;
  places_.erase(found);
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
}

const DeviceMemory::Buffer* DeviceMemory::buffer_near(const void* address) const {
  if (!contains(address)) return nullptr;
  const auto after = places_.upper_bound(std::size_t(static_cast<const std::byte*>(address) - base_));
  return after == places_.begin() ? nullptr : &std::prev(after)->second.buffer;
}

void DeviceMemory::check_range(const void* memory, std::size_t bytes, const char* what) const {
  if (bytes == 0) return;
  const Buffer* const buffer = buffer_near(memory);
  const auto offset = buffer ? std::size_t(static_cast<const std::byte*>(memory) - base_) - buffer->start : 0;
  if (!buffer || offset > buffer->bytes || bytes > buffer->bytes - offset)
    throw DeviceError(fmt::format("{} of {} bytes at {}, which no buffer of the modelled device holds", what,
                                  bytes, memory));
}

void DeviceMemory::paint(const Place& place) {
  std::memset(base_ + place.begin, int(paint_byte), place.buffer.start - place.begin);
  const std::size_t end = place.buffer.start + place.buffer.bytes;
  std::memset(base_ + end, int(paint_byte), place.end - end);
}

std::string DeviceMemory::damage_of(const Place& place) {
  const auto spoilt = [](std::byte byte) { return byte != paint_byte; };
  std::byte* const start = base_ + place.buffer.start;
  std::byte* const end = start + place.buffer.bytes;
  if (std::byte* const hit = std::find_if(end, base_ + place.end, spoilt); hit != base_ + place.end)
    return fmt::format("wrote {} bytes past the end of a buffer of {} bytes", hit - end, place.buffer.bytes);
  for (std::byte* hit = start; hit-- > base_ + place.begin;)
    if (spoilt(*hit))
      return fmt::format("wrote {} bytes before the start of a buffer of {} bytes", start - hit,
                         place.buffer.bytes);
  return "";
}

std::string DeviceMemory::damage() {
  std::string all;
  for (const auto& [start, place] : places_) {
    const std::string damage = damage_of(place);
    if (damage.empty()) continue;
    all += (all.empty() ? "" : "; ") + damage;
    paint(place);
  }
  return all;
}

}  // namespace redbench::simt
