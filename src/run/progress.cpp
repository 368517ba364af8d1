#include "src/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "src/plan/cost.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

constexpr double redraw_s = 0.2;
constexpr std::size_t no_limit = 10'000;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

TimeLeft::TimeLeft(std::map<std::size_t, double> cells, int processes)
    : expected_(std::move(cells)), processes_(processes) {}

void TimeLeft::ended(std::size_t cell, double now) {
  done_expected_ += expected_.at(cell);
  done_taken_ += now - begun_.at(cell);
  expected_.erase(cell);
  begun_.erase(cell);
}

double TimeLeft::seconds(double now) const {
  if (expected_.empty()) return 0;
  // As if so much had taken as long as expected: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  const double pace = (done_taken_ + doubt_s) / (done_expected_ + doubt_s);
  double left = 0;
  for (const auto& [cell, expected] : expected_) {
    const auto begun = begun_.find(cell);
    left += std::max(0.0, expected * pace - (begun == begun_.end() ? 0 : now - begun->second));
  }
  return left / double(std::min(std::size_t(processes_), expected_.size()));
}

std::string progress_line(const ProgressState& state, std::size_t width) {
  constexpr std::size_t bar = 24;
  const double whole = state.seconds + state.left;
  const auto filled = std::min(bar, std::size_t(whole > 0 ? double(bar) * state.seconds / whole : 0));
  const std::string text = fmt::format("[{:.<{}}]  {} of {} cases, {} left  ", std::string(filled, '#'), bar,
                                       state.done, state.all, rough_duration(state.left));
  constexpr std::size_t least = 3;  // characters of what is running
  return text.size() + least > width ? text.substr(0, width)
                                     : text + shortened(printable(state.what), width - text.size());
}

Progress::Progress(bool shown, const Plan& plan, std::map<std::size_t, double> cells, std::size_t cases,
                   int processes)
    : shown_(shown),
      terminal_(takes_control_bytes(STDERR_FILENO)),
      plan_(plan),
      time_left_(std::move(cells), processes) {
  state_.all = cases;
  if (terminal_) last_ = -redraw_s;  // there is a line from the start
}

Progress::~Progress() {
  if (line_is_up_) fmt::print(stderr, "\r\033[K");
}

void Progress::began(std::size_t cell) {
  time_left_.began(cell, now());
  const Cell& of = plan_.cells[cell % plan_.cells.size()];
  state_.what = fmt::format("inputs of {} n={}", of.problem->name, of.input.n);
  show();
}

void Progress::running(std::size_t cell, std::size_t number) {
  state_.what = plan_.cells[cell % plan_.cells.size()].cases[number].key();
  show();
}

void Progress::count_case() {
  ++state_.done;
  show();
}

void Progress::show() {
  if (!shown_) return;
  state_.seconds = now();
  // In a log the next line comes after a tenth of the run so far.
  if (state_.seconds - last_ < (terminal_ ? redraw_s : std::max(10.0, last_ / 10))) return;
  last_ = state_.seconds;
  state_.left = time_left_.seconds(state_.seconds);
  if (terminal_) fmt::print(stderr, "\r\033[K{}", progress_line(state_, terminal_width() - 1));
  else fmt::print(stderr, "{}\n", progress_line(state_, no_limit));
  std::fflush(stderr);
  line_is_up_ = terminal_;
}

}  // namespace redbench
