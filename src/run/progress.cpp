#include "src/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/records/record.hpp"

namespace redbench {
namespace {

constexpr double redraw_s = 0.2;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Whether a line on the error stream can be redrawn. Where TERM or NO_COLOR ask for plain text, it is a log.
bool is_terminal() {
  return ::isatty(STDERR_FILENO) && environment("TERM") != "dumb" && environment("NO_COLOR").empty();
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

Json costs_json(const std::map<std::size_t, CellCost>& cells) {
  Json all = Json::array();
  for (const auto& [cell, cost] : cells) {
    Json parts = Json::array();
    for (const CostPart& part : cost.parts) parts.push_back({part.kind, part.of, part.seconds});
    all.push_back({{"cell", cell}, {"parts", parts}, {"part_of_case", cost.part_of_case}});
  }
  return all;
}

}  // namespace

std::string progress_line(const ProgressState& state, std::size_t width) {
  constexpr std::size_t bar = 24;
  const double whole = state.seconds + state.left;
  const auto filled = std::min(bar, std::size_t(whole > 0 ? double(bar) * state.seconds / whole : 0));
  const std::string text = fmt::format("[{:.<{}}]  {} of {} cases, {} left  {}", std::string(filled, '#'),
                                       bar, state.done, state.all, rough_duration(state.left), state.what);
  return text.substr(0, width);
}

double log_pause(double seconds) { return std::max(10.0, seconds / 10); }

Progress::Progress(bool shown, const Plan& plan, std::map<std::size_t, CellCost> cells, std::size_t records,
                   int processes)
    : shown_(shown), terminal_(is_terminal()), plan_(plan), time_left_(cells, processes) {
  state_.all = records;
  if (!environment("REDBENCH_TIMELINE").empty())
    timeline_ = {{"processes", processes}, {"cells", costs_json(cells)}, {"events", Json::array()}};
}

Progress::~Progress() {
  if (line_is_up_) fmt::print(stderr, "\r\033[K");
  if (!timeline_.is_null()) write_file(environment("REDBENCH_TIMELINE"), timeline_.dump() + '\n');
}

void Progress::note(const char* event, std::size_t cell, std::size_t number) {
  if (!timeline_.is_null())
    timeline_["events"].push_back({std::round(now() * 1e4) / 1e4, event, cell, number});
}

void Progress::began(std::size_t cell) {
  note("began", cell);
  time_left_.began(cell, now());
  const Cell& of = plan_.cells[cell];
  state_.what = fmt::format("inputs of {} n={}", of.problem->name, of.input.n);
  show();
}

void Progress::running(std::size_t cell, std::size_t number) {
  if (time_left_.running(cell, number, now())) note("running", cell, number);
  state_.what = plan_.cells[cell].cases[number].key();
  show();
}

void Progress::ended(std::size_t cell) {
  note("ended", cell);
  time_left_.ended(cell, now());
}

void Progress::finished() {
  ++state_.done;
  show();
}

void Progress::show() {
  if (!shown_) return;
  state_.seconds = now();
  if (state_.seconds - last_ < (terminal_ ? redraw_s : log_pause(last_))) return;
  last_ = state_.seconds;
  state_.left = time_left_.seconds(state_.seconds);
  if (terminal_) fmt::print(stderr, "\r\033[K{}", progress_line(state_, terminal_width() - 1));
  else fmt::print(stderr, "{}\n", progress_line(state_, std::string::npos));
  std::fflush(stderr);
  line_is_up_ = terminal_;
}

}  // namespace redbench
