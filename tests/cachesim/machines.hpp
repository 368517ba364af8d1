// Small machines for tests of the cache simulator.
#pragma once

#include "src/cachesim/machine.hpp"

namespace redbench::cachesim {

inline Machine one_level(std::uint64_t bytes, unsigned ways) {
  Machine machine;
  machine.levels = {{"L1", bytes, ways, 1, Replacement::lru}};
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  return machine;
}

inline Machine translating(std::uint64_t entries, std::uint64_t second = 0) {
  Machine machine = one_level(1 << 20, 16);
  Translation translation;
  translation.levels = {{"DTLB", entries, unsigned(entries), 0}};
  if (second) translation.levels.push_back({"STLB", second, unsigned(second), 5});
  translation.walk_ns = 20;
  machine.translations = {translation};
  return machine;
}

/// Levels of so many lines, each of one set.
inline Machine machine_of(const std::vector<unsigned>& lines, Prefetch prefetch = Prefetch::none) {
  Machine machine;
  double ns = 1;
  for (const unsigned count : lines) {
    machine.levels.push_back({"L", std::uint64_t(count) * 64, count, ns, Replacement::lru});
    ns *= 10;
  }
  machine.memory_ns = 100;
  machine.prefetch = prefetch;
  return machine;
}

inline constexpr std::uint64_t page = 4096, line = 64;

}  // namespace redbench::cachesim
