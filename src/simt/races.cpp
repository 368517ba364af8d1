#include "src/simt/races.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/rounding.hpp"
#include "src/simt/happens_before.hpp"
#include "src/simt/source.hpp"
#include "src/simt/thread_shadow.hpp"

namespace redbench::simt {
namespace {

constexpr const char* present[] = {"reads", "writes", "atomically updates"};
constexpr const char* past[] = {"read", "wrote", "atomically updated"};

std::size_t distance(const void* from, const void* to) {
  return std::size_t(static_cast<const std::byte*>(to) - static_cast<const std::byte*>(from));
}

bool is_aligned(const Access& access) {
  // gcc calls 16 bytes aligned where their halves are.
  const std::size_t unit = std::min<std::size_t>(access.bytes, 8);
  return !access.aligned || reinterpret_cast<std::uintptr_t>(access.address) % unit == 0;
}

/// "byte 40 of a buffer of 40 bytes of global memory".
std::string place_in(std::span<const std::byte> piece, const void* address) {
  if (piece.empty()) return fmt::format("address {}, far from any buffer", address);
  const std::string buffer = fmt::format("a buffer of {} bytes of global memory", piece.size());
  if (address < piece.data())
    return fmt::format("{} bytes before {}", distance(address, piece.data()), buffer);
  return fmt::format("byte {} of {}", distance(piece.data(), address), buffer);
}

class RaceWatch final : public Watch {
 public:
  RaceWatch(const Launch& launch, ByteStates& global, BlockShadow& blocks,
            const std::optional<OneOfGpus>& gpu)
      : variables_(launch.source.shared),
        global_(global),
        storage_bytes_(launch.source.storage_bytes),
        gpu_(gpu),
        blocks_(blocks),
        fenced_(max_block_threads) {
    if (!variables_.empty()) static_first_ = variables_.front().offset / 16 * 16;
  }

  void start_block(const BlockPlace& place) override {
    block_ = place;
    static_shadow_ = round_up(place.dynamic_bytes, 16);
    std::size_t static_bytes = 0;
    for (const SharedVariable& variable : variables_)
      static_bytes = std::max(static_bytes, variable.offset + variable.bytes - static_first_);
    clocks_.start_block(place.threads);
    shared_.start_block();
    shared_written_.assign(static_shadow_ + static_bytes, 0);
    own_.start_block();
    first_phase_ = clocks_.phase();
    grid_phase_ = 0;
    known_ = gpu_ ? blocks_.releases().handed_on(gpu_->number) : KnownReleases();
    for (int t = 0; t < place.threads; ++t) fenced_[t].is_ready = false;
  }

  void end_block() override {
    if (gpu_) blocks_.releases().hand_on(gpu_->number, known_);
  }

  void access(const Thread& thread, const Access& access) override {
    if (global_.contains(access.address)) access_global(thread, access);
    else if (in_arena(access.address)) access_dynamic(thread, access);
    else if (storage_offset(access.address) < storage_bytes_) access_static(thread, access);
    else meet_others(thread, access);
  }

  void warp_met(unsigned warp, unsigned lanes, unsigned, WarpOp op) override {
    if (op == WarpOp::sync) clocks_.join(warp, lanes);
  }

  void ends(const Thread& thread) override { clocks_.end(thread.number); }

  void fence(const Thread& thread, bool in_system) override {
    Fenced& fenced = fenced_[thread.number];
    fenced.is_ready = true;
    fenced.in_system = in_system;
    fenced.number = 0;
    fenced.release.at = stamp_of(thread.number);
    std::ranges::copy(clocks_.warp_row(thread.number), fenced.release.known.begin());
    const auto whole = clocks_.whole_row(thread.number);
    fenced.release.of_block.assign(whole.begin(), whole.end());
    clocks_.advance(thread.number);
  }

  void block_met() override { clocks_.meet(); }
  void grid_met() override { ++grid_phase_; }
  void arrives(const Thread& thread, int id) override { clocks_.release(thread.number, id); }
  void named_met(int id, std::span<Thread* const> waited) override { clocks_.acquire(id, waited); }

 private:
  // Bounds the shadow of a kernel whose threads all read all of global memory to 35 MB for each OS thread.
  static constexpr std::uint32_t most_shared_words = 4096;
  /// A thread's last fence: what it releases, and the number of the release once it is published.
  struct Fenced {
    bool is_ready = false, in_system = false;
    std::uint32_t number = 0;
    Release release;
  };

  BlockStamp stamp_of(unsigned thread) { return stamp_of(thread, clocks_.clock_of(thread)); }
  BlockStamp stamp_of(unsigned thread, std::uint32_t clock) const {
    BlockStamp stamp;
    stamp.phase = clocks_.phase() - first_phase_;
    stamp.clock = clock;
    stamp.thread = thread & (max_block_threads - 1);
    if (!gpu_) return stamp;
    stamp.gpu = gpu_->number & 7;
    stamp.launch = gpu_->launch & most_counted;
    stamp.grid = std::min(grid_phase_, most_counted) & most_counted;
    return stamp;
  }
  unsigned gpu() const { return gpu_ ? gpu_->number : 0; }

  /// Publishes the release of the thread's last fence at the address of an access.
  void publish(const Thread& thread, const Access& access) {
    Fenced& fenced = fenced_[thread.number];
    if (!fenced.is_ready) return;
    const BlockName block = name_of(std::uint32_t(block_.number), fenced.release.at);
    if (!fenced.number) fenced.number = blocks_.releases().add(block, fenced.release);
    KnownReleases known = known_;
    known[block] = fenced.number;
    const bool in_system = fenced.in_system && (access.relaxed || access.in_system);
    blocks_.releases().publish(access.address, known, gpu(), in_system);
  }

  void access_global(const Thread& thread, const Access& access) {
    if (!global_.all_at_least(access.address, access.bytes, ByteState::unwritten))
      fail(access, "out of bounds: ", "");
    if (!is_aligned(access))
      fail(access, "misaligned: ", fmt::format(", an address that is no multiple of {}", access.bytes));
    if (access.kind != AccessKind::write &&
        !global_.all_at_least(access.address, access.bytes, ByteState::written))
      fail(access, "", ", which nobody has written");
    meet_others(thread, access);
    enter_global(thread, access);
    if (access.kind != AccessKind::read) global_.write(access.address, access.bytes);
  }

  /// Atomics and relaxed accesses hand on what fences release, in __device__ variables, too, of which no more
  /// is checked.
  void meet_others(const Thread& thread, const Access& access) {
    if (access.kind != AccessKind::atomic && !access.relaxed) return;
    blocks_.releases().acquire(access.address, known_, gpu());
    if (access.kind != AccessKind::read) publish(thread, access);
  }

  void enter_global(const Thread& thread, const Access& access) {
    BlockStamp stamp = stamp_of(thread.number);
    stamp.in_system = access.relaxed || access.in_system;
    const auto place = reinterpret_cast<std::uintptr_t>(access.address);
    const auto own = access.relaxed && access.kind == AccessKind::read
                         ? own_.writer_before(thread.number, access, place)
                         : own_.enter(thread.number, access, place);
    if (own &&
        !blocks_.releases().covers(known_, std::uint32_t(block_.number), stamp_of(own->thread, own->clock)))
      fail_race("global", access, *own);
    const auto other =
        blocks_.enter({std::uint32_t(block_.number), gpu_ ? 0 : grid_phase_, stamp, known_}, access);
    if (!other) return;
    const bool of_other_gpu = other->gpu != gpu();
    fail_race(
        "global", access, other->kind, other->where,
        [&] {
          return fmt::format("thread {} of block {}{}", other->thread, other->block,
                             of_other_gpu ? fmt::format(" of GPU {}", other->gpu) : "");
        },
        of_other_gpu ? "with no fence and atomic of system scope between"
                     : "with no grid_sync and no memory fence with an atomic between");
  }

  void access_dynamic(const Thread& thread, const Access& access) {
    const std::size_t offset =
        distance(block_.dynamic_shared, access.address);  // wraps around below the base
    if (offset >= block_.dynamic_bytes || access.bytes > block_.dynamic_bytes - offset)
      fail(access, "out of bounds: ", fmt::format(", which has {}", block_.dynamic_bytes));
    access_shared(thread, access, offset);
  }

  void access_static(const Thread& thread, const Access& access) {
    const std::size_t offset = storage_offset(access.address);
    const SharedVariable* const variable = variable_near(offset);
    if (!variable || offset + access.bytes > variable->offset + variable->bytes)
      fail(access, "out of bounds: ", variable ? fmt::format(", which has {}", variable->bytes) : "");
    access_shared(thread, access, static_shadow_ + offset - static_first_);
  }

  void access_shared(const Thread& thread, const Access& access, std::size_t offset) {
    if (!is_aligned(access))
      fail(access, "misaligned: ", fmt::format(", an address that is no multiple of {}", access.bytes));
    if (const auto earlier = shared_.enter(thread.number, access, offset))
      fail_race("shared", access, *earlier);
    const std::span<std::uint8_t> written(&shared_written_[offset], access.bytes);
    if (access.kind != AccessKind::write && std::ranges::count(written, 0) > 0)
      fail(access, "", ", which nobody has written");
    if (access.kind != AccessKind::read) std::ranges::fill(written, 1);
  }

  /// Whether the address is in the memory that holds the block's dynamic shared memory at its end, or in the
  /// guard pages around it.
  bool in_arena(const void* address) const {
    const std::byte* const end = block_.dynamic_shared + round_up(block_.dynamic_bytes, 16);
    return address >= end - SharedArena::capacity - SharedArena::guard_bytes &&
           address < end + SharedArena::guard_bytes;
  }

  std::size_t storage_offset(const void* address) const {
    return block_.static_shared ? distance(block_.static_shared, address) : storage_bytes_;
  }

  /// The variable that holds the offset, or the last before it.
  const SharedVariable* variable_near(std::size_t storage_offset) const {
    const auto after = std::ranges::upper_bound(variables_, storage_offset, {}, &SharedVariable::offset);
    return after == variables_.begin() ? nullptr : &*std::prev(after);
  }

  /// "4 bytes at byte 128 of s".
  std::string place_of(const Access& access) const {
    std::string place;
    if (global_.contains(access.address)) {
      place = place_in(global_.piece_near(access.address), access.address);
    } else if (in_arena(access.address)) {
      place = fmt::format("byte {} of dynamic shared memory",
                          static_cast<const std::byte*>(access.address) - block_.dynamic_shared);
    } else {
      const std::size_t offset = storage_offset(access.address);
      if (const SharedVariable* const variable = variable_near(offset))
        place = fmt::format("byte {} of {}", offset - variable->offset, variable->name);
      else if (!variables_.empty())
        place =
            fmt::format("{} bytes before {}", variables_.front().offset - offset, variables_.front().name);
      else place = "static shared memory, of which the kernel has none";
    }
    return fmt::format("{} byte{} at {}", access.bytes, access.bytes == 1 ? "" : "s", place);
  }

  [[noreturn, gnu::cold]] void fail_race(const char* space, const Access& access,
                                         const ThreadShadow::Earlier& earlier) const {
    fail_race(
        space, access, earlier.kind, earlier.where, [&] { return fmt::format("thread {}", earlier.thread); },
        clocks_.missed_barrier(earlier.thread) ? "and ended without coming to the barrier between"
                                               : "with no barrier between");
  }

  [[noreturn, gnu::cold]] void fail_race(const char* space, const Access& access, AccessKind did,
                                         const void* where, const std::function<std::string()>& who,
                                         const char* order) const {
    running.runner->fail(access.where, [&] {
      return fmt::format("race in {} memory: {} {}, which {} {} at {}, {}", space,
                         present[std::size_t(access.kind)], place_of(access), who(), past[std::size_t(did)],
                         to_string(line_of_call(where)), order);
    });
  }

  [[noreturn, gnu::cold]] void fail(const Access& access, const char* before,
                                    const std::string& after) const {
    running.runner->fail(access.where, [&] {
      return fmt::format("{}{} {}{}", before, present[std::size_t(access.kind)], place_of(access), after);
    });
  }

  const std::vector<SharedVariable>& variables_;
  ByteStates& global_;
  BlockPlace block_{};
  std::size_t storage_bytes_;
  // The shadow holds dynamic shared memory, then static.
  std::size_t static_first_ = 0;              // offset in the storage of the first variable's aligned start
  std::size_t static_shadow_ = 0;             // where static memory begins in the shadow
  std::vector<std::uint8_t> shared_written_;  // by place in the shadow: since the block started
  ThreadClocks clocks_;
  ThreadShadow shared_{clocks_};

  const std::optional<OneOfGpus> gpu_;
  BlockShadow& blocks_;
  ThreadShadow own_{clocks_, most_shared_words};  // the block's accesses of global memory
  std::uint32_t first_phase_ = 0;                 // of the block
  std::uint32_t grid_phase_ = 0;
  KnownReleases known_;  // to the block
  std::vector<Fenced> fenced_;
};

}  // namespace

std::unique_ptr<Watch> make_race_watch(const Launch& launch, ByteStates& global, BlockShadow& blocks,
                                       const std::optional<OneOfGpus>& gpu) {
  return std::make_unique<RaceWatch>(launch, global, blocks, gpu);
}

}  // namespace redbench::simt
