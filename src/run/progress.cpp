#include "src/run/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/error.hpp"
#include "src/printable.hpp"
#include "src/records/record.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

constexpr double redraw_s = 0.2;
constexpr std::size_t no_limit = 10'000;

/// A path; empty: no timeline.
std::string timeline_path() {
  const char* const path = std::getenv("REDBENCH_TIMELINE");
  return path ? path : "";
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
  const std::string text = fmt::format("[{:.<{}}]  {} of {} cases, {} left  ", std::string(filled, '#'), bar,
                                       state.done, state.all, rough_duration(state.left));
  constexpr std::size_t least = 3;  // characters of what is running
  return text.size() + least > width ? text.substr(0, width)
                                     : text + shortened(printable(state.what), width - text.size());
}

double log_pause(double seconds) { return std::max(10.0, seconds / 10); }

Progress::Progress(bool shown, const Plan& plan, std::map<std::size_t, CellCost> cells, std::size_t records,
                   int processes)
    : shown_(shown),
      terminal_(takes_control_bytes(STDERR_FILENO)),
      plan_(plan),
      time_left_(cells, processes) {
  state_.all = records;
  if (terminal_) last_ = -redraw_s;  // there is a line from the start
  if (!timeline_path().empty())
    timeline_ = {{"processes", processes}, {"cells", costs_json(cells)}, {"events", Json::array()}};
}

Progress::~Progress() {
  if (line_is_up_) fmt::print(stderr, "\r\033[K");
  if (timeline_.is_null()) return;
  try {
    write_file(timeline_path(), timeline_.dump() + '\n');
  } catch (const UsageError& error) {
    fmt::print(stderr, "REDBENCH_TIMELINE: {}\n", error.what());  // the run itself is fine
  }
}

void Progress::note(const char* event, std::size_t cell, std::size_t number) {
  if (!timeline_.is_null())
    timeline_["events"].push_back({std::round(now() * 1e4) / 1e4, event, cell, number});
}

void Progress::began(std::size_t cell) {
  note("began", cell);
  time_left_.began(cell, now());
  const Cell& of = plan_.cells[cell % plan_.cells.size()];
  state_.what = fmt::format("inputs of {} n={}", of.problem->name, of.input.n);
  show();
}

void Progress::running(std::size_t cell, std::size_t number) {
  if (time_left_.running(cell, number, now())) note("running", cell, number);
  state_.what = plan_.cells[cell % plan_.cells.size()].cases[number].key();
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
  else fmt::print(stderr, "{}\n", progress_line(state_, no_limit));
  std::fflush(stderr);
  line_is_up_ = terminal_;
}

}  // namespace redbench
