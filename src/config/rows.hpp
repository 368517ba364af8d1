// Rows of records (not the Row of shape.hpp) that a plot or a claim selects: columns by name, and the values
// that `where` gives them; and a config's plots, checked against the records that it can have.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/shape.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/node.hpp"

namespace redbench {

/// The shape of `where`: column to a value or a list of values, which selects the rows that have one of them.
Shape rows_where();

/// The columns that records of some problems have. A column may belong to any variant of the problems.
class RowColumns {
 public:
  /// `problems` must outlive it. Files that `where` names are looked for in `folder` first.
  RowColumns(const std::vector<const Problem*>& problems, const Columns& columns, std::string folder);

  const std::vector<std::string>& names() const { return names_; }
  /// Throws UsageError, with the place, where no record has such a column.
  void check(const std::string& column, const Node& node) const;
  /// An object, column to value or list of values, with sizes as numbers and files found. Throws UsageError
  /// for a column that no record has and a value that the column does not take.
  Json read_where(const Node& where) const;
  /// The value or list of values of one column.
  Json read_values(const Node& node, const std::string& column) const;
  /// Throws UsageError where there is no variant of this short name.
  void check_variant(const std::string& name, const Node& node) const;

 private:
  std::vector<Json> values_of(const Node& entry, const std::string& column) const;
  std::vector<Json> values_of_axis(const Node& entry, const std::string& column) const;

  const std::vector<const Problem*>& problems_;
  std::string folder_;
  std::vector<std::string> names_, variants_;
};

/// The list `plots`, whose shape config_shape has checked, with the sizes of `where` as numbers and its files
/// found as those of axes are (`folder`). Throws UsageError for a plot that cannot be drawn: a column that no
/// record of these problems has, a value that the column does not take, a name that another plot has, a file
/// of published numbers that is missing.
///
/// A column may belong to any variant of the problems, listed or not, so that -b spoils no plot.
Json read_plots(const Node& plots, const std::vector<const Problem*>& problems, const Columns& columns,
                const std::string& folder);

}  // namespace redbench
