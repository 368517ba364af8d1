#include "src/run/battery.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "src/config/parameters.hpp"
#include "src/error.hpp"
#include "src/run/worker.hpp"

namespace redbench {
namespace {

constexpr Index large = (Index(1) << 20) + 1;
/// Enough for several passes: a checked launch takes three times as long.
constexpr Index large_for_races = (Index(1) << 17) + 1;

/// A commutative pair and one that is not: for what depends on neither type nor operator otherwise.
constexpr std::pair<Type, const char*> either_order[] = {{Type::i32, "sum"}, {Type::u32, "affine"}};
/// Identities that are not zero, and a type of 16 bytes.
constexpr std::pair<Type, const char*> other_identities[] = {
    {Type::f32, "min"}, {Type::i32, "right"}, {Type::c64, "sum"}};

std::vector<Json> list(const std::set<Index>& values) { return {values.begin(), values.end()}; }

/// Values of a launch parameter: all powers of two, else its ends, its default and their neighbours.
std::vector<Json> parameter_values(const Parameter& parameter) {
  std::set<Index> values{parameter.minimum, parameter.fallback, parameter.maximum};
  if (parameter.step == Step::power_of_two)
    for (Index v = parameter.minimum; v <= parameter.maximum; v *= 2) values.insert(v);
  const Index step = parameter.step == Step::multiple_of_warp ? 32 : 1;
  for (const Index v : {parameter.minimum + step, parameter.fallback - step, parameter.fallback + step})
    if (takes(parameter, v)) values.insert(v);
  return list(values);
}

/// Whether a pair is one of those above: order, bounds and unwritten memory depend on the size of a type, and
/// on whether the operator is commutative.
bool shows_races(Type type, Operator op) {
  const auto is_it = [&](const auto& pair) { return pair.first == type && pair.second == name_of(op); };
  return std::ranges::any_of(either_order, is_it) || std::ranges::any_of(other_identities, is_it);
}

class Battery {
 public:
  Battery(const Variant& variant, const Problem& problem, const Devices& devices, bool races)
      : variant_(variant), problem_(problem), devices_(devices), races_(races) {
    for (const Pair& pair : problem.pairs)
      if (!races || shows_races(pair.type, pair.op))
        operators_[pair.type].push_back(std::string(name_of(pair.op)));
  }

  std::vector<Experiment> experiments() const {
    std::vector<Experiment> all;
    // Every pair on every size: tiles of any power of two, one less, one more; none, one, a prime.
    std::set<Index> sizes{0, 1, 2, 3, 1009};
    for (Index tile = 32; tile <= 4096; tile *= 2) sizes.insert({tile - 1, tile, tile + 1});
    for (const auto& [type, operators] : operators_) {
      all.push_back(experiment(type, operators, list(sizes), {"uniform"}));
      if (!races_)
        all.push_back(experiment(type, operators, list({1, 1000, 10007}), {"exact", "equal", "extreme"}));
    }
    // Every launch parameter, and sizes that take several passes and pass a persistent grid.
    for (const auto& [type, op] : either_order) {
      if (!has(type, op)) continue;
      for (const Parameter& parameter : parameters_of(variant_.card)) {
        all.push_back(experiment(type, {op}, list({1, 1000, 10007}), {"uniform"}));
        all.back().axes.emplace_back(parameter.name, parameter_values(parameter));
      }
      all.push_back(
          experiment(type, {op}, list(many_passes(type, op, races_ ? large_for_races : large)), {"uniform"}));
      add_shapes(type, op, {100003}, all);
    }
    for (const auto& [type, op] : other_identities)
      if (has(type, op)) add_shapes(type, op, {}, all);
    // Rounding grows with n: the bound must hold, and must not have become so wide that it says nothing.
    if (has(Type::f32, "sum")) all.push_back(experiment(Type::f32, {"sum"}, list({large}), {"uniform"}));
    return all;
  }

  /// A few sizes for every schedule.
  std::vector<Experiment> scheduled() const {
    std::vector<Experiment> all;
    for (const auto& [type, op] : either_order)
      if (has(type, op)) all.push_back(experiment(type, {op}, list({33, 1000, 10007}), {"uniform"}));
    return all;
  }

 private:
  bool has(Type type, const std::string& op) const {
    const auto found = operators_.find(type);
    return found != operators_.end() && std::count(found->second.begin(), found->second.end(), op) > 0;
  }

  Experiment experiment(Type type, const std::vector<std::string>& operators, const std::vector<Json>& sizes,
                        const std::vector<Json>& values) const {
    Experiment made{"battery", problem_.name, {variant_.short_name}, {}};
    made.axes = {{"n", sizes}, {"type", {std::string(name_of(type))}}, {"operator", {}}};
    for (const std::string& op : operators) made.axes.back().second.push_back(op);
    for (const ProblemAxis& axis : problem_.axes) {
      if (axis.name == "values") made.axes.emplace_back(axis.name, values);
      else if (!axis.allowed.empty())
        made.axes.emplace_back(axis.name, std::vector<Json>(axis.allowed.begin(), axis.allowed.end()));
    }
    return made;
  }

  /// The values of each axis that the problem gives the battery, the other axes at their defaults, on
  /// `sizes`, on those where a warp or a tile is full, and on a few tiles.
  void add_shapes(Type type, const std::string& op, std::set<Index> sizes,
                  std::vector<Experiment>& all) const {
    for (const ProblemAxis& axis : problem_.axes) {
      if (!axis.battery) continue;
      const Index tile = tile_of(type, op);
      sizes.insert({1, 31, 32, 33, 1009});
      if (tile > 0) sizes.insert({std::max(tile - 1, Index(1)), tile, tile + 1, 3 * tile + 1});
      all.push_back(experiment(type, {op}, list(sizes), {"uniform"}));
      all.back().axes.emplace_back(axis.name, axis.battery(tile));
    }
  }

  /// A prime, `many`, and one less, equal and one more than what the grid of the plan of `many` inputs
  /// covers with one input and with its whole tile per thread. One more than a persistent grid covers once.
  std::set<Index> many_passes(Type type, const std::string& op, Index many) const {
    std::set<Index> sizes{100003, many};
    const Grid grid = widest_grid(type, op, many);
    for (const Index covered : {grid.blocks * grid.threads, ceil_div(many, grid.blocks)})
      if (covered > 1 && covered < many) sizes.insert({covered - 1, covered, covered + 1});
    const Index most = widest_grid(type, op, 4 * many).blocks, once = most * tile_of(type, op);
    if (once >= many && once < 2 * many && most == widest_grid(type, op, 8 * many).blocks)
      sizes.insert(once + 1);
    return sizes;
  }

  /// The most inputs that one block takes: with one more the grid grows. 0 where it never does.
  Index tile_of(Type type, const std::string& op) const {
    const Index least = widest_grid(type, op, 1).blocks;
    Index fits = 1, grows = large;
    if (widest_grid(type, op, grows).blocks == least) return 0;
    while (grows - fits > 1) {
      const Index middle = (fits + grows) / 2;
      (widest_grid(type, op, middle).blocks == least ? fits : grows) = middle;
    }
    return fits;
  }

  /// Of the planned launches over n inputs, with the defaults of all axes, the one of the most blocks: the
  /// others prepare results, or reduce what its blocks wrote. One thread where nothing is launched.
  Grid widest_grid(Type type, const std::string& op, Index n) const {
    Config config;
    config.experiments = {experiment(type, {op}, {n}, {"uniform"})};
    Grid widest;
    for (const Cell& cell : make_plan(config, devices_).cells)
      for (const Case& one : cell.cases)
        for (const LaunchFacts& launch : one.footprint.launches)
          if (launch.grid.blocks > widest.blocks ||
              (launch.grid.blocks == widest.blocks && launch.grid.threads > widest.threads))
            widest = launch.grid;
    return widest;
  }

  const Variant& variant_;
  const Problem& problem_;
  const Devices& devices_;
  const bool races_;
  std::map<Type, std::vector<std::string>> operators_;
};

/// All that makes an input: cells of equal inputs become one.
std::string input_key(const Cell& cell) {
  return cell.problem->name + ' ' + std::string(name_of(cell.input.type)) + ' ' +
         std::string(name_of(cell.input.op)) + ' ' + std::to_string(cell.input.n) + ' ' +
         cell.input.axes.dump();
}

std::vector<Cell> merged(std::vector<Cell> cells) {
  std::vector<Cell> all;
  std::map<std::string, std::size_t> places;
  for (Cell& cell : cells) {
    const auto [place, is_new] = places.emplace(input_key(cell), all.size());
    if (is_new) all.push_back(std::move(cell));
    else std::move(cell.cases.begin(), cell.cases.end(), std::back_inserter(all[place->second].cases));
  }
  return all;
}

}  // namespace

void make_battery(const std::string& pattern, int schedules, bool races, Work& work) {
  const Devices devices = work.devices->devices();
  Config scheduled;
  for (const Variant& variant : variants()) {
    if (!fits_pattern(variant.name, pattern) || (races && variant.on_host())) continue;
    const Problem* const problem = find_problem(variant.problem);
    if (!problem) throw UsageError(variant.name + ": no problem `" + variant.problem + "` is built in");
    const Battery battery(variant, *problem, devices, races);
    for (Experiment& one : battery.experiments()) work.config.experiments.push_back(std::move(one));
    for (Experiment& one : battery.scheduled()) scheduled.experiments.push_back(std::move(one));
  }
  if (work.config.experiments.empty()) {
    std::vector<std::string> names;
    for (const Variant& variant : variants())
      if (!races || !variant.on_host()) names.push_back(variant.name);
    throw UsageError((races ? "no variant with a kernel fits `" : "no variant fits `") + pattern + "`" +
                     nearest_match(pattern, names));
  }
  // Its largest case takes the modelled device a second.
  work.config.measure.hang_s = 20;
  work.plan.cells = merged(make_plan(work.config, devices).cells);
  const bool shuffles = devices.kernels.target() == Target::simt;
  for (std::size_t i = 0; i < work.plan.cells.size(); ++i)
    work.schedule_seeds.push_back(shuffles ? i % std::size_t(std::max(schedules, 1)) : 0);
  if (!shuffles || schedules < 2) return;
  const std::vector<Cell> again = merged(make_plan(scheduled, devices).cells);
  for (int seed = 0; seed < schedules; ++seed)
    for (const Cell& cell : again) {
      work.plan.cells.push_back(cell);
      work.schedule_seeds.push_back(std::uint64_t(seed));
    }
}

}  // namespace redbench
