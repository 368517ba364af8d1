// The plan as a table for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/plan/cost.hpp"
#include "src/text/counted.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

std::string format_bytes(std::size_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

/// One text per launch, in order; a single one where they are all the same and `merge` allows.
template <class Text>
std::string per_launch(const Footprint& footprint, bool merge, const Text& text) {
  constexpr std::size_t most = 6;
  if (footprint.launches.empty()) return footprint.library_calls.empty() ? "-" : "library";
  std::vector<std::string> parts;
  for (const LaunchFacts& launch : footprint.launches) parts.push_back(text(launch));
  if (merge && std::size_t(std::ranges::count(parts, parts[0])) == parts.size()) parts.resize(1);
  const bool cut = parts.size() > most;
  if (cut) parts.resize(most);
  return fmt::format("{}{}{}", fmt::join(parts, ", "), cut ? ", ..." : "",
                     footprint.library_calls.empty() ? "" : ", library");
}

std::string format_parameters(const Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) parts.push_back(fmt::format("{}={}", name, value));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, " "));
}

/// The problem's own axes that any cell of the plan has, in order of appearance.
std::vector<std::string> axis_columns(const Plan& plan) {
  std::vector<std::string> names;
  for (const Cell& cell : plan.cells)
    for (const auto& [name, value] : cell.input.axes.items())
      if (!std::ranges::count(names, name)) names.push_back(name);
  return names;
}

struct Row {
  std::vector<std::string> texts;  // a column each
  std::string refusal;             // in place of the columns that follow
};

Row make_row(const Case& c, const std::vector<std::string>& axes) {
  Row row;
  row.texts = {c.variant->name, format_size(c.input.n), std::string(name_of(c.input.type)),
               std::string(name_of(c.input.op))};
  for (const std::string& axis : axes)
    row.texts.push_back(c.input.axes.contains(axis) ? printable(axis_text(c.input.axes[axis])) : "-");
  row.texts.push_back(format_parameters(c.parameters) + (c.tuned ? " (tuned)" : ""));
  row.refusal = printable(c.refusal);
  if (!c.refusal.empty()) return row;
  const Footprint& f = c.footprint;
  using L = const LaunchFacts&;
  row.texts.push_back(per_launch(f, false, [](L l) { return std::to_string(l.grid.blocks); }));
  row.texts.push_back(per_launch(f, true, [](L l) { return std::to_string(l.grid.threads); }));
  row.texts.push_back(
      per_launch(f, true, [](L l) { return std::to_string(l.grid.shared_bytes + l.static_shared_bytes); }));
  row.texts.push_back(per_launch(f, true, [](L l) { return fmt::format("{:.0f} %", 100 * l.occupancy); }));
  row.texts.push_back(format_bytes(f.scratch_bytes()));
  row.texts.push_back(format_bytes(c.device_bytes()));
  return row;
}

/// Of a row that is too wide these go first, then the end of the widest axis. Refusals are cut.
constexpr std::array dispensable{"occupancy", "shared", "threads", "scratch", "blocks", "parameters"};
constexpr std::size_t before_axes = 4, after_axes = 7;  // columns
constexpr std::size_t least_axis = 8;                   // characters

std::string cut(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string format_rows(const std::vector<std::string>& header, const std::vector<Row>& rows,
                        std::size_t most) {
  std::vector<std::size_t> widths(header.size());
  for (std::size_t i = 0; i < header.size(); ++i) widths[i] = header[i].size();
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.texts.size(); ++i) widths[i] = std::max(widths[i], row.texts[i].size());
  std::size_t whole = 0;
  for (const std::size_t width : widths) whole += width + 2;
  for (const char* name : dispensable) {
    if (most == 0 || whole <= most + 2) break;
    std::size_t& width = widths[std::size_t(std::ranges::find(header, name) - header.begin())];
    whole -= width + 2;
    width = 0;
  }
  const auto axis = std::max_element(widths.begin() + before_axes, widths.end() - after_axes);
  if (most > 0 && whole > most + 2) *axis -= std::min(whole - most - 2, *axis - std::min(*axis, least_axis));
  const auto line = [&](const std::vector<std::string>& texts, const std::string& refusal) {
    std::string text;
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (widths[i] > 0) text += fmt::format("{:<{}}  ", cut(texts[i], widths[i]), widths[i]);
    if (!refusal.empty()) text += "refused: " + refusal;
    text.erase(text.find_last_not_of(' ') + 1);
    return cut(text, most > 0 ? most : text.size()) + "\n";
  };
  std::string table = line(header, {});
  for (const Row& row : rows) table += line(row.texts, row.refusal);
  return table;
}

}  // namespace

std::string format_plan(const Plan& plan, double seconds, std::size_t width) {
  const std::vector<std::string> axes = axis_columns(plan);
  std::vector<std::string> header{"variant", "n", "type", "operator"};
  header.insert(header.end(), axes.begin(), axes.end());
  for (const char* name : {"parameters", "blocks", "threads", "shared", "occupancy", "scratch", "memory"})
    header.push_back(name);
  std::vector<Row> rows;
  for (const Cell& cell : plan.cells)
    for (const Case& c : cell.cases) rows.push_back(make_row(c, axes));
  return format_rows(header, rows, width) +
         fmt::format("{} in {}, {} refused; at most {} of device memory; {}\n", counted(plan.cases(), "case"),
                     counted(plan.cells.size(), "cell"), plan.cases() - plan.runnable(),
                     format_bytes(plan.peak_bytes()),
                     (seconds < 1 ? "" : "about ") + rough_duration(seconds));
}

}  // namespace redbench
