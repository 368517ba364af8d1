// Reconvergence: the lanes of a warp that part at a branch meet again at the branch's immediate
// post-dominator, the first place that every way from there passes.
//
// The control-flow graph is what the logs of the warp's lanes show. Where lanes end in several places, only
// the ways to the end of most lanes count: as on a GPU, nobody waits for lanes that have returned.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// What a thread did, one entry at a time.
struct LogEntry {
  /// The first three are those of AccessKind, the last four those of Meeting.
  enum class Kind : std::uint8_t {
    read,
    write,
    atomic,
    basic_block,
    block_barrier,
    named_barrier,
    warp_barrier,
    exchange
  };
  const void* where;
  std::uintptr_t address : 48;
  std::uintptr_t bytes : 8;
  std::uintptr_t kind : 8;
};

/// For each lane, the part of its log that is still to be merged.
using WarpLogs = std::array<std::span<const LogEntry>, warp_lanes>;

class MeetingPoints {
 public:
  /// Makes the graph of `rest`. All lanes are at the place `at`; null: before their first entry.
  void find(const void* at, const WarpLogs& rest);
  /// The place where `lanes` meet that part behind the entry at `branch`; null: they meet nowhere.
  const void* of(const void* branch, const WarpLogs& rest, unsigned lanes);

 private:
  struct Edge {
    const void *from, *to;
    auto operator<=>(const Edge&) const = default;
  };
  static constexpr int unknown = -1;

  /// The immediate post-dominator of each place, for ways to `end`.
  struct Meetings {
    int end;
    std::vector<int> of;
  };

  /// A place is its index in `places`.
  struct Graph {
    std::vector<Edge> edges;          // each once
    std::vector<const void*> places;  // by address
    std::vector<std::vector<int>> before, behind;
    std::vector<Meetings> known_meetings;

    Graph() = default;
    explicit Graph(const std::vector<Edge>& all);
    int number_of(const void* place) const;
    const Meetings& meetings_before(int end);
    std::vector<int> order_from(int end) const;
  };

  void collect_edges(const void* at, const WarpLogs& rest);

  std::vector<Edge> edges_;
  std::array<Graph, 16> graphs_;  // the latest: warps take the same ways again and again
  Graph* graph_ = nullptr;        // that of `edges_`
  std::size_t next_graph_ = 0;
};

}  // namespace redbench::simt
