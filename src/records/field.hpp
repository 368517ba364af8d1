// What is known of one field of a record. From rows of this type follow a record's nulls, the check of
// records that are read, their JSON schema, the columns of tables and plots, and the tables of
// docs/reference/records.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redbench {

/// What a field holds. Numbers are finite and not negative, whole ones have no fraction.
enum class FieldKind : std::uint8_t { text, whole, number, flag, list, object };

/// How many digits of a number readers see.
enum class Digits : std::uint8_t {
  four,         // significant ones
  by_interval,  // those that the confidence interval of the case's time bears out, four at most
  whole,        // all, without a fraction
};

/// How papers give a quantity: the field is `factor` times the printed number.
struct PublishedUnit {
  std::string quantity, unit;  // "time", "ms", as in results/papers/*.csv
  double factor = 1;
};

struct Field {
  std::string name;  // with its unit: "time_ns"
  FieldKind kind = FieldKind::number;
  std::string meaning = {};     // a sentence, in Markdown
  std::string null_where = {};  // in which passed cases it is null, and why; empty: it has a value
  bool of_passed = false;       // null in a case that has not passed, too
  bool is_axis = false;         // tells cases apart
  bool is_derived = false;      // follows from others: computed where a file lacks it

  // For readers: in tables and, where it is a number, in plots.
  std::string label = {};  // "time"; empty: in no table and no plot
  std::string unit = {};   // that it is shown in: "µs"
  double scale = 1;        // one of them in those of the record: 1000
  Digits digits = Digits::four;
  std::vector<PublishedUnit> published = {};

  std::vector<std::string> allowed = {};  // texts; empty: any
  std::vector<Field> fields = {};         // of an object, or of each entry of a list; empty: not told

  bool nullable() const { return of_passed || !null_where.empty(); }
  bool is_quantity() const {
    return !label.empty() && (kind == FieldKind::number || kind == FieldKind::whole);
  }
  /// "time (µs)"
  std::string heading() const { return unit.empty() ? label : label + " (" + unit + ")"; }
};

/// Rows that an instrument adds to a record, from its own file: a static of this type there. They stand in
/// the record in the order of the instruments' names, the same in every build: not in a file that only CUDA
/// builds.
struct FieldRegistration {
  FieldRegistration(std::string instrument, std::vector<Field> fields);
};

}  // namespace redbench
