// A table for readers, aligned for a terminal or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct Table {
  struct Column {
    std::string name;
    bool is_number;
    /// Where a table is too wide the least important column goes first; of equals the last.
    int importance = needed;
  };
  static constexpr int needed = 1000, essential = needed + 1;
  std::string caption = {};  // what all rows share
  std::vector<Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::string> notes = {};    // "[1]" in a row is the first
  std::vector<std::string> remarks = {};  // sentences under it
};

/// " [2]", the number of the text among the notes under a table, where it is added unless it is there.
std::string note(const std::string& text, std::vector<std::string>& notes);

inline constexpr const char* outcome_heading = "outcome";

/// Long names of columns take several lines, fewer where there is room in `width`. `color`: outcomes other
/// than passed stand out. Caption, notes and remarks are broken at `width`, 0: not at
/// all; rows are as wide as they are (src/tables/fit.hpp).
std::string aligned(const Table& table, bool color, std::size_t width = 0);
/// Of its rows, in characters, at the least.
std::size_t aligned_width(const Table& table);

/// The caption, the table, and what is under it: no text in it can break it.
std::string markdown(const Table& table);

/// A field of a CSV file: quoted where it must be.
std::string quoted_field(const std::string& text);

}  // namespace redbench
