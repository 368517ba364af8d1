// redbench plan: the cases of a config, without running any.
#include <fmt/format.h>
#include <unistd.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/plan/plan.hpp"
#include "src/plan/shard.hpp"
#include "src/records/columns.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

struct PlanFlags {
  Request config;
  bool json = false;
};

Json launch_json(const LaunchFacts& launch) {
  return {{"kernel", launch.kernel},
          {"blocks", launch.grid.blocks},
          {"threads", launch.grid.threads},
          {"dynamic_shared_bytes", launch.grid.shared_bytes},
          {"static_shared_bytes", launch.static_shared_bytes},
          {"cooperative", launch.grid.cooperative},
          {"registers", launch.registers},
          {"resident_blocks", launch.resident_blocks},
          {"occupancy", launch.occupancy},
          {"limiter", launch.limiter},
          {"bytes_read", launch.grid.bytes_read},
          {"bytes_written", launch.grid.bytes_written}};
}

Json case_json(const Case& c) {
  Json parameters = Json::object(), launches = Json::array();
  for (const auto& [name, value] : c.parameters) parameters[name] = value;
  for (const LaunchFacts& launch : c.footprint.launches) launches.push_back(launch_json(launch));
  return {{"key", c.key()},
          {"variant", c.variant->name},
          {"device", c.device},
          {"parameters", parameters},
          {"refusal", c.refusal.empty() ? Json() : Json(c.refusal)},
          {"launches", launches},
          {"chain", c.footprint.chain},
          {"scratch_bytes", c.footprint.scratch_bytes()},
          {"device_bytes", c.device_bytes()}};
}

Json cell_json(const Cell& cell) {
  Json json{{"problem", cell.problem->name},
            {"n", cell.input.n},
            {"type", name_of(cell.input.type)},
            {"operator", name_of(cell.input.op)}};
  json.update(cell.input.axes);
  json["cases"] = Json::array();
  for (const Case& c : cell.cases) json["cases"].push_back(case_json(c));
  return json;
}

int plan(const PlanFlags& flags) {
  OpenDevices open(flags.config.device);
  Config config =
      load_config(flags.config.config, open.kernels->target(), flags.config.overrides, record_columns());
  use_tuned(config, flags.config.tuned, *open.kernels);
  const Plan whole = make_plan(config, open.devices());
  const Plan plan = chosen_part(whole, cells_of_shard(flags.config.shard, whole, config.measure, true));
  if (!flags.json) {
    print_wrapped(fmt::format(
        "{} on {} ({})\n{}", printable(config.title), printable(open.kernels->name()),
        printable(open.kernels->facts().name),
        format_plan(plan, seconds_of(plan, config.measure, open.devices()), terminal_width(STDOUT_FILENO))));
    return exit_fine;
  }
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) cells.push_back(cell_json(cell));
  fmt::print("{}\n", Json{{"config", config.resolved},
                          {"device", open.kernels->name()},
                          {"cases", plan.cases()},
                          {"runnable", plan.runnable()},
                          {"peak_bytes", plan.peak_bytes()},
                          {"cells", cells}}
                         .dump(2));
  return exit_fine;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<PlanFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "plan",
       .what = "the cases of a config, their launches and memory, what is refused",
       .about = "Reads a config as `run` does, with every check, and prints what it would measure: a row for "
                "each case with its launches, grid and occupancy, those that are refused with the reason, "
                "the memory and the time that a run takes. Nothing is run.",
       .examples = {{"redbench plan configs/quick.json", "on the best device there is"},
                    {"redbench plan configs/martin2012/fig4.json -d simt:gtx480 -a n=1Mi",
                     "on a modelled GTX 480, at one size"}},
       .see = "configs/README.md; redbench run"},
      exit_code, [flags] { return plan(*flags); });
  add_config_flags(command, flags->config);
  add_shard_flag(command, flags->config.shard);
  add_flag(command, "--json", flags->json, "the whole plan as JSON");
}

}  // namespace redbench
