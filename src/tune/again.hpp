// What is left of a budget: points that had few candidates are searched again with more.
#pragma once

#include <vector>

#include "src/tune/points.hpp"

namespace redbench {

/// The points of `done` with a time that had fewer candidates than a search without a budget has, as the first ones do:
/// how long they take was not known. What was found for them is known, and what was found for the variant at other points
/// is a candidate.
std::vector<Search> thinned(const std::vector<Search>& done, int multiprocessors);

/// Puts a search that is done into `done`. False where it was done before and now gives nothing better: that one stays.
bool take(std::vector<Search>& done, const Search& search);

}  // namespace redbench
