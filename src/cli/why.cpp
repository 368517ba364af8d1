// redbench why: what one kernel does that another does not.
#include "src/why/why.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/tables/tables.hpp"

namespace redbench {
namespace {

struct WhyFlags {
  std::vector<std::string> names;
  WhyOptions options;
  std::string n;
  bool json = false;
  TableWidth width;
};

std::vector<KernelStep> steps_of(const WhyFlags& flags) {
  WhyOptions options = flags.options;
  if (!flags.n.empty()) options.request.overrides.axes.push_back("n=" + flags.n);
  if (std::error_code error; options.results.empty() && std::filesystem::is_directory("results", error))
    options.results = {"results"};
  const bool is_config = flags.names.size() == 1 && !find_variant(flags.names[0]);
  if (is_config) return steps_of_config(flags.names[0], options);
  if (flags.names.size() == 2) return {why(flags.names[0], flags.names[1], options)};
  throw UsageError(fmt::format(
      "redbench why: {} given; two kernels are compared, or those of a config",
      flags.names.size() == 1 ? "one kernel is" : fmt::format("{} names are", flags.names.size())));
}

int why(const WhyFlags& flags) {
  const std::vector<KernelStep> steps = steps_of(flags);
  if (!flags.json) {
    for (const KernelStep& step : steps)
      fmt::print("{}{}", &step == steps.data() ? "" : "\n", text_of(step, flags.width.printed()));
    return exit_fine;
  }
  Json all = Json::array();
  for (const KernelStep& step : steps) all.push_back(to_json(step));
  fmt::print("{}", indented(flags.names.size() == 2 ? all[0] : all));
  return exit_fine;
}

}  // namespace

void add_why(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<WhyFlags>();
  flags->options.request.device = "simt";
  CLI::App& command = add_command(
      app,
      {.name = "why",
       .what = "two kernels side by side: what differs, and by which source lines",
       .about = "Compares two kernels of one problem on one input: what the modelled device "
                "counts of each, the largest difference first, with the source lines that it comes from; "
                "occupancy, launches and bytes; and their times, where records have both. Which difference "
                "costs the time is for the reader to say. The variants of a config are compared "
                "in their order, each with the one before it.",
       .examples = {{"redbench why reduce/harris2 reduce/harris3", "what a step of the ladder changes"},
                    {"redbench why segreduce/tb2 segreduce/matrix -a n=30Ki -a segments=fixed:3",
                     "with segments of 3"},
                    {"redbench why configs/slides/table.json --n 64Ki --json",
                     "every step of a table, as JSON"}},
       .see = "docs/reproduce.md (Why one kernel is faster), docs/simt.md"},
      exit_code, [flags] { return why(*flags); });
  add_arguments(
      command, "VARIANT|CONFIG", flags->names,
      "two kernels of one problem, over 2^20 values; or a config, whose variants are taken in their order");
  add_size(command, "--n", flags->n, "as -a n=SIZE");
  add_option(command, "-a,--axis", flags->options.request.overrides.axes, "NAME=VALUE",
             "of the input, or a parameter that both take: type=f32, segments=fixed:3, block=128");
  add_device_flag(command, flags->options.request.device);
  add_kernels_flag(command);
  add_option(command, "--results", flags->options.results, "DIR",
             "where times of both are looked for (results); may be given several times");
  add_flag(command, "--json", flags->json, "as JSON; of a config a list");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
