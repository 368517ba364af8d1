// Random accesses, as many as a cell has labels: the measured ceiling of problems for which bandwidth says
// little.
#pragma once

#include <functional>

#include "src/device/device.hpp"

namespace redbench {

/// `accesses` accesses of words at `memory`, uniformly distributed over `words` (at most 2^32) of them. The
/// word of an access is a hash of its number, so that no list of indices is read.
struct Scatter {
  u32* memory = nullptr;  // on the device
  Index words = 0;
  Index accesses = 0;
};

/// The index of the word of access number `access`.
constexpr Index scattered_word(Index access, Index words) {
  u32 hash = u32(access) ^ u32(access >> 32) * 0x9e3779b9u;
  // Wellons, "Prospecting for hash functions" (2018), lowbias32.
  hash = (hash ^ hash >> 16) * 0x7feb352du;
  hash = (hash ^ hash >> 15) * 0x846ca68bu;
  hash ^= hash >> 16;
  return Index(u64(hash) * u64(words) >> 32);
}

/// Functions that make all accesses of a scatter: independent 4-byte reads, or atomic additions of 1. Empty
/// for a device that has no times. To choose its number of cores, the host runs both on the memory.
struct ScatteredAccesses {
  std::function<void()> read, add;
};

ScatteredAccesses scattered(Device& device, const Scatter& scatter);

// The functions of one device each, from which `scattered` chooses.
ScatteredAccesses cuda_scattered(const Scatter& scatter);
ScatteredAccesses host_scattered(const Scatter& scatter);

}  // namespace redbench
