// The verdict of a search: whether the fastest candidate is faster than the default.
#pragma once

#include <string>
#include <vector>

#include "src/tune/rounds.hpp"

namespace redbench {

/// Leaves each search its default and the fastest candidate, or what is known where the default was the fastest; none where
/// they are the same.
void set_beside_defaults(std::vector<Search>& searches);

/// Judges the last round of all searches together. Gives each point its `parameters`, the fastest candidate's where it
/// is faster by more than `least_difference_percent` or the default has no time, and `found`: times in ns and why.
/// What the file has stays where nothing is told to be faster than the default, unless it is told to be slower itself.
void judge_last(std::vector<Search>& searches, const Measured& last, double least_difference_percent,
                const std::string& mode);

}  // namespace redbench
