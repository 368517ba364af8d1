// The lanes of a block that could go on, in the order in which they will.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace redbench::simt {

struct Lane;

/// A ring that holds every lane of a block at most once.
template <unsigned capacity>
class ReadyLanes {
  static_assert((capacity & (capacity - 1)) == 0);

 public:
  bool empty() const { return head_ == tail_; }
  void clear() { head_ = tail_ = 0; }
  void push_back(Lane* lane) { at(tail_++) = lane; }
  void push_front(Lane* lane) { at(--head_) = lane; }
  Lane* pop() { return at(head_++); }
  /// The lane that pop would give; any lane, or a stale one, where the ring is empty.
  Lane* next() { return at(head_); }
  /// Puts the lane at `random`, taken modulo the number of lanes, first.
  void bring_forward(std::uint32_t random) { std::swap(at(head_), at(head_ + random % (tail_ - head_))); }

 private:
  Lane*& at(unsigned position) { return ring_[position & (capacity - 1)]; }
  std::array<Lane*, capacity> ring_{};
  unsigned head_ = 0, tail_ = 0;  // wrap around
};

}  // namespace redbench::simt
