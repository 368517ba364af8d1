// The checks of `redbench verify --races`: what a kernel does that a GPU leaves undefined, or ends in an
// error. Each finding is told by its source line and thread, before the access is made.
//
// Found:
// - A race in shared memory: two threads of a block access the same bytes, not both read and not both access
//   atomically (a relaxed_store counts as atomic), and no barrier and no __syncwarp orders the two. It does
//   not have to do harm under the schedule that was run.
// - A read of shared or global memory that nobody has written.
// - An access outside every buffer, outside the block's dynamic shared memory, or outside the static
// __shared__
//   variables of the kernel.
// - An address that is no multiple of the access's size. An access of 16 bytes may be two of 8 to the
// compiler,
//   so a multiple of 8 is enough for it.
//
// Not found:
// - Races in global memory, between blocks or within one: fences and atomics order what a kernel means to
//   order there, and they are not followed.
// - An access past one static __shared__ array that hits the kernel's next one.
// - What memcpy copies, where it stays a call, and the memory in which a function that is not inlined returns
// an
//   object: the compiler tells of neither.
// - Anything in memory that is neither shared nor global, such as a thread's own stack.
//
// Reported though it may be meant: threads that take turns by a flag in shared memory, with atomics and
// fences in place of barriers, are said to race.
#pragma once

#include <functional>
#include <string>

#include "src/simt/byte_states.hpp"
#include "src/simt/happens_before.hpp"
#include "src/simt/shared_shadow.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

class RaceWatch final : public Watch {
 public:
  /// `global` is of the whole device: what one launch writes another may read.
  RaceWatch(const Launch& launch, ByteStates& global);

  void start_block(const BlockPlace& place) override;
  void access(const Thread& thread, const Access& access) override;
  void warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp op) override;
  void block_met() override { clocks_.new_phase(); }
  void arrives(const Thread& thread, int id) override { clocks_.release(thread.number, id); }
  void named_met(int id, std::span<Thread* const> waited) override { clocks_.acquire(id, waited); }

 private:
  void access_global(const Access& access);
  void access_dynamic(const Thread& thread, const Access& access);
  void access_static(const Thread& thread, const Access& access);
  void access_shared(const Thread& thread, const Access& access, std::size_t offset);

  bool in_arena(const void* address) const;
  std::size_t storage_offset(const void* address) const;
  const SharedVariable* variable_near(std::size_t storage_offset) const;
  std::string place_of(const Access& access) const;
  [[noreturn, gnu::cold]] void fail(const Access& access, const char* before, const std::string& after) const;

  const std::vector<SharedVariable>& variables_;
  ByteStates& global_;
  BlockPlace block_{};
  std::size_t storage_bytes_;
  // The shadow holds dynamic shared memory, then static.
  std::size_t static_first_ = 0;   // offset in the storage of the first variable's aligned start
  std::size_t static_shadow_ = 0;  // where static memory begins in the shadow
  ThreadClocks clocks_;
  SharedShadow shadow_{clocks_};
};

}  // namespace redbench::simt
