// The plots of a config, held against the records that its experiments can have.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/node.hpp"

namespace redbench {

/// The list `plots`, whose shape config_shape has checked, with the sizes of `where` as numbers and its files
/// found as those of axes are (`folder`). Throws UsageError for a plot that cannot be drawn: a column that no
/// record of these problems has, a value that the column does not take, a name that another plot has, a file
/// of published numbers that is missing.
///
/// A column may belong to any variant of the problems, listed or not, so that -b spoils no plot.
Json read_plots(const Node& plots, const std::vector<const Problem*>& problems, const Columns& columns,
                const std::string& folder);

}  // namespace redbench
