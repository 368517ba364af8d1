#include "src/run/progress.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/plan/cost.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"

namespace redbench {

double seconds_left(double left_s, double done_s, double taken_s, double since_s) {
  // As if so much had taken as long as planned: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  return std::max(0.0, left_s * (taken_s + doubt_s) / (done_s + doubt_s) - since_s);
}

std::string progress_line(const ProgressState& state, std::size_t width) {
  const double whole = state.seconds + state.left;
  const double silence = std::min(10.0, state.limit / 2);  // a slow machine is silent for a few seconds
  const std::string left =
      state.silent == 0 || state.silent < silence
          ? rough_duration(state.left) + " left"
          : fmt::format("no sign of life for {:.0f} s, stopped after {:.0f} s", state.silent, state.limit);
  const std::string text =
      fmt::format("{}  {} of {} cases, {}  ", progress_bar(whole > 0 ? state.seconds / whole : 0), state.done,
                  state.all, left);
  constexpr std::size_t least = 3;  // characters of what is running
  return text.size() + least > width ? text.substr(0, width)
                                     : text + shortened(printable(state.what), width - text.size());
}

Progress::Progress(bool shown, const Plan& plan, double planned_s, std::size_t cases, int processes)
    : shown_(shown), plan_(plan), left_s_(planned_s), processes_(processes) {
  state_.all = cases;
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
  last_end_ = line_.seconds();
}

void Progress::count_case() {
  ++state_.done;
  show();
}

void Progress::show(double silent_s, double limit_s) {
  if (!shown_ || !line_.is_due()) return;
  state_.seconds = line_.seconds();
  state_.left = seconds_left(left_s_ / processes_, done_s_, taken_s_, state_.seconds - last_end_);
  state_.silent = silent_s;
  state_.limit = limit_s;
  line_.draw(progress_line(state_, line_.width()));
}

}  // namespace redbench
