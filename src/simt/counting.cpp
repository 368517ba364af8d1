#include "src/simt/counting.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "src/simt/lanes.hpp"
#include "src/simt/source.hpp"

namespace redbench::simt {
namespace {

/// Entries in the logs of a block's lanes, between two meetings: 1 GiB for each OS thread.
constexpr std::size_t most_entries = std::size_t(1) << 26;

constexpr Counter after(Counter counter, int places) { return Counter(int(counter) + places); }

/// The first counter of each kind of access, in the order read, write, atomic: requests.
constexpr Counter global_first[] = {Counter::global_load_requests, Counter::global_store_requests,
                                    Counter::global_atomic_requests};
constexpr Counter shared_first[] = {Counter::shared_load_requests, Counter::shared_store_requests,
                                    Counter::shared_atomic_requests};

/// The pieces that a compiler for a GPU makes of a copy: as wide as its size lets it.
constexpr unsigned piece_of(std::uint32_t bytes) {
  for (const unsigned piece : {16u, 8u, 4u, 2u})
    if (bytes % piece == 0) return piece;
  return 1;
}

}  // namespace

CountingWatch::CountingWatch(const Launch& launch, std::span<const std::byte> global, const Follow& follow,
                             LaunchSum& sum)
    : launch_(launch),
      global_(global),
      follow_(follow),
      sum_(sum),
      logs_(max_block_threads),
      entered_(max_block_threads) {
  for (const SharedVariable& variable : launch.source.shared) {
    if (static_end_ == 0) static_begin_ = variable.offset;
    static_end_ = std::max(static_end_, variable.offset + variable.bytes);
  }
}

CountingWatch::~CountingWatch() {
  const std::lock_guard lock(sum_.mutex);
  sum_.counted.add(own_);
}

void CountingWatch::start_block(const BlockPlace& place) {
  place_ = place;
  for (int t = 0; t < place.threads; ++t) {
    logs_[t].clear();
    entered_[t] = {};
  }
}

void CountingWatch::end_block() { block_met(); }

void CountingWatch::block_met() {
  for (unsigned warp = 0; int(warp) * warp_lanes < place_.threads; ++warp) merge(warp);
}

void CountingWatch::warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp) {
  if (lanes == live) merge(warp);
}

void CountingWatch::add(const Lane& lane, const Entry& entry) {
  if (log_entries_++ == most_entries)
    running.worker->fail(entry.where, [] {
      return "too long to be counted: 2^26 accesses and branches of one block between two barriers; take a "
             "smaller n "
             "or more blocks";
    });
  logs_[lane.number].push_back(entry);
}

void CountingWatch::access(const Lane& lane, const Access& access) {
  const auto address = std::uintptr_t(access.address);
  if (space_of(address) == Space::other) return;
  const unsigned piece = piece_of(access.bytes);
  for (unsigned at = 0; at < access.bytes; at += piece)
    add(lane, {access.where, address + at, piece, std::uintptr_t(access.kind)});
}

void CountingWatch::basic_block(const Lane& lane, const void* where) {
  add(lane, {where, 0, 0, std::uintptr_t(Kind::block)});
}

void CountingWatch::meets(const Lane& lane, Meeting meeting, const void* where) {
  add(lane, {where, 0, 0, std::uintptr_t(Kind::block_barrier) + std::uintptr_t(meeting)});
}

Space CountingWatch::space_of(std::uintptr_t address) const {
  const auto* const byte = reinterpret_cast<const std::byte*>(address);
  if (std::size_t(byte - global_.data()) < global_.size()) return Space::global;
  if (std::size_t(byte - place_.dynamic_shared) < place_.dynamic_bytes) return Space::shared;
  const auto offset = std::size_t(byte - place_.static_shared);
  return offset >= static_begin_ && offset < static_end_ ? Space::shared : Space::other;
}

void CountingWatch::merge(unsigned warp) {
  std::vector<Entry>* const logs = logs_.data() + warp * warp_lanes;
  const unsigned threads = std::min(unsigned(warp_lanes), unsigned(place_.threads) - warp * warp_lanes);
  std::array<const Entry*, warp_lanes> next, end;
  unsigned left = 0;
  for (unsigned lane = 0; lane < threads; ++lane) {
    next[lane] = logs[lane].data();
    end[lane] = next[lane] + logs[lane].size();
    left |= unsigned(next[lane] != end[lane]) << lane;
  }
  Step step{warp, 0, nullptr, {}};
  while (left) {
    const void* lowest = reinterpret_cast<const void*>(~std::uintptr_t(0));
    for_lanes(left, [&](unsigned lane) {
      if (next[lane]->where > lowest) return;
      if (next[lane]->where < lowest) {
        lowest = next[lane]->where;
        step.lanes = 0;
        step.entry = next[lane];
      }
      step.lanes |= 1u << lane;
    });
    for_lanes(step.lanes, [&](unsigned lane) {
      step.addresses[lane] = next[lane]->address;
      if (++next[lane] == end[lane]) left &= ~(1u << lane);
    });
    take(step);
  }
  for (unsigned lane = 0; lane < threads; ++lane) {
    log_entries_ -= logs[lane].size();
    logs[lane].clear();
  }
}

void CountingWatch::take(const Step& step) {
  const auto kind = Kind(step.entry->kind);
  if (kind == Kind::block) return enter_block(step);
  if (Counted::Block* const block = entered_[step.warp * warp_lanes + std::countr_zero(step.lanes)].block)
    ++block->work;
  switch (kind) {
    case Kind::block_barrier:
      ++own_.at[step.entry->where][Counter::block_barriers];
      return;
    case Kind::named_barrier:
      ++own_.at[step.entry->where][Counter::named_barriers];
      return;
    case Kind::warp_barrier:
      ++own_.at[step.entry->where][Counter::warp_barriers];
      return;
    case Kind::exchange:
      ++own_.at[step.entry->where][Counter::warp_exchanges];
      return;
    default:
      count_access(step, kind);
  }
}

/// Lanes that entered their last block together and do not enter this one together have parted in between.
void CountingWatch::enter_block(const Step& step) {
  const void* const block = step.entry->where;
  Counted::Block& here = own_.blocks[block];
  Entered* const entered = entered_.data() + step.warp * warp_lanes;
  for (unsigned left = step.lanes; left;) {
    const Entered first = entered[std::countr_zero(left)];
    unsigned came = 0;
    for_lanes(left, [&](unsigned lane) { came |= unsigned(entered[lane].number == first.number) << lane; });
    if (first.block) leave_block(first, came, block, entered);
    left &= ~came;
  }
  ++entries_;
  for_lanes(step.lanes, [&](unsigned lane) { entered[lane] = {&here, entries_, step.lanes, false}; });
  ++here.entered;
  Counters& counters = own_.at[block];
  ++counters[Counter::warp_blocks];
  counters[Counter::warp_block_lanes] += unsigned(std::popcount(step.lanes));
}

/// `came` of the lanes that entered `from` together go on to `next`, together.
void CountingWatch::leave_block(const Entered& from, unsigned came, const void* next, Entered* entered) {
  from.block->add_successor(next);
  if (from.parted) return;  // counted when the first of them went on
  ++from.block->left;
  if (came == from.lanes) return;
  ++from.block->divergent;
  for_lanes(from.lanes, [&](unsigned lane) { entered[lane].parted = true; });
}

void CountingWatch::count_access(const Step& step, Kind kind) {
  unsigned of[3] = {0, 0, 0};  // lanes by space
  for_lanes(step.lanes,
            [&](unsigned lane) { of[std::size_t(space_of(step.addresses[lane]))] |= 1u << lane; });
  if (const unsigned lanes = of[std::size_t(Space::global)]) count_global(step, kind, lanes);
  if (const unsigned lanes = of[std::size_t(Space::shared)]) count_shared(step, kind, lanes);
}

void CountingWatch::count_shared(const Step& step, Kind kind, unsigned lanes) {
  const SharedCost cost =
      shared_cost(step.addresses, lanes, step.entry->bytes, unsigned(launch_.facts.banks));
  Counters& counters = own_.at[step.entry->where];
  const Counter requests = shared_first[std::size_t(kind)];
  ++counters[requests];
  counters[after(requests, 1)] += unsigned(std::popcount(lanes));
  counters[after(requests, 2)] += cost.wavefronts;
  counters[after(requests, 3)] += cost.wavefronts - cost.ideal;
  if (kind == Kind::atomic)
    counters[Counter::shared_atomic_degree] += same_address_degree(step.addresses, lanes);
}

void CountingWatch::count_global(const Step& step, Kind kind, unsigned lanes) {
  const GlobalCost cost = global_cost(step.addresses, lanes, step.entry->bytes);
  Counters& counters = own_.at[step.entry->where];
  const Counter requests = global_first[std::size_t(kind)];
  ++counters[requests];
  counters[after(requests, 1)] += unsigned(std::popcount(lanes));
  counters[after(requests, 2)] += cost.sectors;
  counters[after(requests, 3)] += cost.sectors_ideal;
  counters[after(requests, 4)] += cost.lines;
  if (kind == Kind::atomic)
    counters[Counter::global_atomic_degree] += same_address_degree(step.addresses, lanes);

  if (kind != Kind::write || !follow_.end || place_.number != follow_.block || step.warp != follow_.warp)
    return;
  const auto* const address = reinterpret_cast<const void*>(step.addresses[std::countr_zero(lanes)]);
  if (address >= follow_.begin && address < follow_.end)
    own_.steps.push_back({unsigned(std::popcount(lanes)), cost.lines});
}

void Counted::Block::add_successor(const void* block) {
  for (const void*& known : successors) {
    if (!known) known = block;
    if (known == block) return;
  }
  more_successors = true;
}

namespace {

/// What follows what, as far as it was seen. A branch around blocks that only compute is a choice between two
/// values: a compiler for a GPU selects, and so it is no branch here.
class Flow {
 public:
  explicit Flow(const Counted& counted) : counted_(counted) {}

  /// Where the two ways of a choice between values join; null where `block` does not end in one.
  const void* joins(const Counted::Block& block) const {
    const auto& [first, second] = block.successors;
    if (!second || block.more_successors) return nullptr;
    const void* const after_first = after_plain(first);
    const void* const after_second = after_plain(second);
    if (after_first == second) return second;
    if (after_second == first) return first;
    return after_first == after_second ? after_first : nullptr;
  }

  /// Whether one way of the branch is short and straight and leads to the other. nvcc predicates up to 7
  /// instructions where it expects a warp to diverge (CUDA C Programming Guide 4.2, 5.4.2); that is room for
  /// 4 accesses, with the addresses and the operation that they need.
  bool skips_short_way(const Counted::Block& block) const {
    const auto& [first, second] = block.successors;
    return !block.more_successors && (leads_to(first, second) || leads_to(second, first));
  }

 private:
  const Counted::Block* find(const void* block) const {
    const auto found = counted_.blocks.find(block);
    return found == counted_.blocks.end() ? nullptr : &found->second;
  }

  const void* after_plain(const void* at) const {
    const Counted::Block* const block = find(at);
    return block && !block->work && !block->successors[1] ? block->successors[0] : nullptr;
  }

  bool leads_to(const void* from, const void* to) const {
    constexpr int most_choices = 8;  // between values, one behind the other: an operator of a few words
    constexpr double most_work = 4;
    double work = 0;
    for (int i = 0; i < most_choices && from && from != to; ++i) {
      const Counted::Block* const block = find(from);
      if (!block) return false;
      work += double(block->work) / double(block->entered);
      from = block->successors[1] ? joins(*block) : block->successors[0];
    }
    return from == to && work <= most_work;
  }

  const Counted& counted_;
};

}  // namespace

void Counted::add(const Counted& other) {
  for (const auto& [where, counters] : other.at) at[where] += counters;
  for (const auto& [where, block] : other.blocks) {
    Block& sum = blocks[where];
    sum.left += block.left;
    sum.divergent += block.divergent;
    sum.entered += block.entered;
    sum.work += block.work;
    for (const void* successor : block.successors)
      if (successor) sum.add_successor(successor);
    sum.more_successors |= block.more_successors;
  }
  steps.insert(steps.end(), other.steps.begin(), other.steps.end());
}

LaunchCounters Counted::by_line(const KernelSource& source) const {
  std::map<SourceLine, Counters> lines;
  for (const auto& [where, counters] : at) lines[line_of_call(where)] += counters;
  const Flow flow(*this);
  for (const auto& [where, block] : blocks) {
    if (!block.successors[1] || flow.joins(block)) continue;
    Counters& counters = lines[line_of_call(where)];
    counters[Counter::branches] += block.left;
    counters[Counter::divergent_branches] += block.divergent;
    if (flow.skips_short_way(block)) counters[Counter::predicable_divergent_branches] += block.divergent;
  }
  LaunchCounters result{source.name, {}, {}, steps};
  for (const auto& [line, counters] : lines) {
    result.total += counters;
    result.lines.push_back({line.file, line.line, counters});
  }
  return result;
}

}  // namespace redbench::simt
