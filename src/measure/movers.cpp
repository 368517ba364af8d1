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

/// What one of several cores moves of `bytes`: whole pages.
struct Piece {
  Piece(std::size_t whole, int core, int cores) {
    constexpr std::size_t page = 4096;
    const std::size_t most = (whole / std::size_t(cores) + page) / page * page;
    start = std::min(whole, std::size_t(core) * most);
    bytes = std::min(most, whole - start);
  }
  std::size_t start, bytes;
};

/// A core's pieces of all spans, each to the same place of `to`.
void copy_pieces(const Move& move, int core, int cores) {
  char* to = static_cast<char*>(move.to);
  for (const Span& span : move.from) {
    const Piece piece(Move::whole(span.bytes), core, cores);
    std::memcpy(to + piece.start, static_cast<const char*>(span.start) + piece.start, piece.bytes);
    to += Move::whole(span.bytes);
  }
}

/// A core's pieces of all spans read, and its piece of what is written filled in proportion.
template <int streams>
void move_pieces(const Move& move, int core, int cores) {
  constexpr std::size_t part = std::size_t(64) << 10;
  const Piece out(move.bytes_written(), core, cores);
  char* const to = static_cast<char*>(move.to) + out.start;
  std::size_t reads = 0, done = 0, filled = 0;
  for (const Span& span : move.from) reads += Piece(Move::whole(span.bytes), core, cores).bytes;
  for (const Span& span : move.from) {
    const Piece in(Move::whole(span.bytes), core, cores);
    const char* const from = static_cast<const char*>(span.start) + in.start;
    const std::size_t step = out.bytes ? part : in.bytes;
    for (std::size_t at = 0; at < in.bytes; at += step) {
      const std::size_t bytes = std::min(step, in.bytes - at);
      read<streams>(from + at, bytes);
      done += bytes;
      const std::size_t due = std::size_t(double(out.bytes) * (double(done) / double(reads)));
      std::memset(to + filled, 1, due - filled);
      filled = due;
    }
  }
  std::memset(to + filled, 1, out.bytes - filled);
}

void move_bytes(const Move& move, int cores, int streams) {
  const bool copies = move.bytes_read() == move.bytes_written();
#pragma omp parallel for schedule(static) num_threads(cores) if (cores > 1)
  for (int core = 0; core < cores; ++core) {
    if (copies) copy_pieces(move, core, cores);
    else if (streams == 1) move_pieces<1>(move, core, cores);
    else move_pieces<4>(move, core, cores);
  }
}

}  // namespace

std::size_t Move::bytes_read() const {
  std::size_t total = 0;
  for (const Span& span : from) total += whole(span.bytes);
  return total;
}

std::vector<Mover> host_movers(const Move& move) {
  std::vector<int> cores;
  const int all = omp_get_max_threads();
  for (int some = 1; some < all; some *= 4)
    cores.push_back(some);  // small inputs end before all have woken up
  cores.push_back(all);
  const bool streams_differ = move.bytes_read() > 0 && move.bytes_read() != move.bytes_written();
  std::vector<Mover> list;
  for (const int count : cores)
    for (const int streams : {1, 4})
      if (streams_differ || streams == 1)
        list.push_back({std::to_string(count) + (count == 1 ? " core, " : " cores, ") +
                            std::to_string(streams) + (streams == 1 ? " stream" : " streams each"),
                        [=] { move_bytes(move, count, streams); }});
  return list;
}

std::vector<Mover> movers(Device& device, const Move& move) {
  if (device.target() == Target::host) return host_movers(move);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_movers(device.facts(), move);
#endif
  return {};
}

}  // namespace redbench
