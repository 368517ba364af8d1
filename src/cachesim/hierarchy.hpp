// A hierarchy of caches with address translation in front: which level each access hits.
//
// A line is inserted into every level above the one that has it. A dirty line that is evicted is written back
// to the next level that still holds it, or to memory. Stores allocate: they fetch their line as loads do.
// Instruction fetches are not simulated.
#pragma once

#include <array>
#include <optional>

#include "src/cachesim/machine.hpp"

namespace redbench::cachesim {

/// The instruction of a loop that accesses memory, by which the stride prefetcher tells accesses apart.
enum class Site : std::uint8_t { labels, values, buckets, results, counters, sorted_labels, sorted_values };
inline constexpr std::size_t site_count = 7;

/// Event counts of a stretch of accesses.
struct Counts {
  double loads = 0, stores = 0;
  std::vector<double> misses;       // by level, of loads and stores; without reads of page walks
  std::vector<double> write_backs;  // by level: dirty lines that it evicted
  double memory_lines = 0;          // read from and written to memory, for any reason
  double prefetches = 0;            // lines that were fetched ahead
  std::vector<double> tlb_misses;   // by level
  double tlb_load_misses = 0;       // loads that missed every level of the TLB
  double walks = 0, walk_reads = 0;

  /// Adds the other's counts, times `factor`.
  Counts& add(const Counts& other, double factor = 1);
};

class Hierarchy {
 public:
  /// `page_bytes` selects one of the machine's translations; 0: addresses are not translated.
  Hierarchy(const Machine& machine, std::uint64_t page_bytes);
  Hierarchy(Machine&&, std::uint64_t) = delete;  // the machine must outlive it

  struct Access {
    unsigned level = 0;         // that the line was found in; levels.size(): memory
    double ns = 0;              // latency of that level
    double translation_ns = 0;  // before the access can begin
    bool walked = false;
    unsigned memory_lines = 0;  // from and to memory on its account, prefetches and write-backs included
  };
  /// Accesses one line.
  Access access(Site site, std::uint64_t address, bool write);

  /// A store that is neither counted nor translated: it sets up what an earlier loop left in the caches.
  void store_uncounted(std::uint64_t address);

  const Counts& counts() const { return counts_; }
  Cache& level(std::size_t i) { return caches_[i]; }

 private:
  /// A page whose lines may be used in order.
  struct Stream {
    Block page = ~Block(0), last = 0;
  };
  static constexpr std::size_t most_streams = 32;  // Intel's streamer has so many, one per page of 4 kB
  struct Stride {
    Block last = 0;
    std::int64_t step = 0;
  };

  unsigned fetch(Block line, bool write, bool prefetched);
  void evict(std::size_t from, const Cache::Victim& victim);
  void prefetch(Block line, Block from);
  void prefetch_stride(Site site, Block line);
  void prefetch_stream(Block line);
  Block line_of(std::uint64_t address) const;
  void translate(std::uint64_t address, bool write, Access& access);
  void walk(Block page, Access& access);

  const Machine& machine_;
  const Translation* translation_ = nullptr;
  std::uint64_t frame_bytes_;
  std::vector<Cache> caches_, tlbs_;
  std::optional<Cache> directories_;
  std::array<Stride, site_count> strides_{};
  std::array<Stream, most_streams> streams_{};  // the last used first
  Counts counts_;
};

}  // namespace redbench::cachesim
