// Every key that a config may have: name, values, default and meaning. What checks a config,
// configs/schema.json and the lists of configs/README.md follow from these rows.
#pragma once

#include <functional>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/shape.hpp"

namespace redbench {

/// A key whose value becomes a member of Options; its default is that of the member.
template <class Options>
struct Row {
  Key key;
  std::function<void(const Node&, Options&)> read;
  std::function<Json(const Options&)> written;
};

/// A new key of `measure` is a member of MeasureOptions and a row here.
const std::vector<Row<MeasureOptions>>& measure_rows();

/// The shape of a whole config file. Made once for each list of quantities, the only columns that it depends
/// on.
const Shape& config_shape(const Columns& columns);

/// The value of `caches`, which the shape has checked. Throws UsageError for a variant that does not exist.
CachesOptions read_caches(const Node& node);

/// "on_simt"
std::string patch_key(std::string_view target);

}  // namespace redbench
