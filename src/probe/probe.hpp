// This machine's caches, TLB and latencies: sizes as they are told, times as they are measured, and where the
// two do not go together.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/caches/machine.hpp"
#include "src/probe/told.hpp"

namespace redbench {

struct LatencyPoint {
  std::uint64_t bytes = 0;
  double ns = 0;
};

struct HostProbe {
  caches::Machine machine;                         // what is not sure is in `machine.unsure`
  std::vector<LatencyPoint> latencies;             // a chase through pools of these sizes, in huge pages
  std::vector<std::pair<int, double>> overlapped;  // walks at a time through memory -> ns per access
};

/// Takes some ten seconds on a quiet machine, most of them to fill pools of memory; `seconds` is for each of
/// some sixty times. The largest pool is three times a last level of 300 MiB, and filled in two seconds.
HostProbe probe_host(double seconds = 0.05, std::size_t largest_pool = std::size_t(1) << 30,
                     const Teller& teller = {});

/// Lines of text for a reader: levels, latencies, parallelism, TLB, and what is not sure.
std::vector<std::pair<std::string, std::string>> described(const HostProbe& probe);

}  // namespace redbench
