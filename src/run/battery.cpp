#include "src/run/battery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "src/config/parameters.hpp"
#include "src/error.hpp"
#include "src/reference/oracle.hpp"
#include "src/run/job.hpp"

namespace redbench {
namespace {

/// Of a block that goes through inputs. A launch that writes m results grows later.
constexpr Index most_tile = 4096;
constexpr Index large = (Index(1) << 20) + 1;
/// Enough for several passes: a checked launch takes three times as long.
constexpr Index large_for_races = (Index(1) << 17) + 1;

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

bool identity_is_zero(const Pair& pair) {
  alignas(state_alignment) std::byte state[most_state_bytes];
  std::vector<std::byte> identity(pair.result->bytes);
  pair.oracle->start(state);
  pair.oracle->put_result(state, identity.data());
  return std::all_of(identity.begin(), identity.end(), [](std::byte b) { return b == std::byte(0); });
}

/// What a kernel can get wrong for one pair and right for another, a bit for each:
///   0 to 3  its operands may be swapped or not, and a place that nobody set is harmless (an identity of
///   zero) or not: a
///           min that is padded with zeros is wrong where a sum is right
///   4, 5    every value counts to the last bit, and for one that may not be swapped (4) its place, too:
///   without a tile,
///           or with two swapped, `right` is right but for the last one, min nearly always, a sum of floats
///           within its bound
///   6       sums round
///   7 to 11 elements of 1, 2, 4, 8, 16 bytes: loads, shuffles, shared memory
///   12      results are of another size than elements
unsigned traits_of(const Pair& pair) {
  const OperatorTraits& op = traits_of(pair.op);
  unsigned traits = 1u << (2 * pair.commutative + identity_is_zero(pair));
  if (pair.exact && op.selects == Selects::nothing) traits |= 1u << (4 + pair.commutative);
  if (!pair.exact && op.arithmetic == Arithmetic::addition) traits |= 1u << 6;
  traits |= 1u << (6 + std::bit_width(pair.value->bytes));
  if (pair.result->bytes != pair.value->bytes) traits |= 1u << 12;
  return traits;
}

/// Few of the pairs that together have all traits: each time the first of those that add most.
std::vector<const Pair*> different_ones(const std::vector<const Pair*>& pairs) {
  std::vector<const Pair*> chosen;
  unsigned covered = 0;
  for (;;) {
    const auto added = [&](const Pair* pair) { return std::popcount(traits_of(*pair) & ~covered); };
    const auto best = std::max_element(pairs.begin(), pairs.end(),
                                       [&](const Pair* a, const Pair* b) { return added(a) < added(b); });
    if (best == pairs.end() || added(*best) == 0) return chosen;
    chosen.push_back(*best);
    covered |= traits_of(**best);
  }
}

/// What an axis gives the battery for any of these tiles, the ends where they are for none.
std::vector<Json> shapes_of(const ProblemAxis& axis, const std::vector<Index>& tiles) {
  std::vector<Json> all = axis.battery(0);
  for (const Index tile : tiles)
    for (const Json& value : axis.battery(tile))
      if (std::find(all.begin(), all.end(), value) == all.end()) all.insert(all.end() - 1, value);
  return all;
}

class VariantBattery {
 public:
  VariantBattery(const Variant& variant, const Problem& problem, const Devices& devices, Breadth breadth)
      : variant_(variant), problem_(problem), devices_(devices), breadth_(breadth) {
    std::vector<const Pair*> taken;
    for (const Pair& pair : problem.pairs) {
      const Instance* const instance = variant.instance(devices.of(variant).target(), pair.type, pair.op);
      if (instance && instance->run) taken.push_back(&pair);
    }
    different_ = different_ones(taken);
    for (const bool commutative : {true, false}) {
      const auto first = std::find_if(different_.begin(), different_.end(),
                                      [&](const Pair* pair) { return pair->commutative == commutative; });
      if (first != different_.end()) either_order_.push_back(*first);
    }
    const auto first =
        std::find_if(taken.begin(), taken.end(), [](const Pair* pair) { return !pair->exact; });
    if (first != taken.end()) rounded_ = *first;
  }

  std::vector<Experiment> experiments() const {
    std::vector<Experiment> all;
    if (breadth_ == Breadth::small) {
      add_small(all);
      return all;
    }
    add_sizes(all);
    for (const Pair* pair : either_order_) {
      // Every launch parameter, and sizes that take several passes and pass a persistent grid.
      for (const Parameter& parameter : parameters_of(variant_.card))
        add(all, *pair, {1, 1000, 10007}, {{std::string(parameter.name), parameter_values(parameter)}});
      if (is_few()) add(all, *pair, many_passes(*pair, large_for_races), few_labels());
      else add(all, *pair, many_passes(*pair, large));
    }
    for (const Pair* pair : different_) add_shapes(all, *pair);
    // Rounding grows with n: the bound must hold, and must not have become so wide that it says nothing.
    if (rounded_ && !is_few()) add(all, *rounded_, {large});
    return all;
  }

  /// A few sizes for every schedule.
  std::vector<Experiment> scheduled() const {
    std::vector<Experiment> all;
    for (const Pair* pair : either_order_) add(all, *pair, {33, 1000, 10007});
    return all;
  }

 private:
  using Axes = std::vector<std::pair<std::string, std::vector<Json>>>;

  bool is_few() const { return breadth_ != Breadth::whole; }

  /// Less and more than a warp and a block, and each launch parameter and shape on a prime.
  void add_small(std::vector<Experiment>& all) const {
    for (const Pair* pair : either_order_) {
      add(all, *pair, {1, 33, 1009, 10007}, few_labels());
      for (const Parameter& parameter : parameters_of(variant_.card))
        add(all, *pair, {1009}, {{std::string(parameter.name), parameter_values(parameter)}});
      for (const ProblemAxis& axis : problem_.axes)
        if (axis.battery) add(all, *pair, {1009}, {{axis.name, axis.battery(0)}});
    }
  }

  /// Of problems with labels: a vector of the default's 256 for each input would take minutes to follow, and
  /// blocks meet in few buckets all the more.
  Axes few_labels() const {
    const bool has_labels =
        std::ranges::any_of(problem_.axes, [](const ProblemAxis& axis) { return axis.name == "m"; });
    return has_labels ? Axes{{"m", {16}}} : Axes{};
  }

  /// One pair on these sizes, every listed value of the problem's axes, and `axes`; the others at their
  /// defaults.
  void add(std::vector<Experiment>& all, const Pair& pair, const std::set<Index>& sizes,
           const Axes& axes = {}) const {
    Experiment made{"battery", problem_.name, {variant_.short_name}, {}};
    made.axes = {{"n", list(sizes)}, {"type", {name_of(pair.type)}}, {"operator", {name_of(pair.op)}}};
    for (const ProblemAxis& axis : problem_.axes) {
      if (!axis.allowed.empty())
        made.axes.emplace_back(axis.name, std::vector<Json>(axis.allowed.begin(), axis.allowed.end()));
      // A variant for fewer labels than the default is tried on as many as it takes.
      const bool given = std::ranges::any_of(axes, [&](const auto& one) { return one.first == axis.name; });
      const Index most = variant_.card.maximum_m;
      if (axis.name == "m" && !given && most > 0 && most < axis.fallback.get<Index>())
        made.axes.emplace_back(axis.name, std::vector<Json>{most});
    }
    made.axes.insert(made.axes.end(), axes.begin(), axes.end());
    all.push_back(std::move(made));
  }

  /// Every pair on every size: tiles of any power of two, one less, one more; none, one, a prime. A pair that
  /// the variant refuses is there, too, to be counted as unsupported.
  void add_sizes(std::vector<Experiment>& all) const {
    std::set<Index> sizes{0, 1, 2, 3, 1009};
    for (Index tile = 32; tile <= most_tile; tile *= 2) sizes.insert({tile - 1, tile, tile + 1});
    for (const Pair& pair : problem_.pairs) {
      if (is_few() && std::find(different_.begin(), different_.end(), &pair) == different_.end()) continue;
      add(all, pair, sizes);
      if (is_few()) continue;
      for (const ProblemAxis& axis : problem_.axes)
        if (axis.battery && axis.differs_by_pair)
          add(all, pair, {1, 1000, 10007}, {{axis.name, axis.battery(0)}});
    }
  }

  /// What the problem's axes give the battery, the other axes at their defaults, on a few sizes. For the
  /// pairs of either order also where a warp or a tile is full and on several tiles, and each value with the
  /// first and the last of each other axis, which are its ends (of m, 1 and more than there are inputs).
  void add_shapes(std::vector<Experiment>& all, const Pair& pair) const {
    const auto is_shape = [](const ProblemAxis& axis) { return axis.battery && !axis.differs_by_pair; };
    if (std::none_of(problem_.axes.begin(), problem_.axes.end(), is_shape)) return;
    std::vector<Index> tiles = tiles_of(pair);
    std::erase_if(tiles, [](Index tile) { return tile == 0 || tile > most_tile; });
    Axes shapes;
    for (const ProblemAxis& axis : problem_.axes)
      if (is_shape(axis)) shapes.emplace_back(axis.name, shapes_of(axis, tiles));
    std::set<Index> few{33, 1009}, sizes{1, 31, 32, 33, 1009, 10007};
    for (const Index tile : tiles) {
      few.insert(tile + 1);
      sizes.insert({std::max(tile - 1, Index(1)), tile, tile + 1, 3 * tile + 1});
    }
    const bool on_few =
        is_few() || std::find(either_order_.begin(), either_order_.end(), &pair) == either_order_.end();
    for (const auto& shape : shapes) {
      add(all, pair, on_few ? few : sizes, {shape});
      if (on_few) continue;
      for (const auto& [name, values] : shapes)
        if (name != shape.first) add(all, pair, few, {shape, {name, {values.front(), values.back()}}});
    }
  }

  /// A prime, `many`, and one less, equal and one more than what the widest grid of `many` inputs covers with
  /// one input and with its whole tile per thread. One more than a persistent grid covers once.
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

  /// For each launch that there is for one input the most inputs that its grid for one takes, 0 where it
  /// never grows. A launch that prepares a result or joins the parts of others has a tile of its own.
  std::vector<Index> tiles_of(const Pair& pair) const {
    const std::vector<Grid> one = grids_of(pair, 1);
    std::vector<Index> tiles;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const auto grows = [&](Index n) {
        const std::vector<Grid> grids = grids_of(pair, n);
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

  /// The planned launches over n inputs, with the defaults of all axes, of the first form that is not
  /// refused.
  std::vector<Grid> grids_of(const Pair& pair, Index n) const {
    Config config;
    add(config.experiments, pair, {n});
    std::vector<Grid> grids;
    for (const Cell& cell : make_plan(config, devices_).cells)
      for (const Case& one : cell.cases) {
        if (!one.refusal.empty()) continue;
        for (const LaunchFacts& launch : one.footprint.launches) grids.push_back(launch.grid);
        return grids;
      }
    return grids;
  }

  const Variant& variant_;
  const Problem& problem_;
  const Devices& devices_;
  const Breadth breadth_;
  std::vector<const Pair*> different_, either_order_;
  const Pair* rounded_ = nullptr;
};

/// Throws for a problem of which something should run, as a variant takes a pair, and nothing would.
void check_not_empty(const std::vector<Cell>& cells, const Devices& devices) {
  std::map<std::string, std::string> refusals;  // by problem, of those of which nothing runs
  std::set<std::string> run;
  for (const Cell& cell : cells)
    for (const Case& one : cell.cases) {
      const Instance* const instance =
          one.variant->instance(devices.of(*one.variant).target(), one.input.type, one.input.op);
      if (one.refusal.empty()) run.insert(cell.problem->name);
      else if (instance && instance->run) refusals.emplace(cell.problem->name, one.refusal);
    }
  for (const auto& [problem, refusal] : refusals)
    if (!run.contains(problem))
      throw UsageError(
          fmt::format("{}: the battery is empty, so nothing would be verified: {}", problem, refusal));
}

Json to_json(const std::vector<Experiment>& experiments) {
  Json all = Json::array();
  for (const Experiment& one : experiments) all.push_back({one.problem, one.variants, one.axes});
  return all;
}

std::vector<Experiment> experiments_from(const Json& json) {
  std::vector<Experiment> all;
  for (const Json& one : json)
    all.push_back({"battery", one[0], one[1].get<std::vector<std::string>>(),
                   one[2].get<std::vector<std::pair<std::string, std::vector<Json>>>>()});
  return all;
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
    for (Experiment& one : of_variant.experiments()) battery.experiments.push_back(std::move(one));
    for (Experiment& one : of_variant.scheduled()) battery.scheduled.push_back(std::move(one));
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
  // The largest case takes the modelled device a second; with sanitizers thirty times that.
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

Json to_json(const Battery& battery) {
  return {{"experiments", to_json(battery.experiments)}, {"scheduled", to_json(battery.scheduled)}};
}

Battery battery_from(const Json& json) {
  return {experiments_from(json["experiments"]), experiments_from(json["scheduled"])};
}

}  // namespace redbench
