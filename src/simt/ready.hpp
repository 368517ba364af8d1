// The runnable threads of a block, in the order in which they will run.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace redbench::simt {

struct Thread;

/// A ring that holds every thread of a block at most once.
template <unsigned capacity>
class ReadyThreads {
  static_assert((capacity & (capacity - 1)) == 0);

 public:
  bool empty() const { return head_ == tail_; }
  void clear() { head_ = tail_ = 0; }
  void push_back(Thread* thread) { at(tail_++) = thread; }
  void push_front(Thread* thread) { at(--head_) = thread; }
  Thread* pop() { return at(head_++); }
  /// The thread that pop would return; an arbitrary one, or null, if the ring is empty.
  Thread* next() { return at(head_); }
  /// Swaps the first thread with the one at `random` modulo the number of threads.
  void bring_forward(std::uint32_t random) { std::swap(at(head_), at(head_ + random % (tail_ - head_))); }

 private:
  Thread*& at(unsigned position) { return ring_[position & (capacity - 1)]; }
  std::array<Thread*, capacity> ring_{};
  unsigned head_ = 0, tail_ = 0;  // wrap around
};

}  // namespace redbench::simt
