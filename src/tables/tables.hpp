// A table for readers, aligned for a terminal or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct Table {
  struct Column {
    std::string name;
    bool is_number;
  };
  std::string caption = {};  // what all rows share
  std::vector<Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::string> notes = {};  // "[1]" in a row is the first
};

/// Long names of columns take several lines. `color`: outcomes other than passed, in the last column, stand
/// out.
std::string aligned(const Table& table, bool color);

/// The table alone, with its notes: no text in it can break it.
std::string markdown_table(const Table& table);
/// Under a heading and the caption.
std::string markdown(const Table& table, const std::string& title);

/// A field of a CSV file: quoted where it must be.
std::string quoted_field(const std::string& text);

}  // namespace redbench
