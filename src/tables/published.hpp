// Numbers that papers print (results/papers/<paper>.csv), to stand beside measured ones.
#pragma once

#include <string>
#include <vector>

#include "src/records/field.hpp"
#include "src/records/record.hpp"

namespace redbench {

struct PublishedNumber {
  std::string variant;
  std::string device;    // the paper's
  std::string relation;  // "=", "~", "<", "<=", ">" or ">="
  double value;          // in the unit of the record's field
  const Field* field;    // of a case, a counter or a launch
  bool of_launch;
  int launch = 0;  // counted from 1; 0: of every launch, or of the case
  /// What the paper says of the case: n, type, operator and the like, as text.
  std::vector<std::pair<std::string, std::string>> axes;

  /// Whether the paper's case is this one: the same variant, and every axis that it gives.
  bool is_of(const Record& record) const;
  /// "~ 104" in the unit that readers see.
  std::string text() const;
};

/// Of a config that is named after a paper's figure: the rows of results/papers/martin2012.csv whose figure
/// is fig4 for martin2012/fig4. Numbers that are no field of a record are left out. Empty for any other
/// config. The file is looked for among redbench's own, then in the working directory. Throws UsageError by
/// file and line.
std::vector<PublishedNumber> published_for(const std::string& config_name);

/// The same from a file.
std::vector<PublishedNumber> read_published(const std::string& path, const std::string& figure);

}  // namespace redbench
