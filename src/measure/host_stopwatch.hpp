// Time on the CPU: the steady clock around the work, after the caches were emptied or filled.
#pragma once

#include <memory>

#include "src/device/device.hpp"

namespace redbench {

/// `cache_bytes`: size of the last-level cache, of which the flush overwrites twice as much.
std::unique_ptr<Stopwatch> make_host_stopwatch(std::size_t cache_bytes);

}  // namespace redbench
