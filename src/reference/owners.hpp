// The owner of each value of an input that is cut into segments.
#pragma once

#include <algorithm>
#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// n labels, never decreasing: the segment of each value, where segment i goes from offsets[i] to
/// offsets[i + 1].
inline HostBuffer owners_of(const std::vector<Index>& offsets) {
  const Index m = Index(offsets.size()) - 1;
  HostBuffer owners(std::size_t(offsets.back()) * sizeof(u32));
#pragma omp parallel for schedule(static)
  for (Index segment = 0; segment < m; ++segment)
    std::fill(owners.as<u32>() + offsets[std::size_t(segment)],
              owners.as<u32>() + offsets[std::size_t(segment) + 1], u32(segment));
  return owners;
}

}  // namespace redbench
