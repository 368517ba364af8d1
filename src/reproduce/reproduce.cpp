#include "src/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <span>

#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/plan/cost.hpp"
#include "src/reproduce/figure.hpp"
#include "src/reproduce/follow_ups.hpp"
#include "src/run/recording.hpp"
#include "src/shell.hpp"
#include "src/simt/model.hpp"
#include "src/tables/run_tables.hpp"
#include "src/tables/text.hpp"
#include "src/text/counted.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

/// What became of a figure.
struct Outcomes {
  bool is_made = false;
  std::size_t passed = 0, refused = 0, others = 0, shared = 0;
  double seconds = 0;
  int code = exit_fine;
  std::string note = {};
};

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t count_of(const std::vector<Record>& records, Outcome outcome) {
  return std::size_t(std::ranges::count_if(
      records, [&](const Record& record) { return record["outcome"] == name_of(outcome); }));
}

/// The records of a figure, and its tables.
Outcomes make(const Figure& figure, const Destination& to, std::vector<StoredRun>& runs, bool shown) {
  const Work work = work_of(figure);
  check_runnable(work);
  Recording recording(work, to, runs);
  const std::vector<PublishedNumber> published = published_for(recording.name());
  const bool complete = recording.make(shown);
  runs.push_back(read_stored_run(recording.folder()));
  const StoredRun& run = runs.back();
  Outcomes outcomes{.is_made = true, .shared = recording.shared(), .code = exit_code_of(run.records)};
  outcomes.passed = count_of(run.records, Outcome::passed);
  outcomes.refused = count_of(run.records, Outcome::unsupported);
  outcomes.others = run.records.size() - outcomes.passed - outcomes.refused;
  if (!complete) outcomes.code = exit_interrupted;
  else write_tables(run, published);
  return outcomes;
}

/// A figure whose config or folder is wrong is not made, and does not stop the others.
Outcomes tried(const Figure& figure, const Destination& to, std::vector<StoredRun>& runs, bool shown) {
  if (!figure.mistake.empty()) return {.code = exit_usage, .note = figure.mistake};
  if (!figure.left.empty()) return {.note = "left out: " + figure.left};
  const double begun = now_s();
  Outcomes outcomes;
  try {
    outcomes = make(figure, to, runs, shown);
  } catch (const UsageError& error) {
    outcomes = {.code = exit_usage, .note = error.what()};
  } catch (const std::exception& error) {
    outcomes = {.code = exit_failed, .note = error.what()};
  }
  outcomes.seconds = now_s() - begun;
  return outcomes;
}

std::string about(double seconds) { return (seconds < 1 ? "" : "about ") + rough_duration(seconds); }

std::string shown_count(std::size_t count) { return count ? std::to_string(count) : ""; }

std::string seconds_text(double seconds) {
  return seconds > 0 ? fmt::format("{:.0f}", std::ceil(seconds)) : "";
}

Table planned_table(const std::vector<Figure>& figures) {
  Table table{.columns = {{"config", false},
                          {"cases", true},
                          {"refused", true},
                          {"shared", true},
                          {"time (s)", true},
                          {"note", false, 1}}};
  for (const Figure& figure : figures) {
    const std::string note = !figure.mistake.empty() ? figure.mistake
                             : !figure.left.empty()  ? "left out: " + figure.left
                                                     : "";
    table.rows.push_back({printable(figure.name), shown_count(figure.cases), shown_count(figure.refused),
                          shown_count(figure.shared), seconds_text(figure.seconds), printable(note)});
  }
  return table;
}

Table made_table(const std::vector<Figure>& figures, const std::vector<Outcomes>& outcomes) {
  Table table{.columns = {{"config", false},
                          {"cases", true},
                          {"passed", true},
                          {"not passed", true},
                          {"refused", true},
                          {"shared", true},
                          {"time (s)", true},
                          {"exit code", true},
                          {"note", false, 1}}};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Outcomes& of = outcomes[i];
    table.rows.push_back({printable(figures[i].name), shown_count(of.passed + of.refused + of.others),
                          shown_count(of.passed), shown_count(of.others), shown_count(of.refused),
                          shown_count(of.shared), seconds_text(of.seconds), std::to_string(of.code),
                          printable(of.note)});
  }
  return table;
}

double seconds_of(const std::vector<Figure>& figures) {
  double total = 0;
  for (const Figure& figure : figures) total += figure.seconds;
  return total;
}

int dry_run(const std::vector<Figure>& figures, const std::string& device, const Precision& precision,
            int width) {
  std::size_t cases = 0;
  for (const Figure& figure : figures) cases += figure.cases;
  fmt::print("{}\n{}\n{}\n",
             paragraph(fmt::format("On {}, precision {}: {}.", device, precision.name, precision.what),
                       std::size_t(width)),
             aligned(fit(planned_table(figures), std::size_t(width)), false, std::size_t(width)),
             fmt::format("{}, {}; {}", counted(figures.size(), "config"), counted(cases, "case"),
                         about(seconds_of(figures))));
  const bool has_mistake =
      std::ranges::any_of(figures, [](const Figure& figure) { return !figure.mistake.empty(); });
  return has_mistake ? exit_usage : exit_fine;
}

/// The exit code of each, made at the same time on all cores. After an interruption none is begun: theirs is
/// that code, too.
std::vector<int> codes_of(std::span<const FollowUp> steps, bool quiet) {
  std::vector<int> codes(steps.size(), exit_interrupted);
  std::atomic<bool> interrupted = false;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (interrupted) continue;
    if (!quiet) fmt::print(stderr, "{}\n", printable(steps[i].what));
    codes[i] = status_of(steps[i].command);
    if (codes[i] == exit_interrupted) interrupted = true;
  }
  return codes;
}

/// Gives exit_failed where one failed, however it ended; 130 after the stage that was interrupted.
int make_follow_ups(const std::vector<FollowUp>& steps, bool quiet) {
  int worst = exit_fine;
  for (std::size_t next = 0; next < steps.size() && worst != exit_interrupted;) {
    const std::span<const FollowUp> stage =
        std::ranges::equal_range(std::span(steps).subspan(next), steps[next].stage, {}, &FollowUp::stage);
    const std::vector<int> codes = codes_of(stage, quiet);
    for (std::size_t i = 0; i < stage.size(); ++i) {
      const FollowUp& step = stage[i];
      if (codes[i] == exit_interrupted) {
        worst = exit_interrupted;
      } else if (codes[i] != exit_fine) {
        worst = std::max<int>(worst, exit_failed);
        fmt::print(stderr, "redbench: {} failed with exit code {}; {}: {}\n", printable(step.what), codes[i],
                   step.remedy, printable(step.command));
      } else if (!step.file.empty()) {
        fmt::print("{}: {}\n", printable(step.what), printable(step.file));
      }
    }
    std::fflush(stdout);  // before what the next stage writes to standard error
    next += stage.size();
  }
  return worst;
}

bool is_run(const Figure& figure) { return figure.mistake.empty() && figure.left.empty(); }

struct NamedDevice {
  std::string shown, model, slug;
};

/// A GPU's model is the one of its name, where there is one, else the default.
NamedDevice device_of(const std::string& name) {
  const OpenDevices open(name);
  const Device& device = *open.kernels;
  const std::vector<std::string> models = simt::model_names();
  const bool is_modelled = std::ranges::find(models, device.slug()) != models.end();
  return {fmt::format("{} ({})", device.name(), device.facts().name),
          device.target() == Target::simt ? device.name()
          : is_modelled                   ? "simt:" + device.slug()
                                          : "simt",
          device.slug()};
}

/// As scripts and commands take it: one that begins with a dash would be an option there.
std::string folder_named(const std::string& path) {
  const std::string folder = std::filesystem::path(path).lexically_normal().string();
  return folder.starts_with('-') ? std::filesystem::absolute(folder).string() : folder;
}

constexpr const char* goes_on = "interrupted; the same command goes on\n";

}  // namespace

int reproduce(const ReproduceOptions& options) {
  const std::vector<std::string> papers = papers_of(options.paper);
  const Precision& precision = precision_named(options.precision);
  const auto [device, model, slug] = device_of(options.device);
  const std::string root = folder_named(options.out.empty() ? "results/" + slug : options.out);
  const std::vector<Figure> figures =
      plan_figures(papers, options.device, precision, options.replace ? "" : root, options.shard);
  const bool with_report = !options.no_report && options.shard.empty();
  if (options.dry_run) return dry_run(figures, device, precision, options.width.printed());
  if (const std::string lacks = with_report ? missing_for_scripts() : ""; !lacks.empty())
    throw UsageError(fmt::format("{}, so that neither plots nor reports could be made: {}; or --no-report",
                                 lacks, remedy_for_scripts()));

  // Of a part without a cell, too: redbench merge is given the folders of all parts.
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error)
    throw UsageError(
        fmt::format("{}: cannot be made: {}; choose another folder with --out", root, error.message()));

  std::vector<Outcomes> outcomes(figures.size());
  std::vector<StoredRun> runs;
  double left = seconds_of(figures);
  int worst = exit_fine;
  const auto runs_of = std::ranges::count_if(figures, is_run);
  std::size_t number = 0;
  for (const std::size_t i : widest_first(figures)) {
    const Figure& figure = figures[i];
    if (!options.quiet && is_run(figure))
      fmt::print(stderr, "{} ({} of {}; {} left)\n", printable(figure.name), ++number, runs_of, about(left));
    const Destination to{root + "/" + figure.name, !options.replace, options.replace};
    outcomes[i] = tried(figure, to, runs, !options.quiet);
    left -= figure.seconds;
    worst = std::max(worst, outcomes[i].code);
    if (worst == exit_interrupted) {
      fmt::print(stderr, goes_on);
      return worst;
    }
  }
  std::vector<Figure> made;
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (outcomes[i].is_made) made.push_back(figures[i]);
  if (with_report)
    worst = std::max(worst, make_follow_ups(follow_ups_of(made, papers, root, model), options.quiet));
  if (worst == exit_interrupted) {
    fmt::print(stderr, goes_on);
    return worst;
  }
  const std::size_t width = std::size_t(options.width.printed());
  fmt::print("{}\n", aligned(fit(made_table(figures, outcomes), width), false, width));
  if (!made.empty()) fmt::print("records and tables are in {}\n", printable(root));
  return worst;
}

}  // namespace redbench
