// Counts the accesses, branches, barriers and collectives of a launch's warps.
//
// The threads of a block run one after another, so the steps of a warp are reconstructed. Each thread keeps a
// log. When all lanes of a warp have met, their logs are merged: lanes at one address take a step together;
// where their next addresses differ, each part takes its own steps, the lowest address first, up to the place
// where the parts meet again (meeting_points.hpp). Divergence is that of the source: a compiler for a GPU may
// predicate a short branch.
//
// Example: `if (lane < 2) a(); b();` in a warp of four lanes, where a() and b() make one access each, at the
// addresses 10 and 20 of the program. The logs are 10 20, 10 20, 20 and 20; the parts meet at 20. Lanes 0 and
// 1 go first: at 10, a request of two lanes. Then all lanes are at 20: a request of four.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "src/simt/access_cost.hpp"
#include "src/simt/counters.hpp"
#include "src/simt/meeting_points.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

/// Counts of a launch, by place in the program.
struct Counted {
  struct BasicBlock {
    const void* successors[2]{};  // basic blocks that were seen to follow; null: fewer than two
    bool more_successors = false;
    std::uint64_t exits = 0;      // how often a warp left it for another basic block,
    std::uint64_t divergent = 0;  // and for several
    std::uint64_t entered = 0;    // how often a warp entered it
    std::uint64_t work = 0;       // accesses, barriers and collectives of warps in it

    void add_successor(const void* basic_block);
  };
  std::unordered_map<const void*, Counters> at;
  std::unordered_map<const void*, BasicBlock> basic_blocks;
  std::vector<std::pair<TracedAccess, const void*>> trace;  // with the place of each, which has no line yet

  void add(const Counted& other);
  /// With source lines; call it on an OS thread's own stack.
  LaunchCounters by_line(const KernelSource& source) const;
};

/// The counts of all OS threads of a launch.
struct LaunchSum {
  std::mutex mutex;
  Counted counted;
};

/// The memory that an address is in.
enum class Space : std::uint8_t { other, global, shared };

class CountingWatch final : public Watch {
 public:
  /// `global` is the device's range of addresses; `traced` a warp of this launch, or null. The destructor
  /// adds the counts to `sum`.
  CountingWatch(const Launch& launch, std::span<const std::byte> global, const WarpPlace* traced,
                LaunchSum& sum);
  ~CountingWatch() override;

  void start_block(const BlockPlace& place) override;
  void end_block() override;
  void access(const Thread& thread, const Access& access) override;
  void basic_block(const Thread& thread, const void* where) override;
  void meets(const Thread& thread, Meeting meeting, const void* where) override;
  void warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp op) override;
  void block_met() override;

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

  void add(const Thread& thread, const Entry& entry);
  void merge(unsigned warp);
  void part(const void* branch, unsigned lanes, const WarpLogs& rest);
  void clear_logs(unsigned warp);
  void take(const Step& step);
  void enter_basic_block(const Step& step);
  void exit_basic_block(const Entered& from, unsigned came, const void* next, Entered* entered);
  void count_access(const Step& step, Kind kind);
  void trace(const Step& step, Kind kind, unsigned lanes, unsigned cache_lines);
  Space space_of(std::uintptr_t address) const;

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

}  // namespace redbench::simt
