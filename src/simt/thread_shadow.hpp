// Race detection within a block, after FastTrack (Flanagan and Freund, PLDI 2009), with barriers and warps in
// place of locks.
//
// A shadow word keeps the last write of its word, and for each thread the last read and the last atomic since
// that write. Earlier accesses are not needed: the write was checked against them, so it is ordered after
// them (or a race was reported), and a later access that races with one of them races with the write, too.
//
// Example: threads 0 to 3 of a warp, and a word x.
//
//   thread 0 writes x    kept: write 0
//   __syncwarp
//   thread 1 reads x     ordered after write 0. Kept: write 0; reads 1
//   thread 2 reads x     ordered after write 0, and reads do not race. Kept: write 0; reads 1, 2
//   __syncwarp
//   thread 3 writes x    ordered after write 0 and both reads. Kept: write 3
//   thread 1 reads x     write 3 is not ordered before: a race
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "src/simt/happens_before.hpp"
#include "src/simt/shadow_pages.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

class ThreadShadow {
 public:
  /// Keeps all threads that read or update a word in one phase for the first `most_shared_words` such words;
  /// for further words only the last thread, so that a race may be missed.
  explicit ThreadShadow(ThreadClocks& clocks, std::uint32_t most_shared_words = ~0u)
      : clocks_(clocks), most_many_(most_shared_words) {}

  void start_block();

  struct Earlier {
    AccessKind kind;
    unsigned thread;
    std::uint32_t clock;  // its stamp
    const void* where;
  };
  /// Enters an access of the bytes at `place`, an offset or an address, and returns an earlier access that it
  /// races with, if any: by another thread, not ordered before it, and not both reads nor both atomic (as
  /// relaxed stores are).
  std::optional<Earlier> enter(unsigned thread, const Access& access, std::size_t place);
  /// An earlier plain write that the access races with. Enters nothing.
  std::optional<Earlier> writer_before(unsigned thread, const Access& access, std::size_t place);

 private:
  /// An access by its stamp (happens_before.hpp). Clock 0: none.
  struct Epoch {
    std::uint32_t clock = 0;
    std::uint16_t thread = 0;
    CodeSite site;
  };
  /// The last access of each thread, of a kind of which no two race.
  struct Epochs {
    Epoch only;              // if one thread made them all
    std::uint32_t many = 0;  // 1 + the index in many_; 0: one thread or none
  };
  struct ThreadEpochs {
    unsigned warps;                                  // those with a thread that is kept
    unsigned lanes[max_block_threads / warp_lanes];  // of these warps, the threads that are
    struct {
      std::uint32_t clock;
      CodeSite site;
    } of[max_block_threads];  // of these threads
  };
  /// Accesses of one phase to 4 bytes, or to one byte of a word that is accessed in part.
  struct ShadowWord {
    std::uint32_t phase = 0;
    bool in_bytes = false;  // until the next phase
    Epoch write;
    Epochs reads, atomics;
  };

  template <class Visit>
  std::optional<Earlier> visit(const Access& access, std::size_t place, Visit visit);
  std::optional<Earlier> enter(ShadowWord& word, AccessKind kind, Epoch own);
  std::optional<Earlier> racing(Epoch earlier, AccessKind kind, unsigned thread);
  std::optional<Earlier> racing(const Epochs& earlier, AccessKind kind, unsigned thread);
  void add(Epochs& epochs, Epoch epoch);
  ThreadEpochs& new_many(Epochs& epochs);
  Epochs copy(const Epochs& epochs);

  ThreadClocks& clocks_;
  ShadowPages<ShadowWord> words_;
  std::vector<std::unique_ptr<ThreadEpochs>> many_;
  const std::uint32_t most_many_;
  std::uint32_t many_used_ = 0;
  std::uint32_t many_phase_ = 0;  // in which the used ones are
};

}  // namespace redbench::simt
