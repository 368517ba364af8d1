#include "src/measure/ceiling.hpp"

#include <cstring>

namespace redbench {
namespace {

/// Each core's share in one piece, so that the prefetchers see one stream each.
template <class Piece>
void in_pieces(std::size_t bytes, const Piece& piece) {
  constexpr Index most = 1 << 20;
  const Index pieces = Index(bytes + most - 1) / most;
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < pieces; ++i) {
    const std::size_t start = std::size_t(i) * most;
    piece(start, std::min(bytes - start, std::size_t(most)));
  }
}

void read_all(const Move& move) {
  const u64* const words = static_cast<const u64*>(move.from);
  const Index count = Index(move.bytes / sizeof(u64));
  u64 sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (Index i = 0; i < count; ++i) sum += words[i];
  asm volatile("" ::"r"(sum));  // so that the reads are not optimised away
}

}  // namespace

std::vector<Mover> host_movers(Traffic traffic, const Move& move) {
  switch (traffic) {
    case Traffic::read: return {{"all cores, sum of 8-byte words", [move] { read_all(move); }}};
    case Traffic::copy:
      return {{"all cores, memcpy", [move] {
                 in_pieces(move.bytes, [&](std::size_t start, std::size_t bytes) {
                   std::memcpy(static_cast<char*>(move.to) + start, static_cast<const char*>(move.from) + start, bytes);
                 });
               }}};
    case Traffic::write:
      return {{"all cores, memset", [move] {
                 in_pieces(move.bytes, [&](std::size_t start, std::size_t bytes) {
                   std::memset(static_cast<char*>(move.to) + start, 1, bytes);
                 });
               }}};
  }
  return {};
}

std::vector<Mover> movers(Device& device, Traffic traffic, const Move& move) {
  if (device.target() == Target::host) return host_movers(traffic, move);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_movers(device.facts(), traffic, move);
#endif
  return {};
}

}  // namespace redbench
