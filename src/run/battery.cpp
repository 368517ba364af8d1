#include "src/run/battery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/gpus/gpus.hpp"
#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/reference/oracle.hpp"
#include "src/run/job.hpp"
#include "src/text/nearest.hpp"

namespace redbench {

void to_json(Json& json, const Experiment& experiment) {
  json = {experiment.problem, experiment.variants, experiment.axes};
}

void from_json(const Json& json, Experiment& experiment) {
  experiment = {"battery", json[0], json[1], json[2]};
}

namespace {

/// The most inputs of a block. A launch that grows at more has a block for so many results.
constexpr Index most_tile = 4096;
constexpr Index large = (Index(1) << 20) + 1;
/// Enough for several passes; a launch whose accesses are checked takes three times as long.
constexpr Index large_for_races = (Index(1) << 17) + 1;

std::vector<Json> list(const std::set<Index>& values) { return {values.begin(), values.end()}; }

/// Values of a launch parameter: all powers of two, or its ends, its default and their neighbours.
std::vector<Json> parameter_values(const Parameter& parameter) {
  std::set<Index> values{parameter.minimum, parameter.fallback, parameter.maximum};
  if (parameter.step == Step::power_of_two)
    for (Index v = parameter.minimum; v <= parameter.maximum; v *= 2) values.insert(v);
  const Index step = parameter.step == Step::multiple_of_warp ? 32 : 1;
  for (const Index v : {parameter.minimum + step, parameter.fallback - step, parameter.fallback + step})
    if (takes(parameter, v)) values.insert(v);
  return list(values);
}

bool identity_is_zero(const Pair& pair) {
  alignas(state_alignment) std::byte state[most_state_bytes];
  std::vector<std::byte> identity(pair.result->bytes);
  pair.oracle->start(state);
  pair.oracle->put_result(state, identity.data());
  return std::ranges::count(identity, std::byte(0)) == std::ssize(identity);
}

/// Traits of a pair, each of which a kernel can get wrong though it is right for pairs without it:
/// - Order and identity. Operands may be swapped or not, and a place that nobody set is harmless where the
///   identity is zero: a min that is padded with zeros is wrong where a sum is right.
/// - Whether each value counts to the last bit, and for operators that do not commute its place, too: without
///   a tile, or with two swapped, `right` is wrong for the last one alone, min hardly ever, and a sum of
///   floats is within its error bound.
/// - Sums that round.
/// - The size of an element, on which loads, shuffles and shared memory depend, and results of another size.
std::set<std::string> traits_of(const Pair& pair) {
  const OperatorTraits& op = traits_of(pair.op);
  const std::string order = pair.commutative ? "commutative" : "ordered";
  std::set<std::string> traits{order + (identity_is_zero(pair) ? " from zero" : " from another identity"),
                               fmt::format("elements of {} bytes", pair.value->bytes)};
  if (pair.exact && op.selects == Selects::nothing) traits.insert(order + ", each value counts");
  if (!pair.exact && op.arithmetic == Arithmetic::addition) traits.insert("rounds");
  if (pair.result->bytes != pair.value->bytes) traits.insert("results of another size");
  return traits;
}

/// A few pairs that together have all traits: each time the first pair that adds most of them.
std::vector<const Pair*> covering_pairs(const std::vector<const Pair*>& pairs) {
  std::vector<const Pair*> chosen;
  std::set<std::string> covered;
  for (;;) {
    const auto added = [&](const Pair* pair) {
      return std::ranges::count_if(traits_of(*pair),
                                   [&](const auto& trait) { return !covered.contains(trait); });
    };
    const auto best = std::ranges::max_element(pairs, {}, added);
    if (best == pairs.end() || added(*best) == 0) return chosen;
    chosen.push_back(*best);
    covered.merge(traits_of(**best));
  }
}

/// The values of an axis for any of these tiles. Its first and last value, its ends, stay first and last.
std::vector<Json> shapes_of(const ProblemAxis& axis, const std::vector<Index>& tiles) {
  std::vector<Json> all = axis.battery(0);
  for (const Index tile : tiles)
    for (const Json& value : axis.battery(tile))
      if (!std::ranges::count(all, value)) all.insert(all.end() - 1, value);
  return all;
}

class VariantBattery {
 public:
  VariantBattery(const Variant& variant, const Problem& problem, const Devices& devices, Breadth breadth)
      : variant_(variant), problem_(problem), devices_(devices), breadth_(breadth) {
    std::vector<const Pair*> taken;
    for (const Pair& pair : problem.pairs) {
      const Instance* const instance = instance_of(pair);
      if (instance && instance->run) taken.push_back(&pair);
    }
    covering_ = covering_pairs(taken);
    for (const bool commutative : {true, false}) {
      const auto first = std::ranges::find(covering_, commutative, &Pair::commutative);
      if (first != covering_.end()) either_order_.push_back(*first);
    }
    if (const auto first = std::ranges::find(taken, false, &Pair::exact); first != taken.end())
      rounded_ = *first;
  }

  std::vector<Experiment> experiments() const {
    std::vector<Experiment> all;
    if (breadth_ == Breadth::small) {
      add_small(all);
      return all;
    }
    add_sizes(all);
    for (const Pair* pair : either_order_) {
      // Every launch parameter; and sizes that take several passes, or one more than a persistent grid.
      for (const Parameter& parameter : parameters_of(variant_.card))
        add(all, *pair, {1, 1000, 10007}, {{std::string(parameter.name), parameter_values(parameter)}});
      if (is_few()) add(all, *pair, many_passes(*pair, large_for_races), few_labels());
      else add(all, *pair, many_passes(*pair, large));
    }
    for (const Pair* pair : covering_) add_shapes(all, *pair);
    for (const Pair* pair : covering_) add_over_gpus(all, *pair, {0, 1, 33, 10007});
    // Rounding grows with n: the error bound must hold, and not be so wide that it is no check.
    if (rounded_ && !is_few()) add(all, *rounded_, {large});
    return all;
  }

  /// A few sizes, to be run under every schedule.
  std::vector<Experiment> scheduled() const {
    std::vector<Experiment> all;
    for (const Pair* pair : either_order_) {
      add(all, *pair, {33, 1000, 10007});
      add_over_gpus(all, *pair, {1000});
    }
    return all;
  }

 private:
  using Axes = std::vector<std::pair<std::string, std::vector<Json>>>;

  Target target() const { return devices_.of(variant_).target(); }
  /// Null where the variant is not built for the pair.
  const Instance* instance_of(const Pair& pair) const {
    if (pair.accumulates && !variant_.card.narrow) return nullptr;
    return variant_.instance(target(), pair.type, pair.op);
  }

  bool is_few() const { return breadth_ != Breadth::whole; }

  /// Sizes below and above a warp and a block; each launch parameter and shape on a prime number of inputs.
  void add_small(std::vector<Experiment>& all) const {
    for (const Pair* pair : either_order_) {
      add(all, *pair, {1, 33, 1009, 10007}, few_labels());
      for (const Parameter& parameter : parameters_of(variant_.card))
        add(all, *pair, {1009}, {{std::string(parameter.name), parameter_values(parameter)}});
      for (const ProblemAxis& axis : problem_.axes)
        if (axis.battery) add(all, *pair, {1009}, {{axis.name, axis.battery(0)}});
      add_over_gpus(all, *pair, {1009});
    }
  }

  /// For problems with labels: checking vectors of the default's 256 for each input would take minutes, and
  /// in few buckets blocks meet more often.
  Axes few_labels() const {
    return std::ranges::count(problem_.axes, "m", &ProblemAxis::name) ? Axes{{"m", {16}}} : Axes{};
  }

  /// Adds one pair on these sizes, with all values of the problem's axes that list them, and with `axes`; the
  /// other axes are at their defaults.
  void add(std::vector<Experiment>& all, const Pair& pair, const std::set<Index>& sizes,
           const Axes& axes = {}) const {
    Experiment made{"battery", problem_.name, {variant_.short_name}, {}};
    made.axes = {{"n", list(sizes)}, {"type", {name_of(pair.type)}}, {"operator", {name_of(pair.op)}}};
    if (pair.accumulates) made.axes.emplace_back("accumulator", std::vector<Json>{pair.result->name});
    for (const ProblemAxis& axis : problem_.axes) {
      if (!axis.allowed.empty() && !axis.left_out_at_default)
        made.axes.emplace_back(axis.name, std::vector<Json>(axis.allowed.begin(), axis.allowed.end()));
      // A variant for fewer labels than the default gets as many as it takes.
      const bool given = std::ranges::count(axes, axis.name, &Axes::value_type::first) > 0;
      const Index most = variant_.card.maximum_m;
      if (axis.name == "m" && !given && most > 0 && most < axis.fallback.get<Index>())
        made.axes.emplace_back(axis.name, std::vector<Json>{most});
    }
    made.axes.insert(made.axes.end(), axes.begin(), axes.end());
    all.push_back(std::move(made));
  }

  /// Every pair on every size: none, one, a prime, and each power of two up to the largest tile with its
  /// neighbours. Pairs that the variant refuses are counted as unsupported.
  void add_sizes(std::vector<Experiment>& all) const {
    std::set<Index> sizes{0, 1, 2, 3, 1009};
    for (Index tile = 32; tile <= most_tile; tile *= 2) sizes.insert({tile - 1, tile, tile + 1});
    for (const Pair& pair : problem_.pairs) {
      if (variant_.built_for(target()) && !instance_of(pair)) continue;  // a narrow pair
      if (is_few() && !std::ranges::count(covering_, &pair)) continue;
      add(all, pair, sizes);
      if (is_few()) continue;
      for (const ProblemAxis& axis : problem_.axes)
        if (axis.battery && axis.differs_by_pair)
          add(all, pair, {1, 1000, 10007}, {{axis.name, axis.battery(0)}});
    }
  }

  /// The values that the problem's axes have for the battery, one axis at a time, on a few sizes. For the
  /// pairs of either order also where a warp or a tile is full and on several tiles, each value with both ends
  /// of each other axis (of m: 1, and more than there are inputs), and each with the smallest launch parameters:
  /// the defaults' tile may be larger than any of these sizes.
  void add_shapes(std::vector<Experiment>& all, const Pair& pair) const {
    const auto is_shape = [](const ProblemAxis& axis) { return axis.battery && !axis.differs_by_pair; };
    if (std::ranges::none_of(problem_.axes, is_shape)) return;
    std::vector<Index> tiles = tiles_of(pair);
    if (std::ranges::count(either_order_, &pair)) add_many_tiles(all, pair);
    std::erase_if(tiles, [](Index tile) { return tile == 0 || tile > most_tile; });
    Axes shapes;
    for (const ProblemAxis& axis : problem_.axes)
      if (is_shape(axis)) shapes.emplace_back(axis.name, shapes_of(axis, tiles));
    std::set<Index> few{33, 1009}, sizes{1, 31, 32, 33, 1009, 10007};
    for (const Index tile : tiles) {
      few.insert(tile + 1);
      sizes.insert({std::max(tile - 1, Index(1)), tile, tile + 1, 3 * tile + 1});
    }
    const bool on_few = is_few() || !std::ranges::count(either_order_, &pair);
    for (const auto& shape : shapes) {
      add(all, pair, on_few ? few : sizes, {shape});
      if (on_few) continue;
      for (const auto& [name, values] : shapes)
        if (name != shape.first) add(all, pair, few, {shape, {name, {values.front(), values.back()}}});
    }
  }

  /// The shapes over many tiles of the smallest launch parameters. Several blocks at the least: a segment
  /// passes through all of them, or ends at a border of any. Labels meet in any tile, so they need no more.
  void add_many_tiles(std::vector<Experiment>& all, const Pair& pair) const {
    Axes least;
    for (const Parameter& parameter : parameters_of(variant_.card))
      least.emplace_back(parameter.name, std::vector<Json>{parameter.minimum});
    if (least.empty() || !few_labels().empty()) return;
    std::vector<Index> tiles = tiles_of(pair, least);
    std::erase_if(tiles, [](Index tile) { return tile == 0 || tile > most_tile; });
    for (const ProblemAxis& axis : problem_.axes) {
      if (!axis.battery || axis.differs_by_pair) continue;
      Axes axes = least;
      axes.emplace_back(axis.name, shapes_of(axis, tiles));
      add(all, pair, {10007}, axes);
    }
  }

  /// The sizes over two GPUs and over all there are, where the variant takes several: some have no inputs, or fewer.
  void add_over_gpus(std::vector<Experiment>& all, const Pair& pair, const std::set<Index>& sizes) const {
    if (devices_.gpus == 1 || !problem_.in_parts || grids_of(pair, 1, {{"gpus", {2}}}).empty()) return;
    add(all, pair, sizes, {{"gpus", list({2, std::min<Index>(devices_.gpus, most_gpus)})}});
  }

  /// A prime and `many`. What the widest grid for `many` inputs covers with one input per thread, and what
  /// one of its blocks covers, each with its neighbours. One more than a persistent grid covers once.
  std::set<Index> many_passes(const Pair& pair, Index many) const {
    std::set<Index> sizes{100003, many};
    const std::vector<Grid> grids = grids_of(pair, many);
    if (const auto widest = std::ranges::max_element(grids, {}, &Grid::blocks); widest != grids.end())
      for (const Index covered : {widest->blocks * widest->threads, ceil_div(many, widest->blocks)})
        if (covered > 1 && covered < many) sizes.insert({covered - 1, covered, covered + 1});
    const std::vector<Index> tiles = tiles_of(pair);
    const std::vector<Grid> full = grids_of(pair, 4 * many), more = grids_of(pair, 8 * many);
    for (std::size_t i = 0; i < std::min({tiles.size(), full.size(), more.size()}); ++i) {
      const Index once = full[i].blocks * tiles[i];
      if (full[i].blocks == more[i].blocks && once >= many && once < 2 * many) sizes.insert(once + 1);
    }
    return sizes;
  }

  /// The tile of each launch: the most inputs for which its grid is as small as for one input, found by
  /// bisection; 0 where the grid never grows. Launches that prepare or join results have tiles of their own.
  std::vector<Index> tiles_of(const Pair& pair, const Axes& axes = {}) const {
    const std::vector<Grid> one = grids_of(pair, 1, axes);
    std::vector<Index> tiles;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const auto grows = [&](Index n) {
        const std::vector<Grid> grids = grids_of(pair, n, axes);
        return i < grids.size() && grids[i].blocks > one[i].blocks;
      };
      Index fits = 1, past = large;
      while (past - fits > 1) {
        const Index middle = (fits + past) / 2;
        (grows(middle) ? past : fits) = middle;
      }
      tiles.push_back(grows(past) ? fits : 0);
    }
    return tiles;
  }

  /// The grids of the first runnable case over n inputs, all axes but `axes` at their defaults.
  std::vector<Grid> grids_of(const Pair& pair, Index n, const Axes& axes = {}) const {
    Config config;
    add(config.experiments, pair, {n}, axes);
    std::vector<Grid> grids;
    for (const Cell& cell : make_plan(config, devices_).cells)
      for (const Case& case_ : cell.cases) {
        if (!case_.refusal.empty()) continue;
        for (const LaunchFacts& launch : case_.footprint.launches) grids.push_back(launch.grid);
        return grids;
      }
    return grids;
  }

  const Variant& variant_;
  const Problem& problem_;
  const Devices& devices_;
  const Breadth breadth_;
  std::vector<const Pair*> covering_, either_order_;
  const Pair* rounded_ = nullptr;
};

/// Throws for a problem of which a variant takes a pair, so that something should run, and nothing does.
void check_not_empty(const std::vector<Cell>& cells, const Devices& devices) {
  std::map<std::string, std::string> refusals;  // the first of each problem
  std::set<std::string> run;
  for (const Cell& cell : cells)
    for (const Case& case_ : cell.cases) {
      const Target target = devices.of(*case_.variant).target();
      const Instance* const instance = case_.variant->instance(target, case_.input.type, case_.input.op);
      if (case_.refusal.empty() || case_.is_mistake) run.insert(cell.problem->name);
      else if (instance && instance->run) refusals.emplace(cell.problem->name, case_.refusal);
    }
  for (const auto& [problem, refusal] : refusals)
    if (!run.contains(problem))
      throw UsageError(
          fmt::format("{}: the battery is empty, so nothing would be verified: {}", problem, refusal));
}

}  // namespace

Battery make_battery(const std::string& pattern, Breadth breadth, const Devices& devices) {
  const bool kernels_alone = breadth != Breadth::whole;
  Battery battery;
  for (const Variant& variant : variants()) {
    if (!fits_pattern(variant.name, pattern) || (kernels_alone && variant.on_host())) continue;
    const Problem* const problem = find_problem(variant.problem);
    if (!problem) throw UsageError(variant.name + ": no problem `" + variant.problem + "` is built in");
    const VariantBattery of_variant(variant, *problem, devices, breadth);
    std::ranges::move(of_variant.experiments(), std::back_inserter(battery.experiments));
    std::ranges::move(of_variant.scheduled(), std::back_inserter(battery.scheduled));
  }
  if (battery.experiments.empty()) {
    const Target target = devices.kernels.target();
    std::vector<std::string> names;
    for (const Variant& variant : variants())
      if (!kernels_alone || variant.first_taken(target)) names.push_back(variant.name);
    throw UsageError((kernels_alone ? "no variant with a kernel fits `" : "no variant fits `") + pattern +
                     "`" + nearest_match(pattern, names));
  }
  return battery;
}

void plan_battery(const Battery& battery, int schedules, Work& work) {
  const Devices devices = work.devices->devices();
  // The largest case, 2^20 + 1 vectors of 256 components in multiscan/vector_scan, takes some five
  // core-seconds: more than 20 s on a machine that is busy with other work, and minutes with sanitizers.
  work.config.measure.hang_s = REDBENCH_BATTERY_HANG_S;
  work.config.experiments = battery.experiments;
  work.plan.cells = make_plan(work.config, devices).cells;
  check_not_empty(work.plan.cells, devices);
  const bool shuffles = devices.kernels.target() == Target::simt;
  for (std::size_t i = 0; i < work.plan.cells.size(); ++i)
    work.schedule_seeds.push_back(shuffles ? i % std::size_t(std::max(schedules, 1)) : 0);
  if (!shuffles || schedules < 2 || battery.scheduled.empty()) return;
  Config scheduled;
  scheduled.experiments = battery.scheduled;
  const std::vector<Cell> again = make_plan(scheduled, devices).cells;
  for (int seed = 0; seed < schedules; ++seed)
    for (const Cell& cell : again) {
      work.plan.cells.push_back(cell);
      work.schedule_seeds.push_back(std::uint64_t(seed));
    }
}

void to_json(Json& json, const Battery& battery) { json = {battery.experiments, battery.scheduled}; }

void from_json(const Json& json, Battery& battery) { battery = {json[0], json[1]}; }

}  // namespace redbench
