#include "src/measure/ceiling.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace redbench {
namespace {

/// 64 bytes, as one register or several, so that the loads are as wide as the CPU's at any level of optimisation.
using Wide = u64 __attribute__((vector_size(64), aligned(16)));

void read(const char* from, std::size_t bytes) {
  const Wide* const words = reinterpret_cast<const Wide*>(from);
  const std::size_t count = bytes / sizeof(Wide);
  Wide even{}, odd{};
  std::size_t i = 0;
  for (; i + 2 <= count; i += 2) {
    even ^= words[i];
    odd ^= words[i + 1];
  }
  for (; i < count; ++i) even ^= words[i];
  even ^= odd;
  asm volatile("" ::"m"(even));  // so that the reads are not optimised away
}

/// Each of `cores` has one piece, of whole pages.
void move_bytes(Traffic traffic, const Move& move, int cores) {
  constexpr std::size_t page = 4096;
  const std::size_t piece = (move.bytes / std::size_t(cores) + page) / page * page;
#pragma omp parallel for schedule(static) num_threads(cores) if (cores > 1)
  for (int core = 0; core < cores; ++core) {
    const std::size_t start = std::min(move.bytes, std::size_t(core) * piece);
    const std::size_t bytes = std::min(piece, move.bytes - start);
    char* const to = static_cast<char*>(move.to) + start;
    const char* const from = static_cast<const char*>(move.from) + start;
    if (traffic == Traffic::copy) std::memcpy(to, from, bytes);
    else if (traffic == Traffic::write) std::memset(to, 1, bytes);
    else read(from, bytes);
  }
}

}  // namespace

std::vector<Mover> host_movers(Traffic traffic, const Move& move) {
  // Small inputs end before all cores have woken up.
  std::vector<Mover> list;
  for (int cores = 1; cores < omp_get_max_threads(); cores *= 4)
    list.push_back({cores == 1 ? "one core" : std::to_string(cores) + " cores", [=] { move_bytes(traffic, move, cores); }});
  const int all = omp_get_max_threads();
  list.push_back({"all cores", [=] { move_bytes(traffic, move, all); }});
  return list;
}

std::vector<Mover> movers(Device& device, Traffic traffic, const Move& move) {
  if (device.target() == Target::host) return host_movers(traffic, move);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_movers(device.facts(), traffic, move);
#endif
  return {};
}

}  // namespace redbench
