#include "src/measure/movers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "src/device/host.hpp"

namespace redbench {
namespace {

/// Loads a cache line in words of so many bytes, and discards it.
template <int word>
void load_line(const char* line) {
#ifdef __x86_64__
  if constexpr (word == 64) {
    asm volatile("vmovdqu64 (%0), %%zmm0" ::"r"(line) : "xmm0");
    return;
  } else if constexpr (word == 32) {
    asm volatile("vmovdqu (%0), %%ymm0\n\tvmovdqu 32(%0), %%ymm1" ::"r"(line) : "xmm0", "xmm1");
    return;
  }
#endif
  using Wide = u64 __attribute__((vector_size(16)));
  const Wide* const words = reinterpret_cast<const Wide*>(line);
  const Wide seen = words[0] ^ words[1] ^ words[2] ^ words[3];
  asm volatile("" ::"m"(seen));  // so that the loads are not optimised away
}

/// Reads `streams` equal parts of a span at the same time, as one core has more cache misses in flight from
/// several places than from one. `ahead`: distance of software prefetches, in bytes; 0: none.
template <int word, int streams, int ahead>
void read(const char* from, std::size_t bytes) {
  constexpr std::size_t line = 64;
  const std::size_t part = bytes / streams / line * line;
  for (std::size_t i = 0; i < part; i += line)
#pragma GCC unroll 8
    for (int s = 0; s < streams; ++s) {
      const char* const at = from + std::size_t(s) * part + i;
      if (ahead) __builtin_prefetch(at + ahead);
      load_line<word>(at);
    }
  for (std::size_t i = part * streams; i < bytes; ++i) asm volatile("" ::"r"(from[i]));
#ifdef __x86_64__
  if (word > 16) asm volatile("vzeroupper" ::: "xmm0", "xmm1");
#endif
}

/// How one core reads a span.
struct Reader {
  int streams, ahead;
  void (*read)(const char* from, std::size_t bytes);
};

/// On a Xeon a prefetch distance of 512 bytes was better than 1024, and sometimes worse than none.
template <int word>
std::vector<Reader> readers_of() {
  return {{1, 0, read<word, 1, 0>},     {2, 0, read<word, 2, 0>},     {4, 0, read<word, 4, 0>},
          {8, 0, read<word, 8, 0>},     {1, 512, read<word, 1, 512>}, {2, 512, read<word, 2, 512>},
          {4, 512, read<word, 4, 512>}, {8, 512, read<word, 8, 512>}};
}

int widest_word() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

std::vector<Reader> readers() {
  switch (widest_word()) {
    case 64:
      return readers_of<64>();
    case 32:
      return readers_of<32>();
    default:
      return readers_of<16>();
  }
}

/// Copies a core's pieces of all spans to the same places of `to`.
void copy_pieces(const Move& move, int core, int cores) {
  char* to = static_cast<char*>(move.to);
  for (const Span& span : move.from) {
    const Piece piece(Move::whole(span.bytes), core, cores);
    std::memcpy(to + piece.start, static_cast<const char*>(span.start) + piece.start, piece.bytes);
    to += Move::whole(span.bytes);
  }
}

/// Reads a core's pieces of all spans, and fills its piece of the output in proportion meanwhile.
void move_pieces(const Move& move, int core, int cores, const Reader& reader) {
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
      reader.read(from + at, bytes);
      done += bytes;
      const std::size_t due = std::size_t(double(out.bytes) * (double(done) / double(reads)));
      std::memset(to + filled, 1, due - filled);
      filled = due;
    }
  }
  std::memset(to + filled, 1, out.bytes - filled);
}

void move_bytes(const Move& move, int core, int cores, const Reader& reader) {
  if (move.bytes_read() == move.bytes_written()) copy_pieces(move, core, cores);
  else move_pieces(move, core, cores, reader);
}

/// Shares the move out as variants share out their input (kernels/reduce/cpu_openmp.cpp): the same core reads
/// the same bytes, in the same order.
void move_on(int cores, const Move& move, const Reader& reader) {
  if (cores == 1) return move_bytes(move, 0, 1, reader);
#pragma omp parallel for schedule(static, 1) num_threads(cores)
  for (int core = 0; core < cores; ++core) move_bytes(move, core, cores, reader);
}

std::string name_of(int cores, const Reader& reader) {
  return fmt::format("{} core{}, {} stream{} of {} bytes at once{}", cores, cores == 1 ? "" : "s",
                     reader.streams, reader.streams == 1 ? "" : "s each", widest_word(),
                     reader.ahead ? fmt::format(", prefetched by {}", reader.ahead) : "");
}

}  // namespace

std::size_t Move::bytes_read() const {
  std::size_t total = 0;
  for (const Span& span : from) total += whole(span.bytes);
  return total;
}

/// Few cores win where the move ends before all have woken up. Where each would have more than this, some 6 ms, all and the
/// next smaller number alone are tried (of 4 cores 1 still won once, in results/h200): the others took most of the search.
constexpr std::size_t most_for_few_cores = std::size_t(64) << 20;

std::vector<Mover> host_movers(const Move& move) {
  // Copies, and writes without reads, are left to the C library.
  const bool reads = move.bytes_read() > 0 && move.bytes_read() != move.bytes_written();
  std::vector<Mover> list;
  std::vector<int> counts = core_counts();
  while (counts.size() > 2 && move.bytes() / std::size_t(counts[0]) > most_for_few_cores)
    counts.erase(counts.begin());
  for (const int count : counts) {
    if (!reads) {
      list.push_back(
          {fmt::format("{} core{}", count, count == 1 ? "" : "s"), [=] { move_on(count, move, {}); }});
      continue;
    }
    for (const Reader& reader : readers())
      list.push_back({name_of(count, reader), [=] { move_on(count, move, reader); }});
  }
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
