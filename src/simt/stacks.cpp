#include "src/simt/stacks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/error.hpp"
#include "src/simt/memory.hpp"

namespace redbench::simt {
namespace {

constexpr std::size_t stacks_per_slab = 32;
constexpr std::uint64_t canary = 0x5ca1ab1e0ddba11;

std::size_t page_bytes() {
  static const std::size_t bytes = std::size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Tops of neighbouring stacks are spread over a page: at equal offsets the frames of all threads would
// compete for the same few sets of the cache.
constexpr std::size_t color_bytes = 4096;
std::size_t color(std::size_t index) { return index * 320 % color_bytes; }

std::size_t stride() { return page_bytes() + stack_bytes + color_bytes; }

/// Mappings that guard pages may still take, over all pools: three quarters of the system's limit.
std::atomic<long>& free_mappings() {
  static std::atomic<long> mappings = [] {
    long limit = 65530;  // Linux's default
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    return limit / 4 * 3;
  }();
  return mappings;
}

}  // namespace

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) {
    munmap(slab.base, slab.bytes);
    if (slab.guarded) free_mappings() += 2 * stacks_per_slab;
  }
}

void StackPool::add_slab() {
  const std::size_t bytes = stacks_per_slab * stride();
  std::byte* const memory = reserve(bytes);
  if (!memory)
    throw DeviceError(std::string("no memory for the stacks of the modelled threads: ") +
                      std::strerror(errno));
  Slab slab{memory, bytes, false};
  // A huge page would make each touched stack cost 2 MiB.
  madvise(memory, bytes, MADV_NOHUGEPAGE);

  if (free_mappings().fetch_sub(2 * stacks_per_slab) >= long(2 * stacks_per_slab)) {
    slab.guarded = true;
    for (std::size_t i = 0; i < stacks_per_slab; ++i)
      slab.guarded &= mprotect(slab.base + i * stride(), page_bytes(), PROT_NONE) == 0;
  }
  if (!slab.guarded) {
    free_mappings() += 2 * stacks_per_slab;
    mprotect(slab.base, bytes, PROT_READ | PROT_WRITE);
  }
  slabs_.push_back(slab);
  free_stacks_of(slab);
}

void StackPool::free_stacks_of(const Slab& slab) {
  for (std::size_t i = stacks_per_slab; i-- > 0;) {
    free_.push_back(slab.base + (i + 1) * stride() - color(i));
    if (!slab.guarded) *canary_in(slab, i) = canary;
  }
}

std::uint64_t* StackPool::canary_in(const Slab& slab, std::size_t index) {
  return reinterpret_cast<std::uint64_t*>(slab.base + index * stride() + page_bytes());
}

void* StackPool::allocate() {
  if (free_.empty()) add_slab();
  void* const top = free_.back();
  free_.pop_back();
  return top;
}

void StackPool::reclaim_all() {
  free_.clear();
  for (const Slab& slab : slabs_) free_stacks_of(slab);
}

bool StackPool::guards(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  return std::any_of(slabs_.begin(), slabs_.end(), [&](const Slab& slab) {
    // A large array's first access may skip the lowest stack's guard page and land below the slab.
    constexpr std::ptrdiff_t reach = 1 << 20;
    if (byte < slab.base && slab.base - byte <= reach) return true;
    return slab.guarded && byte >= slab.base && byte < slab.base + slab.bytes &&
           std::size_t(byte - slab.base) % stride() < page_bytes();
  });
}

const std::uint64_t* StackPool::canary_of(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  for (const Slab& slab : slabs_)
    if (!slab.guarded && byte >= slab.base && byte < slab.base + slab.bytes)
      return canary_in(slab, std::size_t(byte - slab.base) / stride());
  return nullptr;
}

bool StackPool::is_whole(const std::uint64_t* word) { return *word == canary; }

}  // namespace redbench::simt
