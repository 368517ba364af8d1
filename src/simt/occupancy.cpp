#include "src/simt/occupancy.hpp"

#include <algorithm>

#include "kernels/rounding.hpp"

namespace redbench {
namespace {

/// Warps that the register file holds: registers are given to a warp in units, warps to a multiprocessor in
/// twos on compute capability 2.x and in fours (one for each scheduler) since.
int warps_by_registers(const DeviceFacts& facts, int registers) {
  const std::size_t per_warp = round_up(std::size_t(registers) * 32, facts.register_granularity);
  const int warps = int(facts.registers / per_warp);
  const int schedulers = facts.capability < 30 ? 2 : 4;
  return warps / schedulers * schedulers;
}

}  // namespace

void model_occupancy(const DeviceFacts& facts, int registers, LaunchFacts& launch) {
  struct Limit {
    const char* name;
    int blocks;
  };
  const int warps = (launch.grid.threads + 31) / 32;
  Limit tightest{"warps", facts.max_warps / std::max(warps, 1)};
  const auto limit = [&](Limit other) {
    if (other.blocks < tightest.blocks) tightest = other;
  };
  limit({"blocks", facts.max_blocks});
  if (const std::size_t shared =
          launch.grid.shared_bytes + launch.static_shared_bytes + facts.shared_bytes_reserved)
    limit({"shared memory", int(facts.shared_bytes / round_up(shared, facts.shared_granularity))});
  if (registers > 0) limit({"registers", warps_by_registers(facts, registers) / std::max(warps, 1)});

  launch.resident_blocks = tightest.blocks;
  launch.occupancy = facts.max_warps ? double(tightest.blocks * warps) / facts.max_warps : 0;
  launch.limiter = tightest.name;
}

}  // namespace redbench
