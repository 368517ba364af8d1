// redbench build: kernel files of one's own, compiled.
#include "src/plugins/build.hpp"

#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"

namespace redbench {
namespace {

int build(const std::vector<std::string>& folders) {
  if (folders.empty())
    throw UsageError("redbench build: a folder is missing, which holds <problem>/<name>.cu");
  for (const std::string& folder : folders)
    build_plugins(kernel_files(folder), [](const Plugin& plugin, double seconds) {
      fmt::print("{} for {}: {}\n", plugin.variant, target_names[std::size_t(plugin.target)],
                 seconds > 0 ? fmt::format("{:.1f} s", seconds) : "was there");
    });
  return exit_fine;
}

}  // namespace

void add_build(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  CLI::App& command = add_command(
      app,
      {.name = "build",
       .what = "compiles kernel files of your own for --kernels",
       .about =
           "Compiles each DIR/<problem>/<name>.cu, or .cpp for a CPU algorithm, as the program's own kernels are: "
           "for the modelled device and, where the program has CUDA and nvcc is here, for the GPU. "
           "--kernels DIR of other commands does the same before it loads them.",
       .writes =
           "a shared object for each in $XDG_CACHE_HOME/redbench or ~/.cache/redbench; nothing is removed there",
       .examples = {{"redbench build my_kernels", "compiles what has changed"},
                    {"redbench verify --kernels my_kernels -b '^reduce/mine$'", "and checks one of them"}},
       .see = "docs/adding_a_variant.md; redbench try"},
      exit_code, [folders] { return build(*folders); });
  add_arguments(command, "DIR", *folders, "folders of kernel files");
}

}  // namespace redbench
