// What a message says of a name that is not there: the nearest of those that are, and which are allowed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redbench {

/// The candidate nearest to `word` by edit distance; none where none is near.
std::optional<std::string> nearest_of(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean `name`?"
std::string did_you_mean(const std::string& name);

/// The same of the nearest candidate, or empty where none is near.
std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b or c", each in back quotes.
std::string alternatives(const std::vector<std::string>& words);

}  // namespace redbench
