// The checks of `redbench verify --races`: what a kernel does that a GPU leaves undefined, or ends in an
// error.
//
// Found, each by its source line, before the access is made:
// - races in shared memory: accesses of two threads of a block, not both reads nor both atomic, that no
// barrier
//   orders, whether or not this schedule made them harmful;
// - reads of shared or global memory that nobody wrote;
// - accesses outside a buffer, outside the block's dynamic shared memory, or outside the kernel's static
// __shared__
//   variables;
// - addresses that are no multiple of the access's size. Of 16 bytes the compiler does not tell two 8-byte
// halves:
//   there a multiple of 8 is enough.
//
// Not found: races in global memory, between blocks or within one, where fences and atomics order what a
// kernel means to order. An access past a static __shared__ array that hits the kernel's next one. What a
// call of memcpy copies, and what a function that is not inlined returns an object to. Addresses of neither
// shared nor global memory, a lane's own stack among them, are not looked at.
//
// Order that a kernel makes with flags in shared memory, by atomics and fences in place of barriers, is not
// seen: it is reported as a race.
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
  void access(const Lane& lane, const Access& access) override;
  void warp_met(unsigned warp, unsigned lanes, unsigned live, WarpOp op) override;
  void block_met() override { clocks_.new_phase(); }
  void arrives(const Lane& lane, int id) override { clocks_.arrive(lane.number, id); }
  void named_met(int id, std::span<Lane* const> waited) override { clocks_.release(id, waited); }

 private:
  void access_global(const Access& access);
  void access_dynamic(const Lane& lane, const Access& access);
  void access_static(const Lane& lane, const Access& access);
  void access_shared(const Lane& lane, const Access& access, std::size_t offset);

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
  LaneClocks clocks_;
  SharedShadow shadow_{clocks_};
};

}  // namespace redbench::simt
