// Records as tables: aligned for a terminal, Markdown, CSV and JSON. Made from records alone.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"

namespace redbench {

/// For readers: the axes on which the records differ, times with their interval, in few digits and with units
/// in the header. A case that has not passed has no time.
struct Table {
  struct Column {
    std::string name;
    bool is_number;
  };
  std::string caption;          // what all rows share
  std::vector<Column> columns;  // the last is the outcome
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  // why cases have not passed; "[1]" in an outcome is the first
};

Table make_table(const std::vector<Record>& records);

/// `color`: outcomes other than passed stand out.
std::string aligned(const Table& table, bool color);
std::string markdown(const Table& table, const std::string& title);

/// All fields of the records but their samples, lists as text, one column per axis and parameter, in full
/// precision.
std::string comma_separated(const std::vector<Record>& records);
/// A field of a CSV file: quoted where it must be.
std::string quoted_field(const std::string& text);
/// The same as an array of objects.
std::string json_rows(const std::vector<Record>& records);

/// Four significant digits, never in powers of ten.
std::string significant(double value);

}  // namespace redbench
