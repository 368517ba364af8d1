// A config says what to compare: a JSON file, read with every mistake named by file and JSON path.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/config/tuned.hpp"
#include "src/device/device.hpp"
#include "src/json/json.hpp"
#include "src/registry.hpp"

namespace redbench {

enum class Mode : std::uint8_t { cold, warm, graph };
inline constexpr std::array<std::string_view, 3> mode_names{"cold", "warm", "graph"};

/// A warp whose accesses of global memory the record of each counted case lists.
struct TraceOptions {
  WarpPlace warp;
  /// By variant, without the problem: which of the warp's stores are levels of the variant's tree, a table of
  /// which is written.
  std::map<std::string, std::vector<Index>> levels;
};

struct MeasureOptions {
  int min_samples = 10;
  int max_samples = 200;
  double max_noise = 0.5;  // half width of the median's confidence interval, in percent of the median
  double timeout_s = 15;   // most measuring time per case and mode
  double hang_s = 120;     // a worker that is silent for this long while a case runs is killed
  int forks = 1;           // processes that each cell is measured in, one after the other
  /// The key `mode`.
  std::vector<Mode> modes{Mode::cold};
  bool per_launch = false;            // time each launch apart, too
  bool energy = false;                // a GPU's energy over a batch of runs, too
  bool scattered = false;             // what the device does at random places, where inputs have labels
  bool counters = false;              // on a device that can: count what the kernels do
  bool twice = false;                 // sample each case a second time in every round
  int digests = 0;                    // runs whose results are compared with each other, bit by bit
  std::optional<TraceOptions> trace;  // needs counters
};

/// `serial`: the thesis' simulator (Eilers 2014, 2.4), one access after the other, no address translation.
/// `translated`: with address translation. `overlapped`: also with independent accesses at the same time.
enum class CacheModel : std::uint8_t { serial, translated, overlapped };
inline constexpr std::array<std::string_view, 3> cache_model_names{"serial", "translated", "overlapped"};

/// Which loop of the simulator a variant runs.
enum class LoopKind : std::uint8_t { simple, presorted, dependent, dependent_presorted };
inline constexpr std::array<std::string_view, 4> loop_kind_names{"simple", "presorted", "dependent",
                                                                 "dependent_presorted"};

/// What `redbench cachesim` predicts of the cases.
struct CachesOptions {
  std::vector<std::string> machines{"host"};
  std::vector<CacheModel> models{CacheModel::serial};
  std::map<std::string, LoopKind> loops;  // by variant, without the problem
  std::int64_t steps = 1 << 20;
};

/// One product of axes over the variants of one problem.
struct Experiment {
  std::string title;
  std::string problem;
  std::vector<std::string> variants;  // names without the problem, each built in: globs are resolved
  /// Axis name -> values: "n" (integers), "type", "operator", the problem's own axes ("values", "layout",
  /// ...) and launch parameters of the variants ("block"). Always has n, type and operator.
  std::vector<std::pair<std::string, std::vector<Json>>> axes;
  std::vector<ParametersFrom> parameters{ParametersFrom::printed};
};

struct Config {
  std::string path;  // as given
  std::string name;  // path below configs/ without .json: "martin2012/fig4"
  std::string title;
  std::vector<Experiment> experiments;
  MeasureOptions measure;
  std::uint64_t seed = 1;
  Json plots = Json::array();           // for scripts/make_plots.py: checked, with sizes as numbers
  std::optional<CachesOptions> caches;  // for redbench cachesim; not in `resolved`
  std::optional<Tuned> tuned;           // where an experiment asks for it and there is a file (use_tuned)
  /// The whole config as it runs, after overrides. Kept in run.json, but for `measure`, which is each
  /// session's.
  Json resolved;
};

/// The columns of records that plots may name, besides the axes of problems and the parameters of variants.
/// Given by the caller, as config/ is below records/ and must not include it.
struct Columns {
  std::vector<std::string> quantities;  // numbers, which are drawn
  std::vector<std::string> all;         // these and others: by which rows are selected and grouped
};

/// What the command line changes in a config.
struct Overrides {
  std::vector<std::string> axes;  // "n=[16Mi:31Mi:1Mi]", "type=f32,f64"
  std::vector<std::string> sets;  // "measure.max_noise=1": any key by its path
  std::string variants;           // regular expression over variant names; empty: all
  std::string parameters;         // "printed,tuned": of all experiments; empty: as they say
};

/// Whether the regular expression `pattern` of -b matches any part of a variant's name. Throws UsageError for
/// a pattern that is not a regular expression.
bool fits_pattern(const std::string& name, const std::string& pattern);

/// Reads and checks a config. `target` picks the `on_simt`/`on_cuda`/`on_host` patch (RFC 7396 merge patches
/// of the whole config) that the file may hold; `columns` are what its plots may name. Throws UsageError:
/// "FILE: $.experiments[0].axes.n[2]: ...".
Config load_config(const std::string& path, Target target, const Overrides& overrides,
                   const Columns& columns);
/// The same of what such a file holds: `path` begins messages, and its folder is where input files are looked for.
Config parse_config(const Json& file, const std::string& path, Target target, const Overrides& overrides,
                    const Columns& columns);

/// A config of one variant over 2^20 values of its first pair, changed by `overrides`.
Config variant_config(const Variant& variant, Target target, const Overrides& overrides,
                      const Columns& columns);

/// Where an experiment asks for tuned parameters, finds them (find_tuned), and keeps those of the config's variants.
void use_tuned(Config& config, const std::string& file, const Device& device);

/// A config from Config::resolved that another process of this program has checked: nothing is checked again,
/// and no file is read.
Config deserialize_config(const std::string& path, const std::string& name, const Json& resolved);

/// The experiments and the seed of a config that a file holds, checked as those of a config are; variants
/// that are no longer built are left out. `place` begins the message of the UsageError that it throws.
Config stored_config(const std::string& place, const Json& resolved, const Columns& columns);

/// "; did you mean `configs/quick.json`?" for a config in the same folder or one of redbench's own; where
/// none is near, the folder of the latter.
std::string nearest_config(const std::string& path);

/// The paths of redbench's own configs, as a user in the working directory would write them, in order.
std::vector<std::string> own_configs();

inline constexpr Index largest_size = Index(1) << 40;

/// Sizes from "16Mi", "2^20", 4096, "[16Mi:31Mi:1Mi]" (both ends) or "[2^10:2^28:*2]". Throws UsageError
/// without the place, which the caller adds.
std::vector<Index> parse_sizes(const Json& value);
/// 16777216 -> "16Mi", 1000 -> "1000".
std::string format_size(Index value);

}  // namespace redbench
