#include "src/simt/counting.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "src/simt/access_cost.hpp"
#include "src/simt/meeting_points.hpp"
#include "src/simt/source.hpp"

namespace redbench::simt {
namespace {

/// Entries in the logs of a block's threads, between two meetings: 1 GiB for each OS thread.
constexpr std::size_t most_entries = std::size_t(1) << 26;

constexpr Counter after(Counter counter, int places) { return Counter(int(counter) + places); }

/// The first counter of each kind of access, in the order read, write, atomic: requests.
constexpr Counter global_first[] = {Counter::global_load_requests, Counter::global_store_requests,
                                    Counter::global_atomic_requests};
constexpr Counter shared_first[] = {Counter::shared_load_requests, Counter::shared_store_requests,
                                    Counter::shared_atomic_requests};
constexpr std::string_view kind_names[] = {"load", "store", "atomic"};

const void* place(const WarpLogs& rest, unsigned lane) { return rest[lane].front().where; }

/// The pieces that a compiler for a GPU makes of a copy: as wide as its size lets it.
constexpr unsigned piece_of(std::uint32_t bytes) {
  for (const unsigned piece : {16u, 8u, 4u, 2u})
    if (bytes % piece == 0) return piece;
  return 1;
}

/// The memory that an address is in.
enum class Space : std::uint8_t { other, global, shared };

class CountingWatch final : public Watch {
 public:
  CountingWatch(const Launch& launch, std::span<const std::byte> global, const WarpPlace* traced,
                LaunchSum& sum)
      : launch_(launch),
        global_(global),
        traced_(traced),
        sum_(sum),
        logs_(max_block_threads),
        entered_(max_block_threads) {
    for (const SharedVariable& variable : launch.source.shared) {
      if (static_end_ == 0) static_begin_ = variable.offset;
      static_end_ = std::max(static_end_, variable.offset + variable.bytes);
    }
  }

  ~CountingWatch() override {
    const std::lock_guard lock(sum_.mutex);
    sum_.counted.add(own_);
  }

  void start_block(const BlockPlace& place) override {
    place_ = place;
    for (int t = 0; t < place.threads; ++t) {
      logs_[t].clear();
      entered_[t] = {};
    }
  }

  void end_block() override { block_met(); }

  void access(const Thread& thread, const Access& access) override {
    const auto address = std::uintptr_t(access.address);
    if (space_of(address) == Space::other) return;
    const unsigned piece = piece_of(access.bytes);
    for (unsigned at = 0; at < access.bytes; at += piece)
      add(thread, {access.where, address + at, piece, std::uintptr_t(access.kind)});
  }

  void basic_block(const Thread& thread, const void* where) override {
    add(thread, {where, 0, 0, std::uintptr_t(Kind::basic_block)});
  }

  void meets(const Thread& thread, Meeting meeting, const void* where) override {
    add(thread, {where, 0, 0, std::uintptr_t(Kind::block_barrier) + std::uintptr_t(meeting)});
  }

  void warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp) override {
    if (lanes == live) merge(warp);
  }

  void block_met() override {
    for (unsigned warp = 0; int(warp) * warp_lanes < place_.threads; ++warp) merge(warp);
  }

 private:
  using Entry = LogEntry;
  using Kind = LogEntry::Kind;
  /// The basic block that a lane is in. Lanes that entered it together have the same `number`, until they
  /// enter another.
  struct Entered {
    Counted::BasicBlock* basic_block = nullptr;
    std::uint64_t number = 0;
    unsigned lanes = 0;
    bool parted = false;  // some of `lanes` have left without the others
  };
  /// Lanes that take steps together, up to `stop`; null: to their ends.
  struct Part {
    unsigned lanes;
    const void* stop;
  };
  /// One step of a warp: entries of the same place in the program.
  struct Step {
    unsigned warp;
    unsigned lanes;
    const Entry* entry;  // of one of them
    Addresses addresses;
  };

  void add(const Thread& thread, const Entry& entry) {
    if (log_entries_++ == most_entries)
      running.runner->fail(entry.where, [] {
        return "too long to be counted: 2^26 accesses and branches of one block between two barriers; take a "
               "smaller n or more blocks";
      });
    logs_[thread.number].push_back(entry);
  }

  Space space_of(std::uintptr_t address) const {
    const auto* const byte = reinterpret_cast<const std::byte*>(address);
    if (std::size_t(byte - global_.data()) < global_.size()) return Space::global;
    if (std::size_t(byte - place_.dynamic_shared) < place_.dynamic_bytes) return Space::shared;
    const auto offset = std::size_t(byte - place_.static_shared);
    return offset >= static_begin_ && offset < static_end_ ? Space::shared : Space::other;
  }

  void merge(unsigned warp) {
    WarpLogs rest{};
    unsigned unfinished = 0;  // lanes whose logs have more
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      rest[lane] = logs_[warp * warp_lanes + lane];
      unfinished |= unsigned(!rest[lane].empty()) << lane;
    }
    Step step{warp, 0, nullptr, {}};
    const void* at = nullptr;  // where the lanes of the last step were
    bool have_parted = false;
    parts_.assign(1, {unfinished, nullptr});
    while (!parts_.empty()) {
      const auto [lanes, stop] = parts_.back();
      step.lanes = lanes & unfinished;
      const unsigned one = std::countr_zero(step.lanes);
      if (!step.lanes || place(rest, one) == stop) {
        parts_.pop_back();
        continue;
      }
      unsigned elsewhere = 0;
      for_lanes(step.lanes,
                [&](unsigned lane) { elsewhere |= unsigned(place(rest, lane) != place(rest, one)) << lane; });
      if (elsewhere) {
        if (!have_parted) meeting_points_.find(at, rest);
        have_parted = true;
        part(at, step.lanes, rest);
        continue;
      }

      step.entry = rest[one].data();
      at = step.entry->where;
      for_lanes(step.lanes, [&](unsigned lane) {
        step.addresses[lane] = rest[lane].front().address;
        rest[lane] = rest[lane].subspan(1);
        unfinished &= ~(unsigned(rest[lane].empty()) << lane);
      });
      take(step);
    }
    clear_logs(warp);
  }

  /// Splits `lanes`, which were at `branch` together, by their next address. The parts are taken from the
  /// lowest address up, each to the place where they meet.
  void part(const void* branch, unsigned lanes, const WarpLogs& rest) {
    const void* const meeting = meeting_points_.of(branch, rest, lanes);
    for (unsigned unseen = lanes; unseen;) {
      const void* highest = nullptr;
      unsigned there = 0;
      for_lanes(unseen, [&](unsigned lane) {
        const void* const where = place(rest, lane);
        if (where < highest) return;
        if (where > highest) there = 0;
        highest = where;
        there |= 1u << lane;
      });
      parts_.push_back({there, meeting});
      unseen &= ~there;
    }
  }

  void clear_logs(unsigned warp) {
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      std::vector<Entry>& log = logs_[warp * warp_lanes + lane];
      log_entries_ -= log.size();
      log.clear();
    }
  }

  void take(const Step& step) {
    const auto kind = Kind(step.entry->kind);
    if (kind == Kind::basic_block) return enter_basic_block(step);
    if (auto* const in = entered_[step.warp * warp_lanes + std::countr_zero(step.lanes)].basic_block)
      ++in->work;
    if (kind < Kind::block_barrier) return count_access(step, kind);
    // The counters of meetings come in the order of their kinds.
    static_assert(int(Counter::warp_exchanges) - int(Counter::block_barriers) ==
                  int(Kind::exchange) - int(Kind::block_barrier));
    ++own_.at[step.entry->where][after(Counter::block_barriers, int(kind) - int(Kind::block_barrier))];
  }

  /// Lanes that entered their last basic block together, but not this one, have parted between the two.
  void enter_basic_block(const Step& step) {
    const void* const where = step.entry->where;
    Counted::BasicBlock& here = own_.basic_blocks[where];
    Entered* const entered = entered_.data() + step.warp * warp_lanes;
    const auto number_of = [&](unsigned lane) { return entered[lane].number; };
    for_groups(step.lanes, number_of, [&](unsigned came, std::uint64_t) {
      const Entered from = entered[std::countr_zero(came)];
      if (from.basic_block) exit_basic_block(from, came, where, entered);
    });
    ++entries_;
    for_lanes(step.lanes, [&](unsigned lane) { entered[lane] = {&here, entries_, step.lanes, false}; });
    ++here.entered;
    Counters& counters = own_.at[where];
    ++counters[Counter::warp_basic_blocks];
    counters[Counter::warp_basic_block_lanes] += unsigned(std::popcount(step.lanes));
  }

  /// Of the lanes that entered `from` together, `came` enter `next` together.
  void exit_basic_block(const Entered& from, unsigned came, const void* next, Entered* entered) {
    from.basic_block->add_successor(next);
    if (from.parted) return;  // counted when the first of them went on
    ++from.basic_block->exits;
    if (came == from.lanes) return;
    ++from.basic_block->divergent;
    for_lanes(from.lanes, [&](unsigned lane) { entered[lane].parted = true; });
  }

  void count_access(const Step& step, Kind kind) {
    unsigned of[3] = {0, 0, 0};  // lanes by space
    for_lanes(step.lanes,
              [&](unsigned lane) { of[std::size_t(space_of(step.addresses[lane]))] |= 1u << lane; });
    Counters& counters = own_.at[step.entry->where];
    // The counters of a kind of access are its requests, their lanes and costs, and the degree of atomics.
    const auto count = [&](Counter counter, unsigned lanes, std::initializer_list<unsigned> costs) {
      const auto add = [&](unsigned value) {
        counters[counter] += value;
        counter = after(counter, 1);
      };
      add(1);
      add(unsigned(std::popcount(lanes)));
      for (const unsigned cost : costs) add(cost);
      if (kind == Kind::atomic) add(same_address_degree(step.addresses, lanes));
    };
    if (const unsigned lanes = of[std::size_t(Space::global)]) {
      const GlobalCost cost = global_cost(step.addresses, lanes, step.entry->bytes);
      count(global_first[std::size_t(kind)], lanes, {cost.sectors, cost.sectors_ideal, cost.cache_lines});
      if (traced_) trace(step, kind, lanes, cost.cache_lines);
    }
    if (const unsigned lanes = of[std::size_t(Space::shared)]) {
      const SharedCost cost = shared_cost(step.addresses, lanes, step.entry->bytes,
                                          unsigned(launch_.facts.banks), kind == Kind::read);
      count(shared_first[std::size_t(kind)], lanes, {cost.wavefronts, cost.wavefronts - cost.ideal});
    }
  }

  void trace(const Step& step, Kind kind, unsigned lanes, unsigned cache_lines) {
    if (place_.number != traced_->block || step.warp != traced_->warp || own_.trace.size() == most_traced)
      return;
    own_.trace.push_back({{kind_names[std::size_t(kind)], unsigned(std::popcount(lanes)), cache_lines, "", 0},
                          step.entry->where});
  }

  const Launch& launch_;
  const std::span<const std::byte> global_;
  const WarpPlace* const traced_;  // null: none
  LaunchSum& sum_;
  Counted own_;
  BlockPlace place_{};
  std::size_t static_begin_ = 0, static_end_ = 0;  // offsets in the OS thread's storage
  std::vector<std::vector<Entry>> logs_;           // by thread of the block
  MeetingPoints meeting_points_;
  std::vector<Part> parts_;  // of the warp that is merged; the last one takes steps, the others wait
  std::vector<Entered> entered_;
  std::uint64_t entries_ = 0;    // into basic blocks, by warps
  std::size_t log_entries_ = 0;  // in all logs
};

}  // namespace

std::unique_ptr<Watch> make_counting_watch(const Launch& launch, std::span<const std::byte> global,
                                           const WarpPlace* traced, LaunchSum& sum) {
  return std::make_unique<CountingWatch>(launch, global, traced, sum);
}

void Counted::BasicBlock::add_successor(const void* basic_block) {
  for (const void*& known : successors) {
    if (!known) known = basic_block;
    if (known == basic_block) return;
  }
  more_successors = true;
}

namespace {

/// The control flow that was seen. A branch around basic blocks that only compute chooses between two values:
/// a compiler for a GPU makes it a select instruction, so it is not counted as a branch.
class Flow {
 public:
  explicit Flow(const Counted& counted) : counted_(counted) {}

  /// Where the two ways of a choice between values come together; null where `from` does not end in one.
  const void* after_choice(const Counted::BasicBlock& from) const {
    const auto& [first, second] = from.successors;
    if (!second || from.more_successors) return nullptr;
    const void* const after_first = after_plain(first);
    const void* const after_second = after_plain(second);
    if (after_first == second) return second;
    if (after_second == first) return first;
    return after_first == after_second ? after_first : nullptr;
  }

  /// Whether one way of the branch is short and straight and leads to the other. nvcc predicates up to 7
  /// instructions where it expects a warp to diverge (CUDA C Programming Guide 4.2, 5.4.2); that is room for
  /// 4 accesses, with the addresses and the operation that they need.
  bool skips_short_way(const Counted::BasicBlock& from) const {
    const auto& [first, second] = from.successors;
    return !from.more_successors && (leads_to(first, second) || leads_to(second, first));
  }

 private:
  const Counted::BasicBlock* find(const void* where) const {
    const auto found = counted_.basic_blocks.find(where);
    return found == counted_.basic_blocks.end() ? nullptr : &found->second;
  }

  /// What follows a basic block that only computes; null where it does more, or has two ways on.
  const void* after_plain(const void* where) const {
    const Counted::BasicBlock* const plain = find(where);
    return plain && !plain->work && !plain->successors[1] ? plain->successors[0] : nullptr;
  }

  bool leads_to(const void* from, const void* to) const {
    constexpr int most_choices = 8;  // between values, one behind the other: an operator of a few words
    constexpr double most_work = 4;
    double work = 0;
    for (int i = 0; i < most_choices && from && from != to; ++i) {
      const Counted::BasicBlock* const on_the_way = find(from);
      if (!on_the_way) return false;
      work += double(on_the_way->work) / double(on_the_way->entered);
      from = on_the_way->successors[1] ? after_choice(*on_the_way) : on_the_way->successors[0];
    }
    return from == to && work <= most_work;
  }

  const Counted& counted_;
};

}  // namespace

void Counted::add(const Counted& other) {
  for (const auto& [where, counters] : other.at) at[where] += counters;
  for (const auto& [where, more] : other.basic_blocks) {
    BasicBlock& sum = basic_blocks[where];
    sum.exits += more.exits;
    sum.divergent += more.divergent;
    sum.entered += more.entered;
    sum.work += more.work;
    for (const void* successor : more.successors)
      if (successor) sum.add_successor(successor);
    sum.more_successors |= more.more_successors;
  }
  trace.insert(trace.end(), other.trace.begin(), other.trace.end());
}

LaunchCounters Counted::by_line(const KernelSource& source) const {
  std::map<SourceLine, Counters> lines;
  for (const auto& [where, counters] : at) lines[line_of_call(where)] += counters;
  const Flow flow(*this);
  for (const auto& [where, from] : basic_blocks) {
    if (!from.successors[1] || flow.after_choice(from)) continue;
    Counters& counters = lines[line_of_call(where)];
    counters[Counter::branches] += from.exits;
    counters[Counter::divergent_branches] += from.divergent;
    if (flow.skips_short_way(from)) counters[Counter::predicable_divergent_branches] += from.divergent;
  }
  LaunchCounters result{source.name, {}, {}, {}};
  for (const auto& [line, counters] : lines) {
    result.total += counters;
    result.lines.push_back({line.file, line.line, counters});
  }
  for (const auto& [access, where] : trace) {
    const SourceLine line = line_of_call(where);
    result.trace.push_back({access.kind, access.lanes, access.cache_lines, line.file, line.line});
  }
  return result;
}

}  // namespace redbench::simt
