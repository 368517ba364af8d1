#include <algorithm>

#include "src/device/cuda_check.hpp"
#include "src/measure/movers.hpp"

namespace redbench {
namespace {

constexpr int threads = 512;

/// Moves `count` 16-byte words. Each thread has `unroll` independent loads in flight, neighbouring threads
/// take neighbouring words.
template <Traffic traffic, int unroll>
__global__ void __launch_bounds__(threads) move_words(const uint4* from, uint4* to, Index count) {
  const Index tile = Index(threads) * unroll;
  unsigned seen = 0;
  for (Index base = blockIdx.x * tile; base < count; base += gridDim.x * tile) {
    uint4 word[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Index i = base + u * threads + threadIdx.x;
      word[u] = make_uint4(1, 2, 3, 4);
      if (traffic != Traffic::write && i < count) word[u] = __ldcs(from + i);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Index i = base + u * threads + threadIdx.x;
      if (traffic == Traffic::read) seen |= word[u].x ^ word[u].y ^ word[u].z ^ word[u].w;
      else if (i < count) __stcs(to + i, word[u]);
    }
  }
  // Keeps the loads alive: `to` is null for a read, which the compiler cannot know.
  if (traffic == Traffic::read && seen == 0xdeadbeef && to) to[0].x = seen;
}

/// A grid that covers the words once, and one of resident blocks that stride over them.
template <Traffic traffic, int unroll>
void add_kernels(std::vector<Mover>& list, const DeviceFacts& facts, const Move& move) {
  const Index count = Index(move.bytes / sizeof(uint4));
  const Index tiles = std::max<Index>(1, ceil_div(count, Index(threads) * unroll));
  int resident = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, move_words<traffic, unroll>, threads, 0),
        "asking for the ceiling kernel's occupancy");
  const std::pair<Index, const char*> grids[] = {
      {tiles, "one tile per block"},
      {std::min(tiles, Index(facts.multiprocessors) * resident), "resident blocks"}};
  for (const auto& [blocks, shape] : grids)
    list.push_back({std::string(shape) + ", " + std::to_string(unroll) + " words of 16 bytes per thread",
                    [=, blocks = blocks] {
                      move_words<traffic, unroll><<<unsigned(blocks), threads>>>(
                          static_cast<const uint4*>(move.from),
                          traffic == Traffic::read ? nullptr : static_cast<uint4*>(move.to), count);
                      check(cudaGetLastError(), "measuring the ceiling");
                    }});
}

template <Traffic traffic>
std::vector<Mover> kernels(const DeviceFacts& facts, const Move& move) {
  std::vector<Mover> list;
  add_kernels<traffic, 1>(list, facts, move);
  add_kernels<traffic, 2>(list, facts, move);
  add_kernels<traffic, 4>(list, facts, move);
  add_kernels<traffic, 8>(list, facts, move);
  return list;
}

}  // namespace

std::vector<Mover> cuda_movers(const DeviceFacts& facts, Traffic traffic, const Move& move) {
  switch (traffic) {
    case Traffic::read:
      return kernels<Traffic::read>(facts, move);
    case Traffic::copy:
      return kernels<Traffic::copy>(facts, move);
    case Traffic::write:
      return kernels<Traffic::write>(facts, move);
  }
  return {};
}

}  // namespace redbench
