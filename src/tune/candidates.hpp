// The launch parameters that a search tries.
#pragma once

#include <cstddef>
#include <vector>

#include "src/device/device.hpp"
#include "src/json/json.hpp"

namespace redbench {

/// Whether a search may choose values of a parameter: not of `published`, an algorithm as its author printed it, whose
/// answers may be wrong for some inputs.
bool is_searched(const Parameter& parameter);

/// Values of a parameter from small to large: its default and its least; all where they are few; else powers of two, or
/// multiples of a warp by powers of two. Where it may exceed the number of multiprocessors it may be one of blocks:
/// 1, 2, 4 and 8 for each multiprocessor, too, from one for eight of them to as many as a GPU holds at once, 32 each. One
/// that is not searched has its default.
std::vector<Index> values_to_try(const Parameter& parameter, int multiprocessors);

inline constexpr std::size_t most_candidates = 512;  // of a variant at a point

/// Combinations of these values, {name: value}, the card's defaults among them. Where they are more than `most`, the
/// longest list of values is thinned to every second, again and again.
std::vector<Json> candidates(const Card& card, int multiprocessors, std::size_t most);

}  // namespace redbench
