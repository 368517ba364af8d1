// The checks of `redbench verify --races`: what a kernel does that a GPU leaves undefined, or ends in an
// error. Each finding names the source line and the thread, and comes before the access is made.
//
// Found:
// - A race: two threads of a launch access the same bytes of shared or global memory, not both read and not
//   both access atomically (a relaxed_store and a store to a volatile variable count as atomic), and nothing
//   orders the two: within a block no barrier and no __syncwarp, between blocks no grid_sync, and in global
//   memory no memory fence before an atomic or relaxed store that the other thread's block has seen. It does
//   not have to do harm under the schedule that was run.
// - A read of shared or global memory that nobody has written.
// - An access outside every buffer, outside the block's dynamic shared memory, or outside the static
//   __shared__ variables of the kernel.
// - An address that is no multiple of the access's size. The compiler may make two accesses of 8 bytes of one
//   of 16, so a multiple of 8 is enough for it.
//
// Not found:
// - A volatile read in global memory that races with an atomic or a relaxed store: so blocks wait for each
//   other.
// - A thread that uses what another thread of its block has learnt from a third block, with no barrier
//   between.
// - An access past one static __shared__ array that hits the kernel's next one.
// - What memcpy copies, where it stays a call, and the memory in which a function that is not inlined returns
//   an object: the compiler reports neither.
// - Anything in memory that is neither shared nor global, such as a thread's own stack.
//
// False alarm: threads that take turns by a flag in shared memory, with atomics and fences in place of
// barriers, are reported as racing there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "src/simt/block_shadow.hpp"
#include "src/simt/byte_states.hpp"
#include "src/simt/happens_before.hpp"
#include "src/simt/thread_shadow.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

class RaceWatch final : public Watch {
 public:
  /// `global` outlives the launch: what one launch writes another may read. `blocks.start_launch` was called.
  RaceWatch(const Launch& launch, ByteStates& global, BlockShadow& blocks);

  void start_block(const BlockPlace& place) override;
  void access(const Thread& thread, const Access& access) override;
  void warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp op) override;
  void block_met() override { clocks_.new_phase(); }
  void grid_met() override { ++grid_phase_; }
  void fence(const Thread& thread) override;
  void arrives(const Thread& thread, int id) override { clocks_.release(thread.number, id); }
  void named_met(int id, std::span<Thread* const> waited) override { clocks_.acquire(id, waited); }

 private:
  // Bounds the shadow of a kernel whose threads all read all of global memory to 35 MB for each OS thread.
  static constexpr std::uint32_t most_shared_words = 4096;

  void publish(const Thread& thread, const void* address);
  BlockStamp stamp_of(unsigned thread);

  void access_global(const Thread& thread, const Access& access);
  void enter_global(const Thread& thread, const Access& access);
  void access_dynamic(const Thread& thread, const Access& access);
  void access_static(const Thread& thread, const Access& access);
  void access_shared(const Thread& thread, const Access& access, std::size_t offset);

  bool in_arena(const void* address) const;
  std::size_t storage_offset(const void* address) const;
  const SharedVariable* variable_near(std::size_t storage_offset) const;
  std::string place_of(const Access& access) const;
  [[noreturn, gnu::cold]] void fail_race(const char* space, const Access& access, AccessKind did,
                                         const void* where, const std::function<std::string()>& who,
                                         const char* missing) const;
  [[noreturn, gnu::cold]] void fail(const Access& access, const char* before, const std::string& after) const;

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

  BlockShadow& blocks_;
  ThreadShadow own_{clocks_, most_shared_words};  // the block's accesses of global memory
  std::uint32_t first_phase_ = 0;                 // of the block
  std::uint32_t grid_phase_ = 0;
  KnownReleases known_;  // to the block
  /// A thread's last fence: what it releases, and the number of the release once it is published.
  struct Fenced {
    bool is_ready = false;
    std::uint32_t number = 0;
    Release release;
  };
  std::vector<Fenced> fenced_;
};

}  // namespace redbench::simt
