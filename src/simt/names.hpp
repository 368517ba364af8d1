// How reports name things.
#pragma once

#include <string>
#include <string_view>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// CUDA's name: "__shfl_down_sync".
std::string_view name_of(WarpOp op);
/// "__ballot_sync with mask 0xffffffff (kernels/x.cu:12)", for a thread that waits.
std::string describe_wait(const Thread& thread);

}  // namespace redbench::simt
