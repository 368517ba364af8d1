#include "src/records/mistakes.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "src/text/printable.hpp"
#include "src/text/progress_line.hpp"

namespace redbench {
namespace {

std::set<std::string>& reported() {
  static std::set<std::string> sentences;
  return sentences;
}

}  // namespace

void report_mistake(const std::string& sentence) {
  if (!reported().insert(sentence).second) return;
  std::fflush(stdout);
  ProgressLine::clear();
  fmt::print(stderr, "redbench: {}\n", printable(sentence));
}

bool has_reported_mistakes() { return !reported().empty(); }

}  // namespace redbench
