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

double seconds_left(double left_s, double done_s, double taken_s, double since_s) {
  // As if so much had taken as long as planned: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  return std::max(0.0, left_s * (taken_s + doubt_s) / (done_s + doubt_s) - since_s);
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

Progress::Progress(bool shown, const Plan& plan, double planned_s, std::size_t cases, int processes)
    : shown_(shown),
      terminal_(takes_control_bytes(STDERR_FILENO)),
      plan_(plan),
      left_s_(planned_s),
      processes_(processes) {
  state_.all = cases;
  if (terminal_) last_ = -redraw_s;  // there is a line from the start
}

Progress::~Progress() {
  if (line_is_up_) fmt::print(stderr, "\r\033[K");
}

void Progress::making_inputs(std::size_t cell) {
  const Cell& of = plan_.cells[cell];
  state_.what = fmt::format("inputs of {} n={}", of.problem->name, of.input.n);
  show();
}

void Progress::running(std::size_t cell, std::size_t number) {
  state_.what = plan_.cells[cell].cases[number].key();
  show();
}

void Progress::ended(double planned_s, double taken_s) {
  left_s_ -= planned_s;
  done_s_ += planned_s;
  taken_s_ += taken_s;
  last_end_ = now();
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
  state_.left = seconds_left(left_s_ / processes_, done_s_, taken_s_, state_.seconds - last_end_);
  if (terminal_) fmt::print(stderr, "\r\033[K{}", progress_line(state_, terminal_width() - 1));
  else fmt::print(stderr, "{}\n", progress_line(state_, no_limit));
  std::fflush(stderr);
  line_is_up_ = terminal_;
}

}  // namespace redbench
