// Tables for readers: fitted into the width of a window, aligned for a terminal, or as Markdown.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct Table {
  struct Column {
    std::string name;
    bool is_number;
    /// A table that is too wide drops the least important column first; of equals the last.
    int importance = needed;
  };
  /// Of a wanted column texts are cut further before it goes, a needed one goes only when they cannot be, an
  /// essential one last.
  static constexpr int wanted = 900, needed = 1000, essential = needed + 1;
  std::string caption = {};  // what is the same in all rows
  std::vector<Column> columns = {};
  std::vector<std::vector<std::string>> rows = {};
  std::vector<std::string> notes = {};    // "[1]" in a row is the first
  std::vector<std::string> remarks = {};  // sentences under it
};

/// The mark of a note, " [2]"; the note is added unless it is there.
std::string note(const std::string& text, std::vector<std::string>& notes);

inline constexpr const char* outcome_heading = "outcome";

inline constexpr int default_width = 140;

/// Width of tables for readers in characters; 0: any.
struct TableWidth {
  int in_files = default_width;
  bool is_asked = false;  // by --width

  /// Of what is printed: where nobody asked for a width, that of the terminal which standard output is, if it
  /// is one.
  int printed() const;
};

/// Fits the table into `width` characters; 0: any width. First long texts are shortened in their middle, each
/// with a note of the whole text, and columns below `wanted` are dropped, the least important first, with a
/// remark that names them; then texts are shortened further, and wanted and needed columns dropped. Numbers
/// are never shortened, and two columns always stay.
/// `elsewhere`: where those columns are besides.
Table fit(Table table, std::size_t width,
          const std::string& elsewhere = "--width 0 shows these columns, too.");

/// For a terminal. Long headings take several lines, as few as fit into `width`. Caption, notes and remarks
/// are wrapped at `width`, 0: not at all; rows may be wider (fit). `color` highlights outcomes
/// other than passed.
std::string aligned(const Table& table, bool color, std::size_t width = 0);

/// A text in a line of Markdown, printable and without what is HTML, a link or the target of one there.
std::string markdown_text(const std::string& text);
/// As Markdown; all of its texts are escaped.
std::string markdown(const Table& table);

/// As CSV with a header.
std::string comma_separated(const Table& table);
/// A field of CSV, quoted where it must be (RFC 4180); its controls are written out but for line breaks,
/// which are data there.
std::string quoted_field(const std::string& text);

}  // namespace redbench
