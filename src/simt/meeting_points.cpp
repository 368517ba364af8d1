#include "src/simt/meeting_points.hpp"

#include <algorithm>
#include <compare>
#include <utility>

namespace redbench::simt {
namespace {

using End = const void* (*)(std::span<const LogEntry>);

const void* end(std::span<const LogEntry> log) { return log.back().where; }

/// The end before the empty basic block in which g++ joins all ways out of a kernel.
const void* end_of_work(std::span<const LogEntry> log) {
  const bool leaves = log.size() > 1 && LogEntry::Kind(log.back().kind) == LogEntry::Kind::basic_block;
  return end(log.first(log.size() - leaves));
}

/// The place where most of the lanes end; of two such places the one at the higher address.
const void* end_of_most(const WarpLogs& rest, unsigned lanes, End end_of) {
  std::pair<int, const void*> most{};
  for_groups(
      lanes, [&](unsigned lane) { return end_of(rest[lane]); },
      [&](unsigned same, const void* end) { most = std::max(most, {std::popcount(same), end}); });
  return most.second;
}

}  // namespace

void MeetingPoints::find(const void* at, const WarpLogs& rest) {
  collect_edges(at, rest);
  const auto known = std::ranges::find(graphs_, edges_, &Graph::edges);
  if (known != graphs_.end()) {
    graph_ = &*known;
    return;
  }
  graph_ = &graphs_[next_graph_++ % graphs_.size()];
  *graph_ = Graph(edges_);
}

/// Lanes, and the turns of a loop, repeat the same edges: a small cache drops most of them before the sort.
void MeetingPoints::collect_edges(const void* at, const WarpLogs& rest) {
  std::array<Edge, 64> lately{};
  edges_.clear();
  for (const auto& log : rest) {
    const void* from = at;
    for (const LogEntry& entry : log) {
      const Edge edge{from, entry.where};
      from = entry.where;
      Edge& seen = lately[(std::uintptr_t(edge.from) * 5 + std::uintptr_t(edge.to)) % lately.size()];
      if (seen == edge) continue;
      seen = edge;
      edges_.push_back(edge);
    }
  }
  std::ranges::sort(edges_);
  edges_.erase(std::ranges::unique(edges_).begin(), edges_.end());
}

MeetingPoints::Graph::Graph(const std::vector<Edge>& all) : edges(all) {
  for (const auto& [from, to] : edges) {
    places.push_back(from);
    places.push_back(to);
  }
  std::ranges::sort(places);
  places.erase(std::ranges::unique(places).begin(), places.end());

  before.assign(places.size(), {});
  behind.assign(places.size(), {});
  for (const auto& [from, to] : edges) {
    behind[number_of(from)].push_back(number_of(to));
    before[number_of(to)].push_back(number_of(from));
  }
}

int MeetingPoints::Graph::number_of(const void* place) const {
  return int(std::ranges::lower_bound(places, place) - places.begin());
}

const void* MeetingPoints::of(const void* branch, const WarpLogs& rest, unsigned lanes) {
  const int place = graph_->number_of(branch);
  for (const End end_of : {end_of_work, end}) {
    const int last = graph_->number_of(end_of_most(rest, lanes, end_of));
    const int meeting = place == last ? unknown : graph_->meetings_before(last).of[place];
    if (meeting != unknown) return graph_->places[meeting];
  }
  return nullptr;
}

/// The places that lead to `end`, in reverse postorder of a depth-first search against the edges: `end`
/// first.
std::vector<int> MeetingPoints::Graph::order_from(int end) const {
  std::vector<std::pair<int, std::size_t>> path{{end, 0}};  // with the edges that were followed
  std::vector<bool> found(places.size());
  found[end] = true;
  std::vector<int> order;
  while (!path.empty()) {
    auto& [place, followed] = path.back();
    if (followed == before[place].size()) {
      order.push_back(place);
      path.pop_back();
      continue;
    }
    const int next = before[place][followed++];
    if (found[next]) continue;
    found[next] = true;
    path.emplace_back(next, 0);
  }
  std::ranges::reverse(order);
  return order;
}

/// Cooper, Harvey and Kennedy 2001, "A Simple, Fast Dominance Algorithm", against the edges.
const MeetingPoints::Meetings& MeetingPoints::Graph::meetings_before(int end) {
  if (const auto known = std::ranges::find(known_meetings, end, &Meetings::end);
      known != known_meetings.end())
    return *known;
  const std::vector<int> order = order_from(end);
  std::vector<int> rank(places.size(), unknown);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = int(i);

  std::vector<int> of(places.size(), unknown);
  of[end] = end;
  const auto common = [&](int x, int y) {
    while (x != y) {
      int& farther = rank[x] > rank[y] ? x : y;
      farther = of[farther];
    }
    return x;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const int place : order) {
      if (place == end) continue;
      int meeting = unknown;
      for (const int next : behind[place])
        if (of[next] != unknown) meeting = meeting == unknown ? next : common(meeting, next);
      changed |= meeting != of[place];
      of[place] = meeting;
    }
  }
  return known_meetings.emplace_back(Meetings{end, std::move(of)});
}

}  // namespace redbench::simt
