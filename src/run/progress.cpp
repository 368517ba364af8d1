#include "src/run/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

namespace redbench {
namespace {

std::string time_to_go(double seconds) {
  const long whole = std::lround(seconds);
  return whole < 60 ? fmt::format("{} s to go", whole)
                    : fmt::format("{} min {} s to go", whole / 60, whole % 60);
}

}  // namespace

Progress::Progress(bool shown, std::size_t cells, std::size_t records)
    : shown_(shown), terminal_(::isatty(STDERR_FILENO)), cells_(cells), records_(records), last_(start_) {}

Progress::~Progress() {
  if (line_is_up_) fmt::print(stderr, "\r\033[K");
}

void Progress::finished(std::size_t cell, const std::string& what) {
  ++done_;
  if (!shown_) return;
  // A terminal is redrawn ten times a second at most; a log gets a line each ten seconds, and the last.
  const auto now = Clock::now();
  const std::chrono::milliseconds pause(terminal_ ? 100 : 10'000);
  if (now - last_ < pause && done_ < records_) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string text = fmt::format("cell {} of {}, case {} of {}, {}", cell + 1, cells_, done_, records_,
                                       time_to_go(seconds / double(done_) * double(records_ - done_)));
  if (terminal_) fmt::print(stderr, "\r\033[K{}  {}", text, what);
  else fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
  line_is_up_ = terminal_;
}

}  // namespace redbench
