#include <algorithm>
#include <stdexcept>

#include "src/device/cuda_check.hpp"
#include "src/measure/movers.hpp"

namespace redbench {
namespace {

constexpr int threads = 512;

/// A move in 16-byte words, cut into steps: a step reads at most `read_tile` words of one span and writes at
/// most `write_tile`, so that both advance in proportion to their whole.
struct Steps {
  const uint4* from[Move::most_spans] = {};
  Index words[Move::most_spans] = {};
  Index first[Move::most_spans + 1] = {};  // step of each span's start; past the last, of the end of reading
  int read_tile = 0, write_tile = 0;
  uint4* to = nullptr;
  Index written = 0;
  Index count = 0;
};

Steps cut(const Move& move, int tile) {
  if (move.from.size() > std::size_t(Move::most_spans)) throw std::logic_error("too many spans to move");
  Steps steps;
  const Index reads = Index(move.bytes_read() / 16), writes = Index(move.bytes_written() / 16);
  const Index more = std::max<Index>(1, std::max(reads, writes));
  steps.read_tile = int(ceil_div(reads * tile, more));
  steps.write_tile = int(ceil_div(writes * tile, more));
  steps.to = static_cast<uint4*>(move.to);
  steps.written = writes;
  for (int span = 0; span < Move::most_spans; ++span) {
    if (std::size_t(span) < move.from.size()) {
      steps.from[span] = static_cast<const uint4*>(move.from[std::size_t(span)].start);
      steps.words[span] = Index(move.from[std::size_t(span)].bytes / 16);
    }
    steps.first[span + 1] = steps.first[span];
    if (steps.words[span]) steps.first[span + 1] += ceil_div(steps.words[span], Index(steps.read_tile));
  }
  steps.count = steps.first[Move::most_spans];
  if (writes) steps.count = std::max(steps.count, ceil_div(writes, Index(steps.write_tile)));
  return steps;
}

__device__ int words_left(Index words, Index at, int tile) {
  return int(max(Index(0), min(words - at, Index(tile))));
}

/// Each thread has `unroll` independent loads in flight, neighbouring threads take neighbouring words.
template <bool reads, bool writes, int unroll>
__global__ void __launch_bounds__(threads) move_words(const Steps steps) {
  unsigned seen = 0;
  for (Index step = blockIdx.x; step < steps.count; step += gridDim.x) {
    uint4 word[unroll];
    const uint4* from = nullptr;
    int in = 0, out = 0;
    if (reads) {
      int span = 0;
#pragma unroll
      for (int next = 1; next < Move::most_spans; ++next)
        if (step >= steps.first[next]) span = next;
      const Index at = (step - steps.first[span]) * steps.read_tile;
      from = steps.from[span] + at;
      in = words_left(steps.words[span], at, steps.read_tile);
    }
    if (writes) out = words_left(steps.written, step * steps.write_tile, steps.write_tile);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int i = u * threads + int(threadIdx.x);
      word[u] = make_uint4(1, 2, 3, 4);
      if (reads && i < in) word[u] = __ldcs(from + i);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const int i = u * threads + int(threadIdx.x);
      if (writes && i < out) __stcs(steps.to + step * steps.write_tile + i, word[u]);
      else seen |= word[u].x ^ word[u].y ^ word[u].z ^ word[u].w;
    }
  }
  // Keeps the loads alive: `to` is null for a read, which the compiler cannot know.
  if (reads && seen == 0xdeadbeef && steps.to) steps.to[0].x = seen;
}

/// A grid that covers the words once, and one of resident blocks that stride over them.
template <bool reads, bool writes, int unroll>
void add_kernels(std::vector<Mover>& list, const DeviceFacts& facts, const Move& move) {
  const Steps steps = cut(move, threads * unroll);
  int resident = 0;
  check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, move_words<reads, writes, unroll>, threads, 0),
      "asking for the ceiling kernel's occupancy");
  const Index tiles = std::max<Index>(1, steps.count);
  const std::pair<Index, const char*> grids[] = {
      {tiles, "one tile per block"},
      {std::min(tiles, Index(facts.multiprocessors) * resident), "resident blocks"}};
  for (const auto& [blocks, shape] : grids)
    list.push_back({std::string(shape) + ", " + std::to_string(unroll) + " words of 16 bytes per thread",
                    [=, blocks = blocks] {
                      move_words<reads, writes, unroll><<<unsigned(blocks), threads>>>(steps);
                      check(cudaGetLastError(), "measuring the ceiling");
                    }});
}

template <bool reads, bool writes>
std::vector<Mover> kernels(const DeviceFacts& facts, const Move& move) {
  std::vector<Mover> list;
  add_kernels<reads, writes, 1>(list, facts, move);
  add_kernels<reads, writes, 2>(list, facts, move);
  add_kernels<reads, writes, 4>(list, facts, move);
  add_kernels<reads, writes, 8>(list, facts, move);
  return list;
}

}  // namespace

std::vector<Mover> cuda_movers(const DeviceFacts& facts, const Move& move) {
  if (move.bytes_written() == 0) return kernels<true, false>(facts, move);
  if (move.bytes_read() == 0) return kernels<false, true>(facts, move);
  return kernels<true, true>(facts, move);
}

}  // namespace redbench
