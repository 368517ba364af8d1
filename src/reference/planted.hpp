// Planted values: inputs in which a single value determines the result, so that a kernel that skips its
// position fails.
#pragma once

#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Whether the result over a case's usual values may hide that one was left out: min, max and `right` select
/// one of many, and most factors of a product of floats are units. Planted values show it. `input` must have
/// a pair.
bool hides_values(const InputSpec& input);

/// `bytes` bytes filled with the operator's identity.
HostBuffer identities(const Pair& pair, std::size_t bytes);

/// A value other than the identity; for a product, of another magnitude, too.
HostBuffer planted_value(const Pair& pair, std::uint64_t seed);

/// Another such value; for `right`, one that differs from `value`.
HostBuffer other_planted_value(const Pair& pair, std::uint64_t seed, const HostBuffer& value);

/// For one launch; each further launch with another number of blocks adds three.
inline constexpr int most_places_of_a_launch = 9;
/// Positions for a planted value among `count` values, without duplicates: the last, the first and the middle
/// one, the borders of the first and the last share where blocks share the values out evenly (`blocks`: their
/// number in each launch), and three random ones by the seed.
std::vector<Index> planting_places(Index count, std::uint64_t seed, const std::vector<Index>& blocks);

}  // namespace redbench
