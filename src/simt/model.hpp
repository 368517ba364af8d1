// The modelled GPUs: limits of real ones, from configs/devices/*.json, or from a file of the user's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench::simt {

/// Of those that are built in.
std::vector<std::string> model_names();

/// A built-in name (`h200`), the path of a model file (`./mine.json`: it has a slash, or this ending), or the
/// name of one that this process has been told or has read (`mine.json`), which its facts bear. Throws
/// UsageError: an unknown model with the nearest match; a file that is not as it should be, with the path.
DeviceFacts load_model(std::string_view name);

/// The facts of a model file's text. `place` begins messages.
DeviceFacts parse_model(const std::string& name, const std::string& text, const std::string& place);

/// The text of a model that was read from a file, for another process to be told; empty where it is built in.
std::string text_of_model(const std::string& name);
/// Makes load_model(name) give this model.
void tell_model(const std::string& name, const std::string& text);

}  // namespace redbench::simt
