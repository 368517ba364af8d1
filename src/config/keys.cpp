#include "src/config/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "src/config/axes.hpp"
#include "src/config/rows.hpp"
#include "src/inputs/values.hpp"

namespace redbench {
namespace {

constexpr Index most_samples = 1'000'000, most_forks = 100;

Shape sizes() {
  const std::string size = "(2\\^[0-9]+|[0-9]+([KMG]i)?)";
  const Shape entry = described(
      "`4096`, `\"16Mi\"`, `\"2^20\"` or a range: `\"[16Mi:31Mi:1Mi]\"` (both ends), `\"[2^10:2^28:*2]\"`",
      {{"anyOf",
        {{{"type", "integer"}, {"minimum", 0}, {"maximum", largest_size}},
         {{"type", "string"}, {"pattern", fmt::format("^({0}|\\[{0}:{0}:\\*?{0}\\])$", size)}}}}});
  return one_or_more(named("size", entry));
}

Shape values() {
  return described(fmt::format("`{}` or `{{\"file\": \"x.npy\"}}`", fmt::join(distributions(), "`, `")),
                   {{"anyOf",
                     {{{"enum", distributions()}},
                      {{"type", "object"},
                       {"required", {"file"}},
                       {"additionalProperties", false},
                       {"properties", {{"file", {{"type", "string"}}}}}}}}});
}

constexpr Index most = std::numeric_limits<std::int32_t>::max();

const Rows<WarpPlace>& warp_rows() {
  static const Rows<WarpPlace> rows{
      row("launch", &WarpPlace::launch, whole(0, most), "number of the launch, from 0"),
      row("block", &WarpPlace::block, whole(0, most), "number of the block"),
      row("warp", &WarpPlace::warp, whole(0, 31), "number of the warp in its block")};
  return rows;
}

std::vector<Key> trace_keys() {
  std::vector<Key> keys = keys_of(warp_rows());
  keys.push_back(
      {"levels", open_object({}, list_of(whole(0, most_traced - 1), "store").schema),
       "by variant, which of the warp's stores are levels of its tree, a table of which is written",
       Json::object()});
  return keys;
}

/// The stores of a variant's levels.
std::vector<Index> read_stores(const Node& node) {
  list_of(whole(0, most_traced - 1), "store").check(node);
  const auto stores = node.value().get<std::vector<Index>>();
  if (std::adjacent_find(stores.begin(), stores.end(), std::greater_equal()) != stores.end())
    node.fail("expected stores in the order in which they are made, each once");
  return stores;
}

void read_trace(const Node& node, MeasureOptions& measure) {
  TraceOptions& options = measure.trace.emplace();
  options.warp = read_members(warp_rows(), node);
  if (!node.has("levels")) return;
  for (const auto& [variant, stores] : by_variant(node["levels"]))
    options.levels[variant] = read_stores(stores);
}

Json written_trace(const MeasureOptions& measure) {
  if (!measure.trace) return nullptr;
  Json json = write_members(warp_rows(), measure.trace->warp);
  json["levels"] = measure.trace->levels;
  return json;
}

/// The axes that every problem or most of them have; `redbench describe` tells of the others.
std::vector<Key> axis_keys() {
  return {{"n", sizes(), "sizes of the input, in elements; needed where no file decides it"},
          {"type", one_or_more(named("type", one_of(strings(type_names)))), "of the elements",
           name_of(Type::i32)},
          {"operator", one_or_more(named("operator", one_of(strings(operator_names)))), "what reduces them",
           name_of(Operator::sum)},
          {"values", one_or_more(named("values", values())),
           "what the elements are: a distribution, or a NumPy file next to the config or in the working "
           "directory",
           values_axis().fallback}};
}

std::vector<Key> experiment_keys() {
  return {{"title", text(), "what it shows"},
          needed({"problem", text(), "what is computed, as `redbench list` names it"}),
          needed({"variants", one_or_more(text()), "names without the problem, or globs: `shuffle_*_vec4`"}),
          {"axes", open_object(axis_keys(), true),
           "one value or a list for each axis: these, the problem's own (`redbench describe`), and launch "
           "parameters of the variants (sizes)",
           Json::object()},
          parameter_rows()[0].key};
}

std::vector<Key> plot_keys(const Columns& columns) {
  return {
      needed(
          {"name",
           text_like(
               "a file's name without ending: at most 100 letters, digits, `_`, `-` and `.`, not first a `.`",
               "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}"),
           "of the figure's file; no other plot may have it"}),
      {"title", text(), "above the figure; `2^28` is set as a power"},
      needed({"x", text(),
              "column along the axis: sizes and numbers give lines, names (`variant`, `type`) a dot or, for "
              "counts, a bar per name"}),
      needed({"y", one_or_more(named("quantity", one_of(columns.quantities))),
              "quantity; of a list each gets a panel, without those that no case has"}),
      {"series", list_of(text()),
       "columns whose values make up a line; an axis that would mix points of one line is added",
       Json::array()},
      {"logx", flag(), "a logarithmic axis, to base 2", false},
      {"logy", flag(), "the same for `y`, to base 10; bars stay linear", false},
      {"stacked", flag(),
       "over names, of `time_ns` and `ns_per_input`: the times of the launches (`measure.per_launch`) as "
       "bars, one after the other",
       false},
      {"ladder", flag(),
       "the variants of each experiment are the steps of a ladder: `redbench reproduce` counts what each "
       "does that the one before does not (`redbench why`)",
       false},
      {"where", rows_where(), "column to value or list of values: only these rows", Json::object()},
      {"groups", list_of(list_of(text(), "series")),
       "lists of series that share a colour, told apart by dash and marker", Json::array()},
      {"published",
       object({needed({"file", text(), "as in `results/papers/martin2012.csv`"}),
               {"where", rows_where(), "column of the file to value or list of values", Json::object()}}),
       "a paper's points, drawn together with the measured ones"}};
}

const Rows<CachesOptions>& caches_rows() {
  static const Rows<CachesOptions> rows{
      {{"machines", one_or_more(text()),
        "`host`, which is probed; a file of `configs/devices/caches/` by its name; or the path of "
        "another, `./mine.json`",
        CachesOptions().machines},
       [](const Node& node, CachesOptions& options) {
         options.machines.clear();
         for (const Node& name : node.one_or_more()) options.machines.push_back(name.text());
       },
       {}},
      row("models", &CachesOptions::models, cache_model_names,
          "`serial`: the thesis' simulator, one access after the other; `translated`: with pages and "
          "their TLB; `overlapped`: with these, and accesses that do not wait for each other at a time"),
      {needed({"loops", open_object({}, one_of(strings(loop_kind_names)).schema),
               "by variant, which loop it runs: `simple`, `presorted`, `dependent` or "
               "`dependent_presorted`; others are not predicted"}),
       [](const Node& node, CachesOptions& options) {
         for (const auto& [variant, kind] : by_variant(node))
           options.loops[variant] = LoopKind(kind.choice(strings(loop_kind_names)));
       },
       {}},
      row("steps", &CachesOptions::steps, whole(1, std::int64_t(1) << 40),
          "most steps of a loop that are simulated and counted; of a longer one as many more come "
          "before them, and the rest is taken to be alike")};
  return rows;
}

/// What a patch may hold: every key, or null, which removes it.
Json patch_schema(const std::vector<Key>& keys) {
  Json schema{{"type", "object"}, {"additionalProperties", false}};
  for (const Key& key : keys) {
    const bool merges = key.shape.schema.value("additionalProperties", Json(true)) == false;
    schema["properties"][key.name]["anyOf"] = {merges ? patch_schema(key.shape.members) : key.shape.schema,
                                               {{"type", "null"}}};
  }
  return schema;
}

std::vector<Key> config_keys(const Columns& columns) {
  std::vector<Key> keys{
      {"$schema", text(), "for editors: the path of `configs/schema.json`"},
      {"title", text(), "above tables; the config's name where it is missing"},
      needed({"experiments", list_of(named("experiment", object(experiment_keys())), "experiment"),
              "a list of what to compare, each entry the product of its axes over its variants"}),
      {"measure", object(keys_of(measure_rows())), "how to measure"},
      {"seed", whole(0, std::numeric_limits<Index>::max()), "of the random inputs", Config().seed},
      {"plots", list_of(named("plot", object(plot_keys(columns)))),
       "figures that `scripts/make_plots.py` draws from the records; the first is the one to look at first",
       Json::array()},
      {"caches", object(keys_of(caches_rows())),
       "what `redbench cachesim` predicts of the cases that run on the host"}};
  const Shape patch = named("patch", described("an object", patch_schema(keys)));
  for (const std::string_view target : target_names)
    keys.push_back(
        {patch_key(target), patch,
         fmt::format("what is other on {}: a merge patch (RFC 7396) of the keys above; lists are replaced "
                     "as a whole, null removes a key",
                     target)});
  return keys;
}

/// These keys and the members of objects among them, not those of lists.
void add_settable(const std::vector<Key>& keys, const std::string& before,
                  std::vector<std::pair<std::string, std::string>>& settable) {
  for (const Key& key : keys) {
    if (key.shape.members.empty()) settable.emplace_back(before + key.name, key.what);
    else if (key.shape.schema.value("type", "") != "array")
      add_settable(key.shape.members, before + key.name + ".", settable);
  }
}

}  // namespace

CachesOptions read_caches(const Node& node) { return read_members(caches_rows(), node); }

std::string patch_key(std::string_view target) { return "on_" + std::string(target); }

const Rows<MeasureOptions>& measure_rows() {
  static const Rows<MeasureOptions> rows{
      row("min_samples", &MeasureOptions::min_samples, whole(1, most_samples), "fewest samples of a case"),
      row("max_samples", &MeasureOptions::max_samples, whole(1, most_samples),
          "most samples of a case; at least `min_samples`"),
      row("max_noise", &MeasureOptions::max_noise, number_above(0),
          "half width of the median's confidence interval, in percent of the median, at which sampling "
          "stops"),
      row("timeout_s", &MeasureOptions::timeout_s, number_above(0),
          "most measuring time of a case in a mode, in seconds"),
      row("hang_s", &MeasureOptions::hang_s, number_above(0),
          "seconds of silence after which a worker process is killed: while a case runs, and a little "
          "later where none does, as while inputs are made"),
      row("forks", &MeasureOptions::forks, whole(1, most_forks),
          "processes that each cell is measured in, one after the other: the place of code, queue and data "
          "differs, so that the interval speaks of another run, not of the same one"),
      row("mode", &MeasureOptions::modes, mode_names,
          "`cold`: caches overwritten before each sample; `warm`: left as the case itself leaves them; "
          "`graph`: a captured graph, replayed over copies of the inputs that together exceed five times "
          "the L2 (GPUs only)"),
      row("per_launch", &MeasureOptions::per_launch, flag(), "times each launch apart, too"),
      row("energy", &MeasureOptions::energy, flag(), "on a GPU: energy per input, over a batch of runs"),
      row("scattered", &MeasureOptions::scattered, flag(),
          "where inputs have labels: the rates of reads and of atomics at random places, too"),
      row("counters", &MeasureOptions::counters, flag(),
          "on the modelled device: counts what the kernels do"),
      row("twice", &MeasureOptions::twice, flag(),
          "samples each case a second time in every round, as `redbench selftest` needs it: the record's "
          "`again_ns`"),
      row("digests", &MeasureOptions::digests, whole(0, 1000),
          "more runs of each case, whose results are compared bit by bit: the record's `result_digests`"),
      {{"trace",
        object(trace_keys()),
        "with `counters`: one warp, whose accesses of global memory the record lists",
        {}},
       read_trace,
       written_trace}};
  return rows;
}

const Rows<Experiment>& parameter_rows() {
  static const Rows<Experiment> rows{row(
      "parameters", &Experiment::parameters, parameters_from_names,
      "`printed`: launch parameters as `axes` or the card have them; `tuned`: those that `redbench tune` found "
      "for this device, at the nearest point; both: each variant that has parameters twice")};
  return rows;
}

const Shape& config_shape(const Columns& columns) {
  static std::map<std::vector<std::string>, Shape> shapes;  // of references that stay
  const auto [place, is_new] = shapes.try_emplace(columns.quantities);
  if (is_new) place->second = object(config_keys(columns));
  return place->second;
}

std::string schema_text(const Columns& columns) {
  return schema_text(
      config_shape(columns), "A redbench config",
      "Printed by `redbench schema`. redbench itself checks more: names of problems, variants and columns, "
      "parameters, files.");
}

std::string keys_markdown(const Columns& columns) { return keys_markdown(config_shape(columns)); }

std::vector<std::pair<std::string, std::string>> settable_keys() {
  std::vector<std::pair<std::string, std::string>> settable;
  add_settable(config_shape({}).members, "", settable);
  return settable;
}

std::string meaning_of_key(const std::string& path) {
  const auto keys = settable_keys();
  return std::ranges::find(keys, path, [](const auto& key) { return key.first; })->second;
}

}  // namespace redbench
