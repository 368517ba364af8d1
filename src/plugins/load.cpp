#include "src/plugins/load.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "src/error.hpp"
#include "src/json/json.hpp"
#include "src/plugins/build.hpp"
#include "src/records/columns.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

/// By which a worker knows what its parent has loaded: a list of plugins as JSON.
constexpr const char* inherited = "REDBENCH_PLUGINS";

[[noreturn]] void refuse(const Plugin& plugin, const std::string& why) {
  throw UsageError(plugin.source.string() + ": " + why);
}

void* open(const Plugin& plugin) { return ::dlopen(plugin.object.c_str(), RTLD_NOW | RTLD_LOCAL); }

/// What the constructors of a stranger's file do may end a process, or take for ever.
void try_to_load(const Plugin& plugin) {
  constexpr unsigned patience_s = 20;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse(plugin, "no pipe can be made to try to load it");
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience_s);
    const char* const answer = open(plugin) ? "+" : ::dlerror();
    ::_exit(::write(ends[1], answer, std::strlen(answer)) < 0);
  }
  ::close(ends[1]);
  std::string said(4096, '\0');
  const ssize_t got = ::read(ends[0], said.data(), said.size());
  said.resize(std::size_t(std::max<ssize_t>(got, 0)));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (said == "+") return;
  if (WIFSIGNALED(status))
    refuse(plugin, fmt::format("ends the process as it is loaded, by signal {} ({})", WTERMSIG(status),
                               ::strsignal(WTERMSIG(status))));
  refuse(plugin, said.empty() ? "ends the process as it is loaded" : "cannot be loaded: " + said);
}

void load(const Plugin& plugin) {
  if (!open(plugin)) refuse(plugin, std::string("cannot be loaded: ") + ::dlerror());
  Variant* const variant = find_registered(plugin.variant);
  if (!variant || !variant->built_for(plugin.target))
    refuse(plugin, "registers no variant: REDBENCH_VARIANT is missing");
  variant->source = plugin.source.string();
  variant->code_hash = variant->byte_hash = plugin.hash;
}

void check_names(const std::vector<KernelFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t other = 0; other < i; ++other)
      if (files[other].variant == files[i].variant)
        throw UsageError(fmt::format("{}: there is a {} already, {}; take another name",
                                     files[i].path.string(), files[i].variant, files[other].path.string()));
    if (find_registered(files[i].variant))
      throw UsageError(fmt::format("{}: there is a {} already, which is built in; take another name",
                                   files[i].path.string(), files[i].variant));
  }
}

}  // namespace

void use_kernels(const std::vector<std::string>& folders) {
  std::vector<KernelFile> files;
  for (const std::string& folder : folders) {
    for (const KernelFile& file : kernel_files(folder))
      if (!std::ranges::count(files, file.path, &KernelFile::path))
        files.push_back(file);  // a folder given twice
  }
  check_names(files);
  use_kernel_files(files);
}

void use_kernel_files(const std::vector<KernelFile>& files, const PluginReport& ready) {
  static Json list = Json::array();  // of all calls
  for (const Plugin& plugin : build_plugins(files, ready)) {
    try_to_load(plugin);
    load(plugin);
    list.push_back(
        {plugin.variant, plugin.source.string(), plugin.hash, int(plugin.target), plugin.object.string()});
  }
  check_parameters(registered_variants());
  ::setenv(inherited, list.dump().c_str(), 1);
}

void use_kernels_of_parent() {
  const char* const told = std::getenv(inherited);
  if (!told) return;
  for (const Json& plugin : Json::parse(told))
    load({plugin[0],
          plugin[1].get<std::string>(),
          {},
          plugin[2],
          Target(plugin[3].get<int>()),
          plugin[4].get<std::string>()});
}

}  // namespace redbench
