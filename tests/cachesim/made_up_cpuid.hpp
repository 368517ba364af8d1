// Made-up processors, by the registers that cpuid returns.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/cachesim/probe.hpp"

namespace redbench {

/// By leaf and subleaf; others are zeros.
using Cpuid = std::map<std::pair<unsigned, unsigned>, Registers>;

/// Intel's translation parameters, by subleaf from 0 on.
inline Cpuid intel(const std::vector<Registers>& translations) {
  Cpuid cpuid{{{0, 0}, {0x18, 0x756E6547, 0x6C65746E, 0x49656E69}}};
  for (unsigned i = 0; i < translations.size(); ++i) cpuid[{0x18, i}] = translations[i];
  return cpuid;
}

/// By ebx of AMD's two leaves; their other registers describe other pages and caches.
inline Cpuid amd(unsigned first, unsigned second) {
  return {{{0, 0}, {0x10, 0x68747541, 0x444D4163, 0x69746E65}},
          {{0x80000005, 0}, {0xFF40FF40, first, 0x300C0140, 0x20080140}},
          {{0x80000006, 0}, {0x40802040, second, 0x04008140, 0x0C009140}}};
}

/// `caches`: a folder laid out as /sys.
inline SizeSources sources_of(const Cpuid& cpuid, const std::string& caches = {}) {
  return {caches, [cpuid](unsigned leaf, unsigned subleaf) {
            const auto found = cpuid.find({leaf, subleaf});
            return found == cpuid.end() ? Registers{} : found->second;
          }};
}

}  // namespace redbench
