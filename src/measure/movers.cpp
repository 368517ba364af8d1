#include "src/measure/movers.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace redbench {
namespace {

using Wide = u64 __attribute__((vector_size(16)));

/// Reads `streams` equal parts side by side: one core has more cache lines under way from several places than
/// from one. The distance of the prefetch, 512 bytes, was the best of 0, 512 and 1024 on a Xeon.
template <int streams>
void read(const char* from, std::size_t bytes) {
  const Wide* const words = reinterpret_cast<const Wide*>(from);
  constexpr std::size_t at_once = 64 / sizeof(Wide);  // a cache line
  const std::size_t part = bytes / sizeof(Wide) / streams / at_once * at_once;
  Wide seen[streams] = {};
  for (std::size_t i = 0; i < part; i += at_once)
#pragma GCC unroll 8
    for (int s = 0; s < streams; ++s) {
      const Wide* const line = words + std::size_t(s) * part + i;
      __builtin_prefetch(reinterpret_cast<const char*>(line) + 512);
      seen[s] ^= line[0] ^ line[1] ^ line[2] ^ line[3];
    }
  for (std::size_t i = part * streams; i < bytes / sizeof(Wide); ++i) seen[0] ^= words[i];
  for (int s = 1; s < streams; ++s) seen[0] ^= seen[s];
  asm volatile("" ::"m"(seen[0]));  // so that the reads are not optimised away
}

/// Each of `cores` has one piece, of whole pages.
void move_bytes(Traffic traffic, const Move& move, int cores, int streams) {
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
    else if (streams == 1) read<1>(from, bytes);
    else read<4>(from, bytes);
  }
}

}  // namespace

std::vector<Mover> host_movers(Traffic traffic, const Move& move) {
  std::vector<int> cores;
  const int all = omp_get_max_threads();
  for (int some = 1; some < all; some *= 4)
    cores.push_back(some);  // small inputs end before all have woken up
  cores.push_back(all);
  std::vector<Mover> list;
  for (const int count : cores)
    for (const int streams : {1, 4})
      if (traffic == Traffic::read || streams == 1)
        list.push_back({std::to_string(count) + (count == 1 ? " core, " : " cores, ") +
                            std::to_string(streams) + (streams == 1 ? " stream" : " streams each"),
                        [=] { move_bytes(traffic, move, count, streams); }});
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
