// Every key that a config may have: name, values, default and meaning. What checks a config,
// configs/schema.json and the lists of configs/README.md follow from these rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/shape.hpp"

namespace redbench {

/// A new key of `measure` is a member of MeasureOptions and a row here.
const Rows<MeasureOptions>& measure_rows();

/// The key `parameters` of an experiment.
const Rows<Experiment>& parameter_rows();

/// The shape of a whole config file. Made once for each list of quantities, the only columns that it depends
/// on.
const Shape& config_shape(const Columns& columns);
/// configs/schema.json.
std::string schema_text(const Columns& columns);
/// The lists of keys of configs/README.md.
std::string keys_markdown(const Columns& columns);

/// The value of `caches`, which the shape has checked. Throws UsageError for a variant that does not exist.
CachesOptions read_caches(const Node& node);

/// "on_simt"
std::string patch_key(std::string_view target);

/// The keys that --set changes without the place of an experiment, by path ("measure.max_noise"), with their
/// meanings.
std::vector<std::pair<std::string, std::string>> settable_keys();
/// The meaning of one of them.
std::string meaning_of_key(const std::string& path);

}  // namespace redbench
