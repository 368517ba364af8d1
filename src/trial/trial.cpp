#include "src/trial/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "src/best/best.hpp"
#include "src/claims/evidence.hpp"
#include "src/compare/comparison.hpp"
#include "src/device/devices.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/plan/plan.hpp"
#include "src/plugins/load.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_file.hpp"
#include "src/run/run.hpp"
#include "src/run/verification.hpp"
#include "src/shell.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/trial/tried_file.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

constexpr int forks = 2;
const Json sizes = {1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 26};

/// One trial: what is known before anything is run.
struct Trial {
  const TrialOptions& options;
  TriedFile file;
  const Variant* variant;   // the file's
  std::string before = {};  // the variant of its last right version; empty: none
  std::string fastest =
      {};  // that keeps the same order and has a kernel of its own, by records; empty: none known
  std::vector<std::string> libraries = {};

  /// The kernels that the file is explained against.
  std::vector<std::string> others() const {
    std::vector<std::string> names{fastest, before};
    std::erase(names, "");
    return names;
  }
  /// All that it is timed against.
  std::vector<std::string> rivals() const {
    std::vector<std::string> names = libraries;
    std::ranges::copy(others(), std::back_inserter(names));
    return names;
  }
};

std::string only_this(const std::string& variant) { return "^" + variant + "$"; }

/// Compiles and loads the file, and what it was before where that still compiles.
Trial begin(const TrialOptions& options) {
  Trial trial{options, TriedFile(options.file), nullptr};
  use_kernel_files({trial.file.now()}, [](const Plugin& plugin, double seconds) {
    if (seconds > 0)
      fmt::print("compiled for {} in {:.1f} s\n", target_names[std::size_t(plugin.target)], seconds);
    std::fflush(stdout);  // before what a compiler says
  });
  if (const auto before = options.only.empty() ? trial.file.before() : std::nullopt) {
    try {
      use_kernel_files({*before});
      trial.before = before->variant;
    } catch (const UsageError& error) {
      fmt::print("the version before is not compared: {}\n", printable(error.what()));
    }
  }
  trial.variant = find_variant(trial.file.now().variant);
  return trial;
}

/// The pair of type and operator that is timed and counted: sums of i32, else the first that the variant takes.
const Instance& shown_pair(const Variant& variant, Target target) {
  const Instance* const usual = variant.instance(target, Type::i32, Operator::sum);
  return usual && usual->run ? *usual : *variant.first_taken(target);
}

void find_rivals(Trial& trial, Target target) {
  const Variant& tried = *trial.variant;
  for (const Variant& variant : variants())
    if (variant.problem == tried.problem && variant.card.library_only && variant.first_taken(target))
      trial.libraries.push_back(variant.name);
  const Instance& pair = shown_pair(tried, target);
  Question question{.problem = tried.problem,
                    .keeps_order = tried.card.order == Order::any,
                    .reproducible = tried.gives_same_bits(false)};
  question.exact = {{"type", std::string(name_of(pair.type))}, {"operator", std::string(name_of(pair.op))}};
  try {
    const auto runs = runs_of_problem(trial.options.records, tried.problem);
    for (const Json& n : sizes | std::views::reverse) {
      question.sizes["n"] = n;
      for (const Ranked& ranked : best(runs, question).ranked) {
        const Variant* const variant = find_variant(ranked.record["variant"].get<std::string>());
        if (!variant || variant->card.library_only || !variant->first_taken(target)) continue;
        trial.fastest = variant->name;
        return;
      }
    }
  } catch (const UsageError&) {  // no record answers
  }
}

/// The battery on a device, with every access checked on few shapes and pairs. Prints the verdict; of what is wrong the
/// first case, and how to repeat it alone.
int check(const Trial& trial, const std::string& device, bool races) {
  Request request;
  request.device = device;
  request.overrides.variants = only_this(trial.variant->name);
  Work work = make_work({.kind = Job::Kind::verify,
                         .request = request,
                         .schedules = races ? 3 : 1,
                         .races = races,
                         .breadth = races && trial.options.only.empty() ? Breadth::few : Breadth::whole});
  work.config.measure.hang_s /= 4;  // somebody waits
  const Verification verification = run_battery(work, true, trial.options.only);
  if (!verification.complete) return exit_interrupted;
  const Tally& tally = verification.tallies.at(trial.variant->name);
  const std::size_t passed = tally.count(Outcome::passed);
  const auto print_case = [&](const std::string& key, const std::string& reason) {
    print_wrapped(fmt::format("  {}\n  {}\n", printable(key), printable(reason)));
    fmt::print("again alone: redbench try {} -d {} --only {}\n", shell_quoted(trial.options.file), device,
               shell_quoted(key));
  };
  if (tally.bad.empty()) {
    const std::size_t refused = tally.count(Outcome::unsupported);
    fmt::print("right on {}: {} cases{}{}, {:.1f} s\n", work.devices->kernels->name(), passed,
               races ? ", every access checked" : "", refused ? fmt::format("; {} refused", refused) : "",
               verification.seconds);
    return verification.exit_code();
  }
  const BadCase& first = tally.bad[0];
  const auto untried = std::size_t(std::ranges::count(tally.bad, not_tried, &BadCase::reason));
  const std::size_t failed = tally.bad.size() - untried;
  fmt::print("{} on {}: {} of {} cases{}; the first, under schedule {}:\n", first.outcome,
             work.devices->kernels->name(), failed, passed + failed,
             untried ? fmt::format(", {} not tried", untried) : "", first.schedule);
  print_case(first.key, first.reason);
  return verification.exit_code();
}

/// A config with the variants, in rounds, at five sizes; its path.
std::string write_config(const Trial& trial, Target target) {
  const Instance& pair = shown_pair(*trial.variant, target);
  Json names = Json::array({trial.variant->short_name});
  for (const std::string& rival : trial.rivals()) names.push_back(find_variant(rival)->short_name);
  const Json config{
      {"title", trial.variant->name + " as it is now"},
      {"experiments",
       {{{"problem", trial.variant->problem},
         {"variants", names},
         {"axes", {{"n", sizes}, {"type", name_of(pair.type)}, {"operator", name_of(pair.op)}}}}}},
      {"measure", {{"forks", forks}}}};
  const std::string path = trial.file.folder() / "try.json";
  write_file(path, indented(config));
  return path;
}

void print_table(const Trial& trial, const Table& table) {
  const auto width = std::size_t(trial.options.width.printed());
  fmt::print("\n{}", aligned(fit(table, width), false, width));
}

/// The launches of the file at the middle size: what a block has, and what limits how many there are at once.
void print_launches(const Trial& trial, const std::string& config_path, OpenDevices& open) {
  Overrides overrides;
  overrides.variants = only_this(trial.variant->name);
  overrides.axes = {fmt::format("n={}", sizes[2].get<Index>())};
  const Plan plan = make_plan(load_config(config_path, open.kernels->target(), overrides, record_columns()),
                              open.devices());
  for (const LaunchFacts& launch : plan.cells.at(0).cases.at(0).footprint.launches) {
    std::string text =
        fmt::format("{}: {} x {} threads, {} bytes of shared memory each", launch.kernel, launch.grid.blocks,
                    launch.grid.threads, launch.grid.shared_bytes + launch.static_shared_bytes);
    if (launch.registers)
      text += fmt::format("; {} registers, {} bytes of local memory (spills, arrays)", launch.registers,
                          launch.local_bytes);
    print_wrapped(
        fmt::format("{}; occupancy {:.0f} %, limited by {}\n", text, 100 * launch.occupancy, launch.limiter));
  }
}

/// Times of all, then the file against each of the others.
int measure(const Trial& trial, const std::string& config_path, const std::string& device) {
  RunOptions options;
  options.request.config = config_path;
  options.request.device = device;
  options.to = {.folder = trial.file.folder() / "run", .replace = true};
  options.quiet = true;
  const int code = run(options);
  const StoredRun stored = read_stored_run(options.to.folder);
  std::vector<Record> own = stored.records;
  std::erase_if(own, [&](const Record& record) { return record["variant"] != trial.variant->name; });
  print_table(trial, case_table(own, {}));
  if (own.empty() || code == exit_interrupted) return code;
  CompareOptions compared;
  compared.threshold_percent = least_difference_percent(trial.options.records, own[0]["hardware"]);
  for (const std::string& rival : trial.rivals()) {
    try {
      const Comparison comparison = compare_variants(stored, rival, trial.variant->name, compared);
      fmt::print("\nagainst {}: {}", rival, comparison.summary());
      print_table(trial, comparison_table(comparison));
    } catch (const UsageError& error) {  // it cannot run here
      fmt::print("\nagainst {}: {}\n", rival, printable(error.what()));
    }
  }
  return code;
}

/// On as many inputs as `why` counts, or on few where a variant has too many accesses for that.
KernelStep why_on_a_countable_input(const std::string& first, const std::string& second, WhyOptions options) {
  try {
    return why(first, second, options);
  } catch (const UsageError&) {
    options.request.overrides.axes.push_back("n=16Ki");
    return why(first, second, options);
  }
}

/// What the modelled device counts most differently of the file and of the others.
void explain(const Trial& trial, const std::string& model) {
  constexpr std::size_t most = 5;
  const auto width = std::size_t(trial.options.width.printed());
  const Instance& pair = shown_pair(*trial.variant, Target::simt);
  if (trial.others().empty())
    fmt::print("\ncompared with no other: of {} of {} no record ranks a kernel that promises as much\n",
               name_of(pair.op), name_of(pair.type));
  for (const std::string& other : trial.others()) {
    WhyOptions options;
    options.request.device = model;
    options.request.overrides.axes = {fmt::format("type={}", name_of(pair.type)),
                                      fmt::format("operator={}", name_of(pair.op))};
    try {
      const KernelStep step = why_on_a_countable_input(other, trial.variant->name, options);
      fmt::print("\nagainst {}, on {}:\n", other, printable(shown_case(step.counted_case)));
      for (std::size_t i = 0; i < std::min(most, step.sentences.size()); ++i)
        fmt::print("{}", paragraph("- " + step.sentences[i], width, "  "));
      if (step.sentences.empty()) fmt::print("- No count is more than 1 % apart.\n");
    } catch (const UsageError& error) {
      fmt::print("\nagainst {}: {}\n", other, printable(error.what()));
    }
  }
}

}  // namespace

int try_kernel(const TrialOptions& options) {
  Trial trial = begin(options);
  OpenDevices open(trial.variant->on_host() ? "host" : options.device);
  const Target target = open.kernels->target();
  const bool modelled = target == Target::simt;
  const std::string model = modelled ? open.kernels->name() : "simt";
  if (!trial.variant->built_for(target))
    throw UsageError(fmt::format("{}: is not compiled for {}{}", options.file, open.kernels->name(),
                                 target == Target::cuda ? ": nvcc is not here" : ", which runs .cpp files"));
  if (!trial.variant->on_host())
    if (const int code = check(trial, model, true)) return code;
  if (!modelled || options.only.empty())
    if (const int code = check(trial, open.kernels->name(), false)) return code;
  if (!options.only.empty()) return exit_fine;
  find_rivals(trial, target);
  const std::string config_path = write_config(trial, target);
  print_launches(trial, config_path, open);
  const int code = modelled ? exit_fine : measure(trial, config_path, open.kernels->name());
  if (trial.variant->built_for(Target::simt)) explain(trial, model);
  if (code == exit_fine) trial.file.keep();
  return code;
}

}  // namespace redbench
