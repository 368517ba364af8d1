// Sets of a warp's lanes are masks, bit i for lane i.
#pragma once

#include <bit>

namespace redbench::simt {

/// Calls `visit` with the number of each lane of the set, from the lowest.
template <class Visit>
void for_lanes(unsigned lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1) visit(unsigned(std::countr_zero(lanes)));
}

}  // namespace redbench::simt
