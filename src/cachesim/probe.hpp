// Probe of this machine's caches, TLB and latencies: sizes as the system reports them, times as measured, and
// where the two disagree.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/cachesim/machine.hpp"
#include "src/cachesim/reported.hpp"

namespace redbench {

/// Takes some ten seconds on a quiet machine, most of them to fill pools of memory: each of some sixty
/// measurements gets `seconds`. The default of `largest_pool`, three times a last level of 300 MiB, is filled
/// in two seconds. What is doubtful about the result is in its `unsure`.
cachesim::Machine probe_host(double seconds = 0.05, std::size_t largest_pool = std::size_t(1) << 30,
                             const SizeSources& sources = {});

/// Rows of a name and a text for `doctor --caches`: levels, latencies, parallelism, TLB, doubts.
std::vector<std::pair<std::string, std::string>> describe(const cachesim::Machine& probed);

}  // namespace redbench
