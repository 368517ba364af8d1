// Where the lanes of a warp that part at a branch meet again: at its immediate post-dominator, the first
// place that all of them come to, whichever way they go.
//
// The branches and their ways are those that the warp's logs show. Lanes that end elsewhere than most are not
// waited for, as on a GPU those that have returned are not: the ways to the end of most count.
#pragma once

#include <span>
#include <vector>

#include "src/simt/log.hpp"

namespace redbench::simt {

class MeetingPoints {
 public:
  /// Takes the ways of `rest`; the lanes are all at the place `at` (null: before their first entry).
  void find(const void* at, const WarpLogs& rest);
  /// Where `lanes` meet, which part behind the entry at `branch`; null: nowhere before their ends.
  const void* of(const void* branch, const WarpLogs& rest, unsigned lanes);

 private:
  struct Edge {
    const void *from, *to;
    auto operator<=>(const Edge&) const = default;
  };
  static constexpr int unknown = -1;

  /// By place: where its ways to `end` meet, its immediate post-dominator.
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
  std::array<Graph, 16> graphs_;  // of late: warps go the same ways again and again
  Graph* graph_ = nullptr;        // that of `edges_`
  std::size_t next_graph_ = 0;
};

}  // namespace redbench::simt
