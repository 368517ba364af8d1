// Wrapping of text. Widths are in characters, not bytes: "µs" has two.
#pragma once

#include <string>
#include <vector>

namespace redbench {

/// Each line that is wider than `width`, 0: none, wrapped under its last column, which two blanks or more
/// separate from what is before it; where there are none, or too little room, four characters in. A width
/// below 40 counts as 40.
std::string wrapped(const std::string& text, std::size_t width);
/// Prints a text wrapped to the terminal that standard output is, or as it is.
void print_wrapped(const std::string& text);

std::size_t width_of(const std::string& text);

/// Pads with spaces to a width, on the left (`right`-aligned) or on the right.
std::string padded(const std::string& text, std::size_t to, bool right);

std::vector<std::string> words_of(const std::string& text);

/// Wraps words into lines of at most `most` characters; a longer word has its own line.
std::vector<std::string> lines_of(const std::string& text, std::size_t most);

/// Wraps a text, made printable (src/text/printable.hpp), at `width` characters, 0: not at all; longer words
/// are cut. `indent` is before all lines but the first. Ends with a line break.
std::string paragraph(const std::string& text, std::size_t width, const std::string& indent = {});

/// The first and last characters of a text around an ellipsis, at most `most` >= 3 in all.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace redbench
