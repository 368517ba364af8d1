#include "src/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "src/build_facts.hpp"
#include "src/config/tuned.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/plan/plan.hpp"
#include "src/plugins/build.hpp"
#include "src/records/folder_lock.hpp"
#include "src/records/output_file.hpp"
#include "src/tables/tables.hpp"
#include "src/text/number.hpp"
#include "src/text/printable.hpp"
#include "src/text/sha256.hpp"
#include "src/tune/search.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::map<std::string, Index>& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, " "));
}

Table table_of(const std::vector<Search>& searches) {
  Table table;
  table.columns = {
      {"variant", false},  {"n", true},          {"m", true},           {"type", false},
      {"operator", false}, {"candidates", true}, {"parameters", false}, {"tuned / printed", true},
      {"verdict", false}};
  for (const Search& search : searches) {
    const TunedPoint& at = search.point;
    const Json ratio = part_of(at.found, "ratio");
    table.rows.push_back({at.variant, format_size(at.n), format_size(at.m), at.type, at.op,
                          std::to_string(search.tried), text_of(at.parameters),
                          ratio.is_null() ? ""
                                          : fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio[1].get<double>(),
                                                        ratio[0].get<double>(), ratio[2].get<double>()),
                          at.found["verdict"]});
  }
  return table;
}

void print_plan(const PlannedSearches& planned, std::size_t width) {
  Table table;
  table.columns = {{"variant", false}, {"n", true},         {"m", true},
                   {"type", false},    {"operator", false}, {"candidates", true}};
  for (const Search& search : planned.searches) {
    const TunedPoint& at = search.point;
    table.rows.push_back(
        {at.variant, format_size(at.n), format_size(at.m), at.type, at.op, std::to_string(search.tried)});
  }
  fmt::print("{}\n", aligned(fit(table, width), false, width));
  if (planned.seconds > 0) fmt::print("about {:.0f} s\n", std::ceil(planned.seconds));
}

void print_left(const Searches& all) {
  const auto key = [](const Search& search) { return key_of(search.point); };
  const bool has_results = std::ranges::find(all.done, key(all.left[0]), key) != all.done.end();
  fmt::print(stderr, "{}; the same command {} the {} points that are left:\n", all.why_left,
             has_results ? "tries more candidates of" : "goes on with", all.left.size());
  for (const Search& search : all.left) {
    std::string text = search.variant->name;
    for (const auto& [name, value] : search.input.items())
      text += fmt::format(" {}={}", name, axis_text(value));
    fmt::print(stderr, "  {}\n", printable(text));
  }
}

/// Of this process alone; is removed where no round has begun.
class SearchFolder {
 public:
  explicit SearchFolder(fs::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw UsageError(folder_.string() + ": " + error.message());
    lock_.emplace(folder_);
  }
  SearchFolder(const SearchFolder&) = delete;
  SearchFolder& operator=(const SearchFolder&) = delete;
  ~SearchFolder() {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
      if (entry.is_directory(error)) return;
    fs::remove_all(folder_, error);
  }

 private:
  const fs::path folder_;
  std::optional<FolderLock> lock_ = {};
};

/// The folder of a file that is written last. What was made for it goes again where it stays empty.
class FolderOfFile {
 public:
  explicit FolderOfFile(const fs::path& folder) {
    std::error_code error;
    for (fs::path part = folder; !part.empty() && !fs::exists(part, error); part = part.parent_path())
      made_.push_back(part);
    fs::create_directories(folder, error);
  }
  FolderOfFile(const FolderOfFile&) = delete;
  FolderOfFile& operator=(const FolderOfFile&) = delete;
  ~FolderOfFile() {
    std::error_code error;
    for (const fs::path& part : made_) fs::remove(part, error);
  }

 private:
  std::vector<fs::path> made_ = {};  // the deepest first
};

/// As standard output: written to, but never read.
bool is_stream(const std::string& path) {
  std::error_code error;
  return fs::is_character_file(path, error) || fs::is_fifo(path, error) || fs::is_socket(path, error);
}

/// The points of a file that is there, with those of the searches in place of the same ones.
Tuned merged(const std::string& path, const std::string& hardware, const std::vector<Search>& searches) {
  Tuned all{path, hardware, {}, {}};
  if (std::error_code error; fs::exists(path, error) && !is_stream(path)) all = read_tuned(path);
  if (all.hardware != hardware)
    throw UsageError(fmt::format("{}: is of {}; this is {}", path, all.hardware, hardware));
  for (const Search& search : searches) {
    if (!search.untimed.empty() || search.keeps_file) continue;
    std::erase_if(all.points, [&](const TunedPoint& point) { return key_of(point) == key_of(search.point); });
    all.points.push_back(search.point);
  }
  return all;
}

}  // namespace

double duration_of(const std::string& flag, const std::string& text) {
  const std::map<char, double> units{{'s', 1}, {'m', 60}, {'h', 3600}};
  const auto unit = text.empty() ? units.end() : units.find(text.back());
  const auto number = parse_number<double>(text.substr(0, text.size() - (unit != units.end())));
  if (unit == units.end() || !number || !(*number > 0))
    throw UsageError(fmt::format("{} {}: a duration is expected, as 90s, 5m or 1h", flag, text));
  return *number * unit->second;
}

int tune(const TuneOptions& options) {
  OpenDevices open(options.request.device);
  if (open.kernels->target() == Target::simt && !options.dry_run)
    throw UsageError("redbench tune: a modelled device has no times; -d cuda, or -d host for CPU algorithms");
  const std::string out = options.out.empty() ? "tuned/" + open.kernels->slug() + ".json" : options.out;
  const std::vector<TunedPoint> there = merged(out, open.kernels->facts().name, {}).points;
  const auto width = std::size_t(options.width.printed());
  const fs::path parent = fs::path(out).parent_path();
  const FolderOfFile made(options.dry_run ? fs::path() : parent);
  const OutputFile file("--out", out, options.dry_run ? parent : fs::path());

  std::string asked = open.kernels->facts().name + fs::absolute(out).string() + build_commit +
                      options.request.overrides.variants;
  for (const auto* list :
       {&options.subjects, &options.request.overrides.axes, &options.request.overrides.sets})
    for (const std::string& text : *list) asked += '\n' + text;
  const fs::path folder = plugin_cache() / "tune" / sha256(asked).substr(0, 16);
  const SearchFolder kept(folder);

  if (options.dry_run) {
    print_plan(plan_searches(options, open, folder, there), width);
    return exit_fine;
  }
  const auto points_with = [&](const std::vector<Search>& done) {
    return merged(out, open.kernels->facts().name, done);
  };
  const auto write_points = [&](const std::vector<Search>& done) {
    const Tuned points = points_with(done);
    if (!points.points.empty()) file.write(text_of(points));
    return points.points.size();
  };
  const Searches all = run_searches(options, open, folder, there, [&](const std::vector<Search>& done) {
    if (!done.empty() && !is_stream(out)) write_points(done);
  });
  if (!all.done.empty())
    fmt::print("{}\n{} points are in {}\n", aligned(fit(table_of(all.done), width), false, width),
               is_stream(out) ? write_points(all.done) : points_with({}).points.size(), printable(out));
  if (all.code == exit_interrupted) {
    print_left(all);
    return all.code;
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (all.code == exit_wrong)
    fmt::print("results of some candidates were wrong: redbench verify -d {}\n", open.kernels->name());
  const bool has_time =
      std::ranges::any_of(all.done, [](const Search& search) { return search.untimed.empty(); });
  return has_time ? all.code : int(exit_failed);
}

}  // namespace redbench
