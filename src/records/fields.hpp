// The fields of a record and of run.json. From these rows follow the nulls of a new record, the check of
// files that are read, their JSON schema, the columns of tables and plots, and the documentation's tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace redbench {

/// Type of a field. Numbers are finite and not negative.
enum class FieldKind : std::uint8_t { text, whole, number, flag, list, object };

/// Digits of a number in tables for readers.
enum class Digits : std::uint8_t {
  four,         // significant digits
  by_interval,  // as many as the confidence interval of the time supports, at most four
  whole,        // all, without a fraction
};

/// How the values that several forks measured become the field's one value (src/cell/forks.cpp).
enum class OverForks : std::uint8_t {
  of_median_fork,  // as the fork of the median time has it, unless record_of_forks computes it
  median,          // of all forks; null where one has none
  sum,             // of those forks that have a number; null where none has
  list,            // one entry of each fork: its own list's only entry
};

/// A quantity as papers print it: the field is `factor` times the printed number.
struct PublishedUnit {
  std::string quantity, unit;  // "time", "ms", as in results/papers/*.csv
  double factor = 1;
};

struct Field {
  std::string name;  // with its unit: "time_ns"
  FieldKind kind = FieldKind::number;
  std::string meaning = {};     // a sentence, in Markdown
  std::string null_where = {};  // in which passed cases it is null, and why; empty: never
  bool of_passed = false;       // null, too, in a case that has not passed
  bool is_axis = false;         // an axis of every case
  bool is_derived = false;      // computed from other fields where a file lacks it
  OverForks over_forks = OverForks::of_median_fork;

  // In tables and plots for readers.
  std::string label = {};  // "time"; empty: in no table and no plot
  std::string unit = {};   // of the table: "µs"
  double scale = 1;        // that unit in units of the record: 1000
  Digits digits = Digits::four;
  std::vector<PublishedUnit> published = {};

  std::vector<std::string> allowed = {};  // texts; empty: any
  std::vector<Field> fields = {};         // of an object, or of each entry of a list; empty: unspecified

  bool nullable() const { return of_passed || !null_where.empty(); }
  bool is_quantity() const {
    return !label.empty() && (kind == FieldKind::number || kind == FieldKind::whole);
  }
  /// "time (µs)"
  std::string heading() const { return unit.empty() ? label : label + " (" + unit + ")"; }
};

/// Fields that an instrument adds to a record: a static of this type in its file. They are sorted by
/// instrument, as the order in which statics are initialised is unspecified. The file is compiled in every
/// build, also without CUDA: the fields of a record do not depend on the build.
struct FieldRegistration {
  FieldRegistration(std::string instrument, std::vector<Field> fields);
};

/// Fields of a record in order, with those of the instruments.
const std::vector<Field>& case_fields();
/// Fields of each entry of `launches`.
const std::vector<Field>& launch_fields();
/// Fields of `counters`, in a case and in a launch: the counters (docs/simt.md), then the numbers derived
/// from them.
const std::vector<Field>& counter_fields();
/// Fields of run.json, written by src/run/run_facts.cpp and src/run/recording.cpp. Others are ignored where
/// one is read.
const std::vector<Field>& run_fields();
/// Fields of each entry of `sessions`, or of an older run.json itself. Others are ignored, too.
const std::vector<Field>& session_fields();

}  // namespace redbench
