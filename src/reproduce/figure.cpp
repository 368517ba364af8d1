#include "src/reproduce/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/plan/cost.hpp"
#include "src/records/columns.hpp"
#include "src/records/stored_run.hpp"
#include "src/run/recording.hpp"
#include "src/text/natural_order.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// In the order of their years, as configs/README.md lists them.
constexpr std::array papers{"slides", "sizmann2023", "luitjens2014", "martin2012", "eilers2014"};

std::vector<std::string> configs_in(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") paths.push_back(entry->path().generic_string());
  std::sort(paths.begin(), paths.end(), natural_less);
  return paths;
}

/// The variants of a config by their whole names: those that run on the host, or the others.
std::vector<std::string> variants_of(const Config& config, bool on_host) {
  std::vector<std::string> names;
  for (const Experiment& experiment : config.experiments)
    for (const std::string& short_name : experiment.variants)
      if (const Variant& variant = *find_variant(experiment.problem + "/" + short_name);
          variant.on_host() == on_host)
        names.push_back(variant.name);
  return names;
}

std::string fitting_exactly(const std::vector<std::string>& names) {
  return fmt::format("^({})$", fmt::join(names, "|"));
}

/// A modelled device has no times: it gives counts where the config asks for some, launches where it is
/// about these, and leaves the rest of it to the host.
void suit_modelled_device(Figure& figure, const Config& config) {
  const std::vector<std::string> on_host = variants_of(config, true);
  const bool says_something = config.measure.counters || config.measure.per_launch;
  if (says_something && on_host.empty()) figure.job.kind = Job::Kind::profile;
  else if (!says_something && !on_host.empty())
    figure.job.request.overrides.variants = fitting_exactly(on_host);
  else if (!says_something) figure.left = "it has times alone, which take a GPU";
}

/// The cells that are planned, by the cases in them.
class PlannedCells {
 public:
  /// The cells of a plan that no earlier plan measures in the same way.
  Chosen own_of(const Work& work) const {
    Chosen own;
    for (const Cell& cell : work.plan.cells) own.push_back(!place_of(cell, work.config.resolved["measure"]));
    return own;
  }
  /// The place of each cell of the plan among those of all; one that an earlier plan measures has that one's.
  std::vector<std::size_t> add(const Work& work) {
    const Json& measure = work.config.resolved["measure"];
    const std::vector<std::uint64_t> weights =
        cell_weights(work.plan, work.config.measure, work.options.timing);
    std::vector<std::size_t> places;
    for (std::size_t c = 0; c < work.plan.cells.size(); ++c) {
      const Cell& cell = work.plan.cells[c];
      places.push_back(place_of(cell, measure).value_or(cells_.size()));
      if (places.back() < cells_.size()) continue;
      Known known{{}, measure};
      for (const Case& case_ : cell.cases) known.keys.insert(key_of(case_));
      for (const std::string& key : known.keys) places_[key].push_back(cells_.size());
      cells_.push_back(std::move(known));
      weights_.push_back(std::uint64_t(work.config.measure.forks) * weights[c]);
    }
    return places;
  }
  const std::vector<std::uint64_t>& weights() const { return weights_; }

 private:
  struct Known {
    std::set<std::string> keys;
    Json measure;
  };

  static std::string key_of(const Case& case_) {
    return fmt::format("{} seed {}", case_.key(), case_.input.seed);
  }

  std::optional<std::size_t> place_of(const Cell& cell, const Json& measure) const {
    const auto found = places_.find(key_of(cell.cases[0]));
    if (found == places_.end()) return {};
    const auto place = std::ranges::find_if(found->second, [&](std::size_t candidate) {
      const Known& known = cells_[candidate];
      return known.measure == measure && std::ranges::all_of(cell.cases, [&](const Case& case_) {
               return known.keys.contains(key_of(case_));
             });
    });
    return place == found->second.end() ? std::nullopt : std::optional(*place);
  }

  std::vector<Known> cells_;
  std::vector<std::uint64_t> weights_;  // of cells_
  std::map<std::string, std::vector<std::size_t>> places_;
};

/// Whether a run of the config as it is written is there.
bool is_kept(const Config& config, const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder + "/run.json", error)) return false;
  const Json there = read_facts(folder + "/run.json").value("config", Json::object());
  return there.value("experiments", Json()) == config.resolved["experiments"];
}

Figure make_figure(const std::string& paper, const std::string& path, const std::string& device,
                   const Precision& precision, const std::string& kept) {
  Figure figure{.paper = paper, .config = path};
  figure.job.request.config = path;
  figure.job.request.device = device;
  const OpenDevices open(device);
  const Target target = open.kernels->target();
  const Config config = load_config(path, target, {}, record_columns());
  figure.name = config.name;
  if (config.caches) figure.machines = config.caches->machines;
  figure.is_ladder =
      std::ranges::any_of(config.plots, [](const Json& plot) { return plot.value("ladder", false); });
  const bool is_of_host = variants_of(config, false).empty();
  figure.job.request.overrides = overrides_of(precision, config, is_of_host ? Target::host : target);
  if (!kept.empty() && is_kept(config, kept + "/" + figure.name)) figure.job.request.overrides.axes.clear();
  if (target == Target::simt) suit_modelled_device(figure, config);
  return figure;
}

/// Counts and times the cells that a figure makes, these without those that figures before it have.
void count(Figure& figure, const Work& work) {
  Chosen own = figure.own;
  for (std::size_t c = 0; c < own.size(); ++c) own[c] = own[c] && work.is_chosen(c);
  const Plan plan = chosen_part(work.plan, work.chosen), rest = chosen_part(work.plan, own);
  figure.cases = plan.cases();
  figure.refused = plan.refused();
  figure.shared = figure.cases - rest.cases();
  figure.seconds = seconds_of(rest, work.config.measure, work.devices->devices(), work.options.timing);
}

/// Of a part (`shard`) it is decided by what is the same everywhere whether a figure takes too long.
void add_plan(Figure& figure, const Precision& precision, PlannedCells& planned, const std::string& shard) {
  const Work work = work_of(figure);
  figure.own = planned.own_of(work);
  count(figure, work);
  double seconds = figure.seconds;
  if (!shard.empty()) {
    const Plan rest = chosen_part(work.plan, figure.own);
    seconds = 0;
    for (const std::uint64_t weight : cell_weights(rest, work.config.measure, work.options.timing))
      seconds += 1e-6 * double(work.config.measure.forks) * double(weight);
  }
  if (precision.most_s > 0 && seconds > precision.most_s) {
    figure.left = fmt::format("about {} here; --precision paper takes it", rough_duration(seconds));
    figure.seconds = 0;
    return;
  }
  const bool is_refused = figure.refused == figure.cases;
  if (is_refused)
    figure.left = fmt::format("all of its cases are refused: {}", work.plan.cells[0].cases[0].refusal);
  if (!is_refused || !shard.empty()) figure.places = planned.add(work);
}

/// Leaves of each figure the cells of one part of all that are planned. What several figures have is in one
/// part, so that it is measured once.
void leave_part(std::vector<Figure>& figures, const PlannedCells& planned, const std::string& shard) {
  const Shard asked = parse_shard(shard);
  const std::vector<std::size_t> parts = parts_of(planned.weights(), asked.of);
  for (Figure& figure : figures) {
    if (!figure.left.empty() || !figure.mistake.empty()) continue;
    figure.job.request.shard = shard;
    for (const std::size_t place : figure.places) figure.chosen.push_back(parts[place] == asked.number);
    count(figure, work_of(figure));
    if (figure.cases == 0) figure.left = "none of its cells is in this part";
  }
}

std::size_t widest_cell(const Figure& figure) {
  std::size_t widest = 0;
  for (const Cell& cell : work_of(figure).plan.cells) widest = std::max(widest, cell.cases.size());
  return widest;
}

}  // namespace

std::vector<std::string> paper_names() {
  std::vector<std::string> names{"all"};
  names.insert(names.end(), papers.begin(), papers.end());
  return names;
}

std::vector<std::string> papers_of(const std::string& name) {
  const std::vector<std::string> names = paper_names();
  if (std::ranges::find(names, name) == names.end())
    throw UsageError("there is no paper `" + name + "`" + nearest_match(name, names) + "; there are " +
                     alternatives(names));
  return name == names[0] ? std::vector<std::string>(names.begin() + 1, names.end())
                          : std::vector<std::string>{name};
}

std::vector<std::string> configs_of(const std::string& paper) {
  const fs::path below = fs::path("configs") / paper;
  std::vector<std::string> paths = configs_in(below);
  if (paths.empty() && !own_files().empty()) paths = configs_in(own_files() / below);
  if (paths.empty())
    throw UsageError(below.string() + ": there are no configs, neither here nor with the program; " +
                     "redbench doctor says where its files are");
  return paths;
}

Work work_of(const Figure& figure) {
  Work work = make_work(figure.job);
  work.config.name = figure.name;  // not that of a profile
  if (!figure.chosen.empty()) work.chosen = figure.chosen;
  return work;
}

std::vector<std::size_t> widest_first(const std::vector<Figure>& figures) {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return figures[i].widest; });
  return order;
}

std::vector<Figure> plan_figures(const std::vector<std::string>& papers, const std::string& device,
                                 const Precision& precision, const std::string& kept,
                                 const std::string& shard) {
  if (!shard.empty()) parse_shard(shard);
  std::vector<Figure> figures;
  const auto tried = [](Figure& figure, const auto& step) {
    try {
      step();
    } catch (const UsageError& error) {
      figure.mistake = error.what();
    }
  };
  for (const std::string& paper : papers)
    for (const std::string& path : configs_of(paper)) {
      Figure figure{.paper = paper, .config = path, .name = path};
      tried(figure, [&] {
        figure = make_figure(paper, path, device, precision, kept);
        if (figure.left.empty()) figure.widest = widest_cell(figure);
      });
      figures.push_back(std::move(figure));
    }
  PlannedCells planned;
  for (const std::size_t i : widest_first(figures))
    if (Figure& figure = figures[i]; figure.left.empty() && figure.mistake.empty())
      tried(figure, [&] { add_plan(figure, precision, planned, shard); });
  if (!shard.empty()) leave_part(figures, planned, shard);
  return figures;
}

}  // namespace redbench
