// What has been done to each word of a block's shared memory: enough to tell whether one more access races
// with an earlier one. After FastTrack (Flanagan and Freund, PLDI 2009), with barriers and warps in place of
// locks.
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
  explicit SharedShadow(LaneClocks& clocks) : clocks_(clocks) {}

  /// Nothing of it has been written.
  void start_block(std::size_t bytes);

  struct Earlier {
    AccessKind kind;
    unsigned lane;
    const void* where;
  };
  /// Enters an access of the bytes at `offset`. Gives an earlier one that it races with: of another lane, not
  /// ordered before it, and neither both are reads nor both are atomic.
  std::optional<Earlier> enter(unsigned lane, const Access& access, std::size_t offset);

  /// Whether each of these bytes was written since the block started.
  bool is_written(std::size_t offset, std::size_t bytes) const;
  void set_written(std::size_t offset, std::size_t bytes);

 private:
  static constexpr std::size_t word_bytes = 4;

  /// One lane's last access of a kind. Clock 0: none.
  struct Epoch {
    std::uint32_t clock = 0;
    std::uint16_t lane = 0;
    std::int32_t site = 0;  // where it was, from this program's code on
  };
  /// Accesses that do not race with each other, the last of each lane.
  struct Epochs {
    Epoch only;              // where one lane made them all
    std::uint32_t many = 0;  // 1 + its number in many_; 0: one lane or none
  };
  struct LaneEpochs {
    unsigned warps;                                  // in which any lane is
    unsigned lanes[max_block_threads / warp_lanes];  // of the warps that are
    struct {
      std::uint32_t clock;
      std::int32_t site;
    } of[max_block_threads];  // of the lanes that are
  };
  /// Accesses of one phase. A write stands for all before it, with which it does not race.
  struct Cell {
    std::uint32_t phase = 0;
    bool in_bytes = false;  // the word has a cell for each byte
    Epoch write;
    Epochs reads, atomics;
  };

  std::optional<Earlier> enter(Cell& cell, unsigned lane, AccessKind kind, std::int32_t site);
  std::optional<Earlier> racing(Epoch earlier, AccessKind kind, unsigned lane);
  std::optional<Earlier> racing(const Epochs& earlier, AccessKind kind, unsigned lane);
  void add(Epochs& epochs, Epoch epoch);
  LaneEpochs& new_many(Epochs& epochs);
  Epochs copy(const Epochs& epochs);
  Cell* bytes_of(std::size_t word);
  void refresh(Cell& cell);

  LaneClocks& clocks_;
  std::vector<Cell> words_;
  std::vector<Cell> bytes_;  // empty until a word is accessed in part
  std::vector<std::uint8_t> written_;
  std::vector<std::unique_ptr<LaneEpochs>> many_;
  std::uint32_t many_used_ = 0;
  std::uint32_t many_phase_ = 0;  // in which the used ones are
};

}  // namespace redbench::simt
