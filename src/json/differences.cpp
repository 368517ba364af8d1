#include "src/json/differences.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "src/json/node.hpp"

namespace redbench {
namespace {

/// "/experiments/0/axes" -> "experiments[0].axes"
std::string place_of(std::string pointer) {
  static const RE2 number("/([0-9]+)");
  RE2::GlobalReplace(&pointer, number, "[\\1]");
  std::ranges::replace(pointer, '/', '.');
  RE2::GlobalReplace(&pointer, "~1", "/");
  return pointer.starts_with('.') ? pointer.substr(1) : pointer;
}

}  // namespace

std::string differences(const Json& first, const Json& second, const NamesOfTwo& names) {
  constexpr std::size_t most = 3;
  std::vector<std::string> found;
  const Json patch = Json::diff(first, second);
  for (const Json& step : patch) {
    if (found.size() == most) break;
    const std::string path = step["path"];
    const Json::json_pointer pointer(path);
    const bool was = step["op"] != "add", is = step["op"] != "remove";
    found.push_back(fmt::format("{} is {} {}, {} {}", place_of(path),
                                was ? shortened(first.at(pointer)) : "nothing", names.first,
                                is ? shortened(step["value"]) : "nothing", names.second));
  }
  if (patch.size() > most) found.push_back(fmt::format("and {} more", patch.size() - most));
  return fmt::format("{}", fmt::join(found, "; "));
}

}  // namespace redbench
