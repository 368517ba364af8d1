#include "src/simt/happens_before.hpp"

#include <algorithm>

#include "src/simt/lanes.hpp"

namespace redbench::simt {
namespace {

void join(std::uint32_t* known, const std::uint32_t* more, unsigned count) {
  for (unsigned i = 0; i < count; ++i) known[i] = std::max(known[i], more[i]);
}

template <class Visit>
void for_threads(unsigned warp, unsigned lanes, Visit visit) {
  for_lanes(lanes, [&](unsigned lane) { visit(warp * warp_lanes + lane); });
}

}  // namespace

void LaneClocks::start_block(int threads) {
  const unsigned stride = unsigned(threads + warp_lanes - 1) / warp_lanes * warp_lanes;
  if (stride != stride_) {
    stride_ = stride;
    rows_ = std::make_unique_for_overwrite<std::uint32_t[]>(std::size_t(stride) * stride);
    for (NamedClock& clock : named_) clock.phase = 0;
  }
  new_phase();
}

void LaneClocks::begin_row(unsigned lane) {
  row_phase_[lane] = phase_;
  knows_others_[lane] = false;
  std::uint32_t* const known = &rows_[std::size_t(lane) * stride_];
  std::fill_n(known + lane / warp_lanes * warp_lanes, warp_lanes, 0u);
  known[lane] = 1;
}

/// Room for what the lane learns of other warps.
void LaneClocks::widen_row(unsigned lane) {
  std::uint32_t* const known = row(lane);
  if (knows_others_[lane]) return;
  const unsigned first = lane / warp_lanes * warp_lanes;
  std::fill(known, known + first, 0u);
  std::fill(known + first + warp_lanes, known + stride_, 0u);
  knows_others_[lane] = true;
}

void LaneClocks::join_warp(unsigned warp, unsigned lanes) {
  bool wide = false;
  for_threads(warp, lanes, [&](unsigned lane) {
    row(lane);
    wide = wide || knows_others_[lane];
  });
  const unsigned first = wide ? 0 : warp * warp_lanes, count = wide ? stride_ : unsigned(warp_lanes);
  std::array<std::uint32_t, max_block_threads> all;
  std::fill_n(all.data(), count, 0u);
  for_threads(warp, lanes, [&](unsigned lane) {
    if (wide) widen_row(lane);
    join(all.data(), row(lane) + first, count);
  });
  for_threads(warp, lanes, [&](unsigned lane) {
    std::uint32_t* const known = row(lane);
    std::copy_n(all.data(), count, known + first);
    ++known[lane];
  });
}

void LaneClocks::arrive(unsigned lane, int id) {
  NamedClock& barrier = named_[id];
  if (barrier.phase != phase_) {
    barrier.phase = phase_;
    barrier.known.assign(stride_, 0);
  }
  widen_row(lane);
  join(barrier.known.data(), row(lane), stride_);
  ++row(lane)[lane];
}

void LaneClocks::release(int id, std::span<Lane* const> waited) {
  NamedClock& barrier = named_[id];
  for (const Lane* const lane : waited) {
    widen_row(lane->number);
    if (barrier.phase == phase_) join(row(lane->number), barrier.known.data(), stride_);
  }
  barrier.phase = 0;
}

}  // namespace redbench::simt
