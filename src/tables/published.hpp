// Numbers that papers print (results/papers/<paper>.csv), for comparison with measured ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/records/fields.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// What of a case a number is of.
enum class PublishedPart : std::uint8_t { whole, launch, level };

struct PublishedNumber {
  std::string variant;
  std::string device;    // the paper's
  std::string relation;  // "=", "~", "<", "<=", ">" or ">="
  double value;          // in the unit of the record's field
  const Field* field;    // null: of none
  PublishedPart part = PublishedPart::whole;
  int launch = 0;  // counted from 1; 0: every launch
  int level = 0;   // as a config calls some accesses of a trace
  /// Axes of the case in the paper, as text: n, type, operator and others.
  std::vector<std::pair<std::string, std::string>> axes;

  /// Whether the record agrees in the variant and in each of these axes.
  bool is_of(const Record& record) const;
  /// "~ 104", in the unit of the column.
  std::string text() const;
  /// "time (µs), GTX 480, published"
  std::string heading() const;
};

/// Of an access of a trace what papers count by level: its lanes and its cache lines.
const std::vector<Field>& level_fields();

/// The numbers of the figure that a config is named after: for martin2012/fig4 the rows of
/// results/papers/martin2012.csv with the figure fig4. Numbers that are no field of a record are left out;
/// other configs have none. The file is looked for among redbench's own, then in the working directory.
/// Throws UsageError by file and line.
std::vector<PublishedNumber> published_for(const std::string& config_name);

/// Reads the files that a config's plots name. Throws UsageError, by file and line, for one that no table
/// could read.
void check_published(const Json& plots);

/// The numbers of a figure in a file.
std::vector<PublishedNumber> read_published(const std::string& path, const std::string& figure);

}  // namespace redbench
