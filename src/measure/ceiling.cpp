#include "src/measure/ceiling.hpp"

#include <cstring>

namespace redbench {
namespace {

/// Pieces of 1 MiB, in one stream per core, or all on one: small inputs end before other cores have woken up.
template <class Piece>
void in_pieces(std::size_t bytes, bool all_cores, const Piece& piece) {
  constexpr Index most = 1 << 20;
  const Index pieces = Index(bytes + most - 1) / most;
#pragma omp parallel for schedule(static) if (all_cores)
  for (Index i = 0; i < pieces; ++i) {
    const std::size_t start = std::size_t(i) * most;
    piece(start, std::min(bytes - start, std::size_t(most)));
  }
}

void move_bytes(Traffic traffic, const Move& move, bool all_cores) {
  in_pieces(move.bytes, all_cores, [&](std::size_t start, std::size_t bytes) {
    char* const to = static_cast<char*>(move.to) + start;
    const char* const from = static_cast<const char*>(move.from) + start;
    if (traffic == Traffic::copy) std::memcpy(to, from, bytes);
    else if (traffic == Traffic::write) std::memset(to, 1, bytes);
    else {
      const u64* const words = reinterpret_cast<const u64*>(from);
      u64 sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < bytes / sizeof(u64); ++i) sum += words[i];
      asm volatile("" ::"r"(sum));  // so that the reads are not optimised away
    }
  });
}

}  // namespace

std::vector<Mover> host_movers(Traffic traffic, const Move& move) {
  return {{"one core", [=] { move_bytes(traffic, move, false); }},
          {"all cores", [=] { move_bytes(traffic, move, true); }}};
}

std::vector<Mover> movers(Device& device, Traffic traffic, const Move& move) {
  if (device.target() == Target::host) return host_movers(traffic, move);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_movers(device.facts(), traffic, move);
#endif
  return {};
}

}  // namespace redbench
