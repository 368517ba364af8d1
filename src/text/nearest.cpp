#include "src/text/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace redbench {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Edits (insert, delete, replace, swap neighbours) from one word to the other, letter case aside.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const bool same = same_letter(from[i - 1], to[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same});
      if (i > 1 && j > 1 && same_letter(from[i - 1], to[j - 2]) && same_letter(from[i - 2], to[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[to.size()];
}

}  // namespace

std::optional<std::string> nearest_of(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 200;  // of a word that may be a slip; what is longer is no name
  if (word.empty() || word.size() > longest) return {};
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least && distance < std::max(word.size(), candidate.size())) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest ? std::optional(*nearest) : std::nullopt;
}

std::string did_you_mean(const std::string& name) { return "; did you mean `" + name + "`?"; }

std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = nearest_of(word, candidates);
  return nearest ? did_you_mean(*nearest) : "";
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += '`' + words[i] + '`';
  }
  return list;
}

}  // namespace redbench
