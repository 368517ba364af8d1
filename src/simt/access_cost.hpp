// What one request of a warp costs, from the addresses of its lanes.
//
// Shared memory has `banks` banks, each 4 bytes wide, and serves one word of each bank in a wavefront; lanes
// that access the same word share it. Accesses of 8 bytes go by half warps, of 16 bytes by quarter warps; of
// a load twice as many lanes go together where no two lanes whose numbers differ in bit 0 alone access
// different addresses, or none that differ in bit 1: where every other lane takes part, say, or neighbours
// share. So an H100 counts (tests/simt/test_access_cost.cpp).
// Global memory moves in sectors of 32 bytes; a cache line is 128.
#pragma once

#include <array>
#include <cstdint>

namespace redbench::simt {

/// The address of each lane; those of inactive lanes are ignored.
using Addresses = std::array<std::uintptr_t, 32>;

struct SharedCost {
  unsigned wavefronts;
  unsigned ideal;  // without conflicts
};
SharedCost shared_cost(const Addresses&, unsigned active, unsigned bytes, unsigned banks, bool loads);

struct GlobalCost {
  unsigned sectors;
  unsigned sectors_ideal;  // if the distinct addresses were neighbours, from the start of a sector
  unsigned cache_lines;
};
GlobalCost global_cost(const Addresses& addresses, unsigned active, unsigned bytes);

/// The most lanes that share one address.
unsigned same_address_degree(const Addresses& addresses, unsigned active);

}  // namespace redbench::simt
