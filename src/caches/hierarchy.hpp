// Caches behind each other, with address translation before them: which level has what an access asks for.
//
// Lines come into every level above the one that has them. A line that was written goes, when it is evicted,
// to the next level that still holds it, or to memory. A store fetches its line as a load does. Instructions
// are not simulated.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "src/caches/machine.hpp"

namespace redbench::caches {

/// Which instruction of a loop accesses memory, for what looks for strides.
enum class Site : std::uint8_t { labels, values, buckets, results, places, more_labels, more_values, tables };
inline constexpr std::size_t site_count = 8;

/// Of a stretch of accesses.
struct Counts {
  double loads = 0, stores = 0;
  std::vector<double> misses;       // by level, of loads and stores; what walks read is not among them
  std::vector<double> write_backs;  // by level: lines that it evicted dirty
  double memory_lines = 0;          // read and written, for whatever reason
  double prefetches = 0;            // lines that came before they were asked for
  std::vector<double> tlb_misses;   // by level
  double tlb_load_misses = 0;       // of loads that no level of the TLB had
  double walks = 0, walk_reads = 0;

  Counts& operator+=(const Counts& other);
  Counts operator-(const Counts& other) const;
  Counts scaled(double factor) const;
};

class Hierarchy {
 public:
  /// `page_bytes` picks the translation; 0: none is simulated.
  Hierarchy(const Machine& machine, std::uint64_t page_bytes);
  Hierarchy(Machine&&, std::uint64_t) = delete;  // it must live as long

  struct Access {
    unsigned level = 0;         // that had the line; levels.size(): memory
    double ns = 0;              // of that level
    double translation_ns = 0;  // before it can begin
    bool walked = false;
    unsigned memory_lines = 0;  // moved for it
  };
  /// Of one line.
  Access access(Site site, std::uint64_t address, bool write);

  /// A store that is not counted, nor translated: to begin with what an earlier loop left.
  void leave(std::uint64_t address);

  const Counts& counts() const { return counts_; }
  Cache& level(std::size_t i) { return caches_[i]; }

 private:
  /// A page whose lines may be used in order.
  struct Stream {
    Block page = ~Block(0), last = 0;
  };
  static constexpr std::size_t most_streams = 32;  // of Intel's streamer, one for each page of 4 kB
  struct Stride {
    Block last = 0;
    std::int64_t step = 0;
  };

  unsigned fetch(Block line, bool write, bool ahead_of_use);
  void evict(std::size_t from, const Cache::Victim& victim);
  void fetch_ahead(Block line, Block page_of_line);
  void follow(Site site, Block line);
  void follow_stream(Block line);
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

}  // namespace redbench::caches
