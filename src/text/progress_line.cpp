#include "src/text/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "src/text/printable.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

constexpr double redraw_s = 0.2, log_s = 10;
constexpr std::size_t no_limit = 10'000;

bool line_is_up = false;

}  // namespace

ProgressLine::ProgressLine(double first_s)
    : terminal_(takes_control_bytes(STDERR_FILENO)), next_(terminal_ ? first_s : log_s) {}

ProgressLine::~ProgressLine() { clear(); }

std::size_t ProgressLine::width() const { return terminal_ ? terminal_width(STDERR_FILENO) - 1 : no_limit; }

void ProgressLine::draw(const std::string& text) {
  next_ = seconds() + (terminal_ ? redraw_s : std::max(log_s, seconds() / 10));
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\033[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
  line_is_up = terminal_;
}

void ProgressLine::clear() {
  if (std::exchange(line_is_up, false)) fmt::print(stderr, "\r\033[K");
}

std::string progress_bar(double share) {
  constexpr std::size_t bar = 24;
  const auto filled = std::min(bar, std::size_t(std::max(0.0, double(bar) * share)));
  return fmt::format("[{:.<{}}]", std::string(filled, '#'), bar);
}

Steps::Steps(std::string what, double all) : what_(printable(what)), all_(all), line_(1) {}

void Steps::done(double so_far) {
  if (!line_.is_due()) return;
  const double share = all_ > 0 ? so_far / all_ : 0;
  std::string text = fmt::format("{}  {:.0f} %  {}", progress_bar(share), 100 * share, what_);
  line_.draw(text.substr(0, line_.width()));
}

}  // namespace redbench
