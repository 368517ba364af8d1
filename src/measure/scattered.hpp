// Accesses at random places, as many as a cell has labels: what its problem is held against, since there
// bytes say little.
#pragma once

#include <functional>

#include "src/device/device.hpp"

namespace redbench {

/// `accesses` of words at `memory`, each of the `words` (at most 2^32) as likely as any other. The place
/// follows from the access's number by a hash, so that no list of places is read.
struct Scatter {
  u32* memory = nullptr;  // on the device
  Index words = 0;
  Index accesses = 0;
};

/// The word that access number `access` goes to.
constexpr Index scattered_word(Index access, Index words) {
  u32 hash = u32(access) ^ u32(access >> 32) * 0x9e3779b9u;
  // Wellons, "Prospecting for hash functions" (2018), lowbias32.
  hash = (hash ^ hash >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  hash ^= hash >> 16;
  return Index(u64(hash) * u64(words) >> 32);
}

/// All accesses of a scatter: 4-byte reads that do not wait for each other, and atomic additions of 1. Empty
/// functions for a device without time of its own. To choose, the host tries both on the memory.
struct ScatteredWays {
  std::function<void()> read, add;
};

ScatteredWays scattered(Device& device, const Scatter& scatter);

// One per device; `scattered` chooses.
ScatteredWays cuda_scattered(const Scatter& scatter);
ScatteredWays host_scattered(const Scatter& scatter);

}  // namespace redbench
