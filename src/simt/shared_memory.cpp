#include "src/simt/shared_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/rounding.hpp"
#include "src/error.hpp"

namespace redbench::simt {

constexpr std::size_t red_zone_bytes = 64;

SharedArena::SharedArena() {
  const std::size_t all = capacity + 2 * guard_bytes;
  void* const memory = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  memory_ = static_cast<std::byte*>(memory);
  if (memory == MAP_FAILED || mprotect(memory_ + guard_bytes, capacity, PROT_READ | PROT_WRITE) != 0)
    throw DeviceError("no memory for the modelled shared memory");
}

SharedArena::~SharedArena() { munmap(memory_, capacity + 2 * guard_bytes); }

std::byte* SharedArena::start_block(std::size_t bytes, const KernelSource& kernel, std::byte* storage,
                                    std::uint64_t seed) {
  std::byte* const end = memory_ + guard_bytes + capacity;
  bytes_ = bytes;
  base_ = end - round_up(bytes, 16);
  // Negative or very large, by the seed: no single value would change both a minimum and a maximum.
  poison_ = seed % 2 ? 0x7e : 0xa5;
  std::memset(base_ - red_zone_bytes, poison_, std::size_t(end - base_) + red_zone_bytes);
  if (storage)
    for (const SharedVariable& variable : kernel.shared)
      std::memset(storage + variable.offset, poison_, variable.bytes);
  return base_;
}

std::string SharedArena::damage() const {
  const auto is_whole = [this](const std::byte* from, const std::byte* to) {
    return std::all_of(from, to, [this](std::byte byte) { return byte == std::byte(poison_); });
  };
  const std::string size = "its " + std::to_string(bytes_) + " bytes of dynamic shared memory";
  if (!is_whole(base_ - red_zone_bytes, base_)) return "wrote below " + size;
  if (!is_whole(base_ + bytes_, memory_ + guard_bytes + capacity)) return "wrote past " + size;
  return "";
}

bool SharedArena::guards(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  return byte >= memory_ && byte < memory_ + capacity + 2 * guard_bytes;
}

}  // namespace redbench::simt
