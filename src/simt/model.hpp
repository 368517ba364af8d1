// The modelled GPUs: limits of real ones, from configs/devices/*.json, or from a file of the user's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench::simt {

/// The built-in models.
std::vector<std::string> model_names();

/// Loads a built-in model (`h200`), a model file by its path (with a slash, or the ending `.json`), or a file
/// that was loaded or registered before, by the file's name (`mine.json`), which is the model's name. Throws
/// UsageError for an unknown model, with the nearest match, and for a mistake in a file, with its path.
DeviceFacts load_model(std::string_view name);

/// The facts of a model file's text. `place` begins messages.
DeviceFacts parse_model(const std::string& name, const std::string& text, const std::string& place);

/// The text of a model that was loaded from a file, for another process to register; empty for a built-in
/// model.
std::string text_of_model(const std::string& name);
/// From now on load_model(name) loads this model.
void register_model(const std::string& name, const std::string& text);

}  // namespace redbench::simt
