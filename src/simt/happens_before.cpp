#include "src/simt/happens_before.hpp"

#include <algorithm>

#include "kernels/rounding.hpp"

namespace redbench::simt {
namespace {

/// The element-wise maximum.
void add(std::uint32_t* known, const std::uint32_t* more, unsigned count) {
  for (unsigned i = 0; i < count; ++i) known[i] = std::max(known[i], more[i]);
}

template <class Visit>
void for_threads(unsigned warp, unsigned lanes, Visit visit) {
  for_lanes(lanes, [&](unsigned lane) { visit(warp * warp_lanes + lane); });
}

}  // namespace

void ThreadClocks::start_block(int threads) {
  const auto stride = unsigned(round_up(threads, warp_lanes));
  if (stride != stride_) {
    stride_ = stride;
    rows_ = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t(stride) * stride);
    for (NamedClock& clock : named_) clock.phase = 0;
  }
  missed_ = ended_.reset();
  ++phase_;
}

void ThreadClocks::begin_row(unsigned thread) {
  row_phase_[thread] = phase_;
  is_whole_[thread] = false;
  std::uint32_t* const known = &rows_[std::size_t(thread) * stride_];
  std::fill_n(known + thread / warp_lanes * warp_lanes, warp_lanes, 0u);
  known[thread] = 1;
}

/// Zeroes the parts of the row that are of other warps, unless the row has them.
void ThreadClocks::make_whole(unsigned thread) {
  std::uint32_t* const known = row(thread);
  if (is_whole_[thread]) return;
  const unsigned first = thread / warp_lanes * warp_lanes;
  std::fill(known, known + first, 0u);
  std::fill(known + first + warp_lanes, known + stride_, 0u);
  is_whole_[thread] = true;
}

void ThreadClocks::join(unsigned warp, unsigned lanes) {
  bool whole = false;
  for_threads(warp, lanes, [&](unsigned thread) {
    row(thread);
    whole = whole || is_whole_[thread];
  });
  const unsigned first = whole ? 0 : warp * warp_lanes, count = whole ? stride_ : unsigned(warp_lanes);
  std::array<std::uint32_t, max_block_threads> all;
  std::fill_n(all.data(), count, 0u);
  for_threads(warp, lanes, [&](unsigned thread) {
    if (whole) make_whole(thread);
    add(all.data(), row(thread) + first, count);
  });
  for_threads(warp, lanes, [&](unsigned thread) {
    std::uint32_t* const known = row(thread);
    std::copy_n(all.data(), count, known + first);
    ++known[thread];
  });
}

void ThreadClocks::meet() {
  missed_ = ended_;
  if (missed_.none()) {
    ++phase_;
    return;
  }
  for (unsigned thread = 0; thread < stride_; ++thread)
    if (!missed_[thread]) release(thread, 0);
  for (unsigned thread = 0; thread < stride_; ++thread)
    if (!missed_[thread]) add(row(thread), named_[0].known.data(), stride_);
  named_[0].phase = 0;
}

void ThreadClocks::release(unsigned thread, int id) {
  NamedClock& barrier = named_[id];
  if (barrier.phase != phase_) {
    barrier.phase = phase_;
    barrier.known.assign(stride_, 0);
  }
  make_whole(thread);
  add(barrier.known.data(), row(thread), stride_);
  ++row(thread)[thread];
}

void ThreadClocks::acquire(int id, std::span<Thread* const> threads) {
  NamedClock& barrier = named_[id];
  for (const Thread* const thread : threads) {
    make_whole(thread->number);
    if (barrier.phase == phase_) add(row(thread->number), barrier.known.data(), stride_);
  }
  barrier.phase = 0;
}

}  // namespace redbench::simt
