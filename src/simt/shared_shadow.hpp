// What has been done to each word of a block's shared memory: enough to tell whether one more access races
// with an earlier one. After FastTrack (Flanagan and Freund, PLDI 2009), with barriers and warps in place of
// locks.
//
// A shadow word keeps the last write of its word, and of each thread the last read and the last atomic since
// that write. A write makes all before it needless: it was checked against them, so it is ordered after them
// (or a race was reported), and a later access that races with one of them races with the write, too.
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
#include "src/simt/watch.hpp"

namespace redbench::simt {

class SharedShadow {
 public:
  explicit SharedShadow(ThreadClocks& clocks) : clocks_(clocks) {}

  /// Nothing of it has been written.
  void start_block(std::size_t bytes);

  struct Earlier {
    AccessKind kind;
    unsigned thread;
    const void* where;
  };
  /// Enters an access of the bytes at `offset`. Gives an earlier one that it races with: of another thread,
  /// not ordered before it, and neither both are reads nor both are atomic.
  std::optional<Earlier> enter(unsigned thread, const Access& access, std::size_t offset);

  /// Whether each of these bytes was written since the block started.
  bool is_written(std::size_t offset, std::size_t bytes) const;
  void set_written(std::size_t offset, std::size_t bytes);

 private:
  static constexpr std::size_t word_bytes = 4;

  /// An access by its stamp (happens_before.hpp). Clock 0: none.
  struct Epoch {
    std::uint32_t clock = 0;
    std::uint16_t thread = 0;
    std::int32_t site = 0;  // where it was, from this program's code on
  };
  /// Accesses of one kind that do not race with each other: the last of each thread.
  struct Epochs {
    Epoch only;              // where one thread made them all
    std::uint32_t many = 0;  // 1 + its number in many_; 0: one thread or none
  };
  struct ThreadEpochs {
    unsigned warps;                                  // in which any thread is
    unsigned lanes[max_block_threads / warp_lanes];  // of the warps that are
    struct {
      std::uint32_t clock;
      std::int32_t site;
    } of[max_block_threads];  // of the threads that are
  };
  /// Accesses of one phase to 4 bytes, or to one byte of a word that is accessed in part.
  struct ShadowWord {
    std::uint32_t phase = 0;
    bool in_bytes = false;  // out of use until the next phase: each byte has a shadow of its own in bytes_
    Epoch write;
    Epochs reads, atomics;
  };

  std::optional<Earlier> enter(ShadowWord& word, unsigned thread, AccessKind kind, std::int32_t site);
  std::optional<Earlier> racing(Epoch earlier, AccessKind kind, unsigned thread);
  std::optional<Earlier> racing(const Epochs& earlier, AccessKind kind, unsigned thread);
  void add(Epochs& epochs, Epoch epoch);
  ThreadEpochs& new_many(Epochs& epochs);
  Epochs copy(const Epochs& epochs);
  ShadowWord* bytes_of(std::size_t word);
  void refresh(ShadowWord& word);

  ThreadClocks& clocks_;
  std::vector<ShadowWord> words_;
  std::vector<ShadowWord> bytes_;  // empty until a word is accessed in part
  std::vector<std::uint8_t> written_;
  std::vector<std::unique_ptr<ThreadEpochs>> many_;
  std::uint32_t many_used_ = 0;
  std::uint32_t many_phase_ = 0;  // in which the used ones are
};

}  // namespace redbench::simt
