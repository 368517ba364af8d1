// OS threads that work together on one launch.
#pragma once

#include <functional>

#include "kernels/types.hpp"

namespace redbench::simt {

/// Runs `work` on `count` OS threads at once, one of them the caller, and waits for all. The others are kept
/// for the next call. `work` must not throw.
void run_on_crew(Index count, const std::function<void()>& work);

/// Runs `work` on `count` new OS threads, which end with it. If the system does not give that many, throws
/// DeviceError before any of them starts `work`.
void run_apart(Index count, const std::function<void()>& work);

}  // namespace redbench::simt
