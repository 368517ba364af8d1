// What the system and the processor tell of caches and TLBs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace redbench {

/// eax, ebx, ecx and edx.
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// What this processor answers; zeros of a leaf that it has not, and on other architectures than x86.
Registers cpuid(unsigned leaf, unsigned subleaf);

/// Who is asked: this machine, if nothing else is said.
struct Teller {
  std::string caches = "/sys/devices/system/cpu/cpu0/cache";  // a folder as that one is
  std::function<Registers(unsigned leaf, unsigned subleaf)> cpuid = redbench::cpuid;
};

struct ToldCache {
  int level = 0;
  std::uint64_t bytes = 0;
  unsigned ways = 0, line_bytes = 64;
  unsigned cores = 1;  // that share it
};

/// The data and unified caches of the first core, innermost first; empty where the system does not tell.
std::vector<ToldCache> told_caches(const Teller& teller = {});

struct ToldTlb {
  int level = 0;
  std::uint64_t entries = 0;  // for pages of 4 kB
  unsigned ways = 0;
};

/// Those for data, innermost first, from cpuid (Intel's leaf 0x18; AMD's 0x80000005 and 6); empty where it
/// does not tell.
std::vector<ToldTlb> told_tlbs(const Teller& teller = {});

/// "GenuineIntel"; empty on other architectures.
std::string told_vendor(const Teller& teller = {});
/// The hypervisor's bit of cpuid: what is told may be of another machine.
bool is_virtual(const Teller& teller = {});

}  // namespace redbench
