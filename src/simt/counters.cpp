#include "src/simt/counters.hpp"

namespace redbench {

const std::array<std::string_view, counter_count> counter_names{
    "global_load_requests",
    "global_load_lanes",
    "global_load_sectors",
    "global_load_sectors_ideal",
    "global_load_cache_lines",
    "global_store_requests",
    "global_store_lanes",
    "global_store_sectors",
    "global_store_sectors_ideal",
    "global_store_cache_lines",
    "global_atomic_requests",
    "global_atomic_lanes",
    "global_atomic_sectors",
    "global_atomic_sectors_ideal",
    "global_atomic_cache_lines",
    "global_atomic_degree",
    "shared_load_requests",
    "shared_load_lanes",
    "shared_load_wavefronts",
    "shared_load_conflicts",
    "shared_store_requests",
    "shared_store_lanes",
    "shared_store_wavefronts",
    "shared_store_conflicts",
    "shared_atomic_requests",
    "shared_atomic_lanes",
    "shared_atomic_wavefronts",
    "shared_atomic_conflicts",
    "shared_atomic_degree",
    "warp_basic_blocks",
    "warp_basic_block_lanes",
    "branches",
    "divergent_branches",
    "predicable_divergent_branches",
    "block_barriers",
    "named_barriers",
    "warp_barriers",
    "warp_exchanges",
};

Counters& Counters::operator+=(const Counters& other) {
  for (std::size_t i = 0; i < counter_count; ++i) values[i] += other.values[i];
  return *this;
}

}  // namespace redbench
