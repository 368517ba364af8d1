#include "src/text/natural_order.hpp"

#include <cctype>

namespace redbench {

bool natural_less(std::string_view a, std::string_view b) {
  const auto digit = [](std::string_view s, std::size_t i) {
    return i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0;
  };
  const auto number = [&](std::string_view s, std::size_t& i) {
    const std::size_t start = i;
    while (digit(s, i)) ++i;
    return s.substr(start, i - start);
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const std::string_view x = number(a, i), y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace redbench
