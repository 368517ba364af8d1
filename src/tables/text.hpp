// Text on lines of a width, counted in characters and not in bytes: "µs" has two.
#pragma once

#include <string>
#include <vector>

namespace redbench {

/// Whether a descriptor is a terminal that may be sent more than text: not where TERM is dumb or NO_COLOR is
/// set.
bool takes_control_bytes(int descriptor);

std::size_t width_of(const std::string& text);

/// With spaces to a width, before the text (`right`) or after it.
std::string padded(const std::string& text, std::size_t to, bool right);

std::vector<std::string> words_of(const std::string& text);

/// Words on lines of at most `most` characters, or of one word that is longer.
std::vector<std::string> lines_of(const std::string& text, std::size_t most);

/// A paragraph, made printable (src/printable.hpp), on lines of at most `width` characters, 0: on one; words
/// that are longer are cut. `indent` is before all lines but the first. Ends with a line break.
std::string paragraph(const std::string& text, std::size_t width, const std::string& indent = {});

/// The first and the last characters of a text, at most `most` in all, around an ellipsis; `most` >= 3.
std::string shortened(const std::string& text, std::size_t most);

}  // namespace redbench
