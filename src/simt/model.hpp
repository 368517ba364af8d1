// The modelled GPUs: limits of real ones, from configs/devices/*.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench::simt {

std::vector<std::string> model_names();

/// Throws UsageError: an unknown model with the nearest match, or a model file that is not as it should be.
DeviceFacts load_model(std::string_view name);

}  // namespace redbench::simt
