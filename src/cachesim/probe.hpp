// Probe of this machine's caches, TLB and latencies: sizes as the system reports them, times as measured, and
// where the two disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/cachesim/machine.hpp"

namespace redbench {

/// eax, ebx, ecx and edx.
struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// This processor's answer; zeros for a leaf that it lacks, and on architectures other than x86.
Registers cpuid(unsigned leaf, unsigned subleaf);

/// Where sizes are read from: by default, this machine.
struct SizeSources {
  std::string caches = "/sys/devices/system/cpu/cpu0/cache";  // or a folder of the same layout
  std::function<Registers(unsigned leaf, unsigned subleaf)> cpuid = redbench::cpuid;
};

struct ReportedCache {
  int level = 0;
  std::uint64_t bytes = 0;
  unsigned ways = 0, line_bytes = 64;
};

/// The data and unified caches of the first core, innermost first; empty where the system reports none.
std::vector<ReportedCache> reported_caches(const SizeSources& sources = {});

struct ReportedTlb {
  int level = 0;
  std::uint64_t entries = 0;  // for pages of 4 kB
  unsigned ways = 0;
};

/// The levels of the data TLB, innermost first, from cpuid (Intel's leaf 0x18; AMD's 0x80000005 and
/// 0x80000006); empty where it reports none.
std::vector<ReportedTlb> reported_tlbs(const SizeSources& sources = {});

/// The hypervisor bit of cpuid: reported sizes may be another machine's.
bool is_virtual_machine(const SizeSources& sources = {});

/// Takes some ten seconds on a quiet machine, most of them to fill pools of memory: each of some sixty
/// measurements gets `seconds`. The default of `largest_pool`, three times a last level of 300 MiB, is filled
/// in two seconds. What is doubtful about the result is in its `unsure`.
cachesim::Machine probe_host(double seconds = 0.05, std::size_t largest_pool = std::size_t(1) << 30,
                             const SizeSources& sources = {});

/// Rows of a name and a text for `doctor --caches`: levels, latencies, parallelism, TLB, doubts.
std::vector<std::pair<std::string, std::string>> describe(const cachesim::Machine& probed);

}  // namespace redbench
