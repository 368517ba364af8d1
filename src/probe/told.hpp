// What the system and the processor tell of caches and TLBs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redbench {

struct ToldCache {
  int level = 0;
  std::uint64_t bytes = 0;
  unsigned ways = 0, line_bytes = 64;
  unsigned cores = 1;  // that share it
};

/// The data and unified caches of the first core, innermost first, from /sys; empty where it does not tell.
std::vector<ToldCache> told_caches();

struct ToldTlb {
  int level = 0;
  std::uint64_t entries = 0;  // for pages of 4 kB
  unsigned ways = 0;
};

/// Those for data, innermost first, from cpuid (Intel's leaf 0x18; AMD's 0x80000005 and 6); empty where it
/// does not tell.
std::vector<ToldTlb> told_tlbs();

/// "GenuineIntel"; empty on other architectures.
std::string told_vendor();
/// The hypervisor's bit of cpuid: what is told may be of another machine.
bool is_virtual();

}  // namespace redbench
