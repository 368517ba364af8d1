// Values of which one alone makes the result, so that a place which a kernel skips shows.
#pragma once

#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Whether the result over a case's usual values may hide one that is left out, which a planted one shows:
/// min, max and `right` take one of many, and most factors of a product of floats are units. `input` has a
/// pair.
bool hides_values(const InputSpec& input);

/// As many bytes of the operator's identity.
HostBuffer identities(const Pair& pair, std::size_t bytes);

/// A value that differs from the identity, for a product in its size, too.
HostBuffer planted_value(const Pair& pair, std::uint64_t seed);

/// Another such value.
HostBuffer other_planted_value(const Pair& pair, std::uint64_t seed, const HostBuffer& value);

/// Of one launch; each that shares otherwise adds three.
inline constexpr int most_places_of_a_launch = 9;
/// Where to plant it among `count` values: at the last, the first and the middle one, at the borders of the
/// first and the last share where so many blocks share the values out evenly (`blocks`, by launch), and at
/// three places of the seed. None twice.
std::vector<Index> planting_places(Index count, std::uint64_t seed, const std::vector<Index>& blocks);

}  // namespace redbench
