// redbench cachesim: predicts the cases of a config by simulating their accesses.
#include <fmt/format.h>

#include <filesystem>

#include "src/cachesim/cachesim.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/shell.hpp"
#include "src/tables/tables.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct CachesimFlags {
  std::string config, run, out;
  Overrides overrides;
  std::vector<std::string> machines;
  bool replace = false, no_plot = false;
  TableWidth width;
};

/// The last is written first: where it is, so are the others.
constexpr const char* files[] = {"predictions.csv", "predictions.md", "predictions.svg", "predictions.png",
                                 "predictions.json"};

/// Where the predictions go. Nothing is made or removed before all else has been checked.
std::string checked_folder(const CachesimFlags& flags, const Config& config) {
  const std::string folder = flags.out.empty() ? "results/cachesim/" + config.name : flags.out;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw UsageError(fmt::format("--out {}: is no folder", folder));
  for (const char* file : files)
    if (!flags.replace && fs::exists(folder + "/" + file, error))
      throw UsageError(fmt::format("{} holds {}; --replace writes predictions again", folder, file));
  return folder;
}

std::optional<StoredRun> run_of(const CachesimFlags& flags, const Config& config) {
  if (!flags.run.empty()) {
    StoredRun run = read_stored_run(flags.run);
    if (run.name() != config.name)
      throw UsageError(
          fmt::format("--run {}: holds a run of {}, not of {}", flags.run, run.name(), config.name));
    return run;
  }
  const std::string usual = results_folder("host", config.name);
  if (std::error_code error; fs::exists(usual + "/run.json", error)) return read_stored_run(usual);
  return {};
}

cachesim::Machine probed() {
  fmt::print(stderr, "probing this machine's caches\n");
  cachesim::Machine machine = probe_host();
  machine.title = make_host()->facts().name;
  machine.source = "redbench's probe of this machine";
  return machine;
}

std::vector<cachesim::Machine> machines_of(const std::vector<std::string>& names) {
  std::vector<cachesim::Machine> machines(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != "host") machines[i] = load_machine(names[i]);
  // Last: a mistake in a file shows before the probe.
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == "host") machines[i] = probed();
  for (std::size_t i = 0; i < machines.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (machines[i].name == machines[j].name)
        throw UsageError(fmt::format("two machines are called `{}`", machines[i].name));
  return machines;
}

std::string report(const Config& config, const std::vector<cachesim::Machine>& machines, const Table& table) {
  std::string text = fmt::format("# {}: predicted\n\n{}\n", markdown_text(config.title), markdown(table));
  for (const cachesim::Machine& machine : machines) {
    text += fmt::format("\n{}: {}. {}\n", markdown_text(machine.name), markdown_text(machine.title),
                        markdown_text(machine.source));
    for (const std::string& sentence : machine.unsure)
      text += fmt::format("- not sure: {}\n", markdown_text(sentence));
  }
  return text;
}

/// Gives the figure's path, empty where there is no Python for it.
std::string draw(const std::string& json) {
  const std::string script = (own_files() / "scripts" / "plot_cachesim.py").string();
  return first_line_of(
      fmt::format("{} {} {}", shell_quoted(own_python()), shell_quoted(script), shell_quoted(json)));
}

int predict_cases(const CachesimFlags& flags) {
  OpenDevices open("host");
  Config config = load_config(flags.config, Target::host, flags.overrides, record_columns());
  if (!config.caches)
    throw UsageError(fmt::format(
        "{}: the key `caches` is missing: which loops are simulated, on which machines", flags.config));
  const std::string folder = checked_folder(flags, config);
  const std::optional<StoredRun> run = run_of(flags, config);
  const Plan plan = make_plan(config, open.devices());
  const std::vector<cachesim::Machine> machines =
      machines_of(flags.machines.empty() ? config.caches->machines : flags.machines);
  const Predictions predictions = predict(config, plan, machines, run ? &*run : nullptr);

  const Table table = prediction_table(predictions);
  fs::create_directories(folder);
  for (const char* file : files) fs::remove(fs::path(folder) / file);
  write_file(folder + "/predictions.json", indented(prediction_json(config, machines, predictions)));
  write_file(folder + "/predictions.csv", prediction_csv(predictions));
  write_file(folder + "/predictions.md", report(config, machines, table));
  for (const cachesim::Machine& machine : machines)
    if (machine.name == "host") write_file(folder + "/host.json", serialize_machine(machine).dump(1) + '\n');
  fmt::print(
      "{}\n{}\nthe table is in {}\n", printable(config.title),
      aligned(fit(table, std::size_t(flags.width.printed())), false, std::size_t(flags.width.printed())),
      printable(folder + "/predictions.md"));
  if (flags.no_plot) return exit_fine;
  const std::string figure = draw(folder + "/predictions.json");
  if (figure.empty()) {
    fmt::print(stderr,
               "redbench: no figure: `redbench doctor` says whether Python has what it takes; then "
               "scripts/plot_cachesim.py {}\n",
               printable(folder + "/predictions.json"));
    return exit_failed;
  }
  fmt::print("the figure is in {}\n", printable(figure));
  return exit_fine;
}

}  // namespace

void add_cachesim(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<CachesimFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "cachesim",
       .what = "a config's CPU cases, predicted by a simulator of caches",
       .about = "Takes a config whose `caches` names loops and machines, simulates each access of them "
                "through caches and address translation, and says what the cases should take, beside what "
                "was measured where there is a run. Machines are those of configs/devices/caches, files of "
                "yours, or `host`, whose caches are probed first, in half a minute.",
       .writes = "predictions.json, .csv and .md and a figure in results/cachesim/CONFIG, or --out",
       .exits = {{exit_failed,
                  "there is no figure, as Python lacks what it takes (--no-plot does without); or the "
                  "machine failed"}},
       .examples = {{"redbench cachesim configs/eilers2014/table2.1.json --machine core2_t7300",
                     "a table of the thesis, on its own machine"},
                    {"redbench cachesim configs/eilers2014/fig2.8.json --set caches.steps=65536",
                     "by fewer accesses"}},
       .see = "docs/caches.md; redbench doctor --caches"},
      exit_code, [flags] { return predict_cases(*flags); });
  add_argument(command, "CONFIG", flags->config, "a config with the key `caches`");
  add_option(
      command, "-m,--machine", flags->machines, "MACHINE",
      "instead of the config's: `host`, a name of configs/devices/caches, or a file (./mine.json); may "
      "be given several times");
  add_option(command, "--run", flags->run, "DIR",
             "the run of this config that the predictions for this host stand beside "
             "(results/host/CONFIG where it is)");
  add_option(command, "-o,--out", flags->out, "DIR",
             "the folder for tables and figure (results/cachesim/CONFIG)");
  add_flag(command, "--replace", flags->replace, "writes the predictions that are there again");
  add_option(command, "-a,--axis", flags->overrides.axes, "NAME=VALUES", "as of `redbench run`");
  add_variants_flag(command, flags->overrides.variants);
  add_option(command, "--set", flags->overrides.sets, "KEY=VALUE",
             "as of `redbench run`: caches.steps=65536");
  add_flag(command, "--no-plot", flags->no_plot, "tables alone");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
