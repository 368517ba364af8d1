#include "src/plugins/build.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libelf.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "src/build_facts.hpp"
#include "src/error.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/own_files.hpp"
#include "src/parallel.hpp"
#include "src/shell.hpp"
#include "src/text/sha256.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// A compiler of kernels as it is here.
struct Compiler {
  std::string program;  // empty: not here
  std::string version;
};

/// By its path at the build, else by its name.
Compiler compiler_of(Target target) {
  const KernelCompiler& built = build_facts.kernel_compilers[std::size_t(target)];
  std::string program = built.program;
  if (program.empty()) return {};
  if (::access(program.c_str(), X_OK) != 0) program = fs::path(program).filename();
  const std::string quoted = shell_quoted(program);
  std::string version =
      target == Target::cuda
          ? first_line_of(quoted + " --version 2>/dev/null | sed -n 's/.*, V\\([0-9.]*\\)$/\\1/p'")
          : first_line_of(quoted + " -dumpfullversion 2>/dev/null");
  if (version.empty()) return {};
  return {program, version};
}

/// Those that a file is compiled for.
std::vector<Target> targets_of(const KernelFile& file, bool with_cuda) {
  if (file.on_host()) return {Target::host};
  return with_cuda ? std::vector{Target::simt, Target::cuda} : std::vector{Target::simt};
}

void check_compiler(const Compiler& compiler, Target target) {
  const KernelCompiler& built = build_facts.kernel_compilers[std::size_t(target)];
  if (compiler.program.empty())
    throw UsageError(fmt::format("--kernels: there is no `{}` {} to compile kernels with",
                                 fs::path(built.program).filename().string(), built.version));
  if (compiler.version != built.version)
    throw UsageError(fmt::format(
        "--kernels: `{}` is {}, and this program's kernels were compiled by {}: counts and times could "
        "not be compared; build redbench with this compiler, or install that one",
        compiler.program, compiler.version, built.version));
}

/// Of all that the object follows from, in 40 digits.
std::string object_name(const Plugin& plugin, const std::string& language_hash, const Compiler& compiler) {
  const KernelCompiler& built = build_facts.kernel_compilers[std::size_t(plugin.target)];
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", build_facts.version, plugin.variant,
                            plugin.source.string(), plugin.hash, language_hash, compiler.program,
                            compiler.version, built.flags, built.link_flags))
      .substr(0, 40);
}

/// One object's compilation by a shell. Standard output and errors go to `log`.
int compile(const Plugin& plugin, const Compiler& compiler, const std::string& made, const std::string& log) {
  const KernelCompiler& built = build_facts.kernel_compilers[std::size_t(plugin.target)];
  const std::string program = shell_quoted(compiler.program), own = own_files().string();
  const std::string object = shell_quoted(made + ".o"), shared = shell_quoted(made);
  // As the program's own files: no name says where redbench's headers lie.
  std::string maps;
  for (const char* kind : {"debug", "macro"}) {
    const std::string map = fmt::format("-f{}-prefix-map={}/=/redbench-source/", kind, own);
    maps += " " + shell_quoted(plugin.target == Target::cuda ? "-Xcompiler=" + map : map);
  }
  const std::string id = plugin.object.stem();
  return status_of(fmt::format(
      "{{ {0} {1} {2} -DREDBENCH_VARIANT_NAME={3} -I{4}{12} -o {5} -c {6} && {0} {7} {8}--build-id=0x{9} -o {10} {5}; }} "
      ">{11} 2>&1",
      program, built.flags, maps, shell_quoted('"' + plugin.variant + '"'), shell_quoted(own), object,
      shell_quoted(plugin.source), built.link_flags, plugin.target == Target::cuda ? "-Xlinker " : "-Wl,", id,
      shared, shell_quoted(log), plugin.beside.empty() ? "" : " -I" + shell_quoted(plugin.beside)));
}

/// What the compiler said, and whether it made the object.
struct Compilation {
  std::string said;
  bool failed = false;
};

/// Beside its place, then renamed: another redbench may build the same.
Compilation build(const Plugin& plugin, const Compiler& compiler) {
  const std::string made = fmt::format("{}.{}", plugin.object.string(), ::getpid()), log = made + ".log";
  const int status = compile(plugin, compiler, made, log);
  const std::string said = read_text(log);
  std::error_code error;
  fs::remove(log, error);
  fs::remove(made + ".o", error);
  if (status == exit_interrupted) {  // as the compiler, so this program
    fs::remove(made, error);
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  if (status == 0) fs::rename(made, plugin.object, error);
  if (error) return {fmt::format("{}: {}\n", plugin.object.string(), error.message()), true};
  return {said, status != 0};
}

}  // namespace

fs::path plugin_cache() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && fs::path(cache).is_absolute()) return fs::path(cache) / "redbench";
  const char* const home = std::getenv("HOME");
  if (home && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "redbench";
  throw UsageError(
      "HOME and XDG_CACHE_HOME are not set: there is no folder for what redbench keeps (compiled kernels, searches)");
}

std::string build_id_of(const fs::path& object) {
  const int file = ::open(object.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  elf_version(EV_CURRENT);
  Elf* const elf = elf_begin(file, ELF_C_READ, nullptr);
  const void* bytes = nullptr;
  std::size_t sections = 0;  // their table is the file's end
  const bool is_whole = elf && elf_getshdrnum(elf, &sections) == 0 && elf_getscn(elf, sections - 1);
  const ssize_t length = is_whole ? dwelf_elf_gnu_build_id(elf, &bytes) : 0;
  std::string id;
  for (ssize_t i = 0; i < length; ++i)
    id += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  elf_end(elf);
  ::close(file);
  return id;
}

std::vector<Plugin> build_plugins(const std::vector<KernelFile>& files, const PluginReport& ready) {
  if (own_files().empty())
    throw UsageError(
        "--kernels: this program was carried here without its kernels/, which a kernel file includes");
  const fs::path contract = own_files() / "kernels" / "variant.hpp";
  if (byte_hash_of(parts_of({contract, ""})) != contract_hash)
    throw UsageError(fmt::format(
        "--kernels: {}, or what it includes, is not as it was when this program was built; build it again",
        contract.string()));
  const std::string language_hash = byte_hash_of({contract.parent_path() / "contract" / "cuda_language.hpp",
                                                  contract.parent_path() / "contract" / "simt_language.hpp"});
  const fs::path cache = plugin_cache();
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) throw UsageError(cache.string() + ": " + error.message());

  std::array<Compiler, 3> compilers;
  for (const Target target : {Target::simt, Target::host, Target::cuda})
    compilers[std::size_t(target)] = compiler_of(target);
  std::vector<Plugin> plugins;
  std::vector<std::size_t> missing;
  for (const KernelFile& file : files) {
    const std::string hash = byte_hash_of(parts_of(file));
    for (const Target target : targets_of(file, !compilers[std::size_t(Target::cuda)].program.empty())) {
      const Compiler& compiler = compilers[std::size_t(target)];
      check_compiler(compiler, target);
      Plugin plugin{file.variant, file.path, file.beside, hash, target};
      plugin.object = cache / (object_name(plugin, language_hash, compiler) + ".so");
      if (build_id_of(plugin.object) != plugin.object.stem()) missing.push_back(plugins.size());
      else if (ready) ready(plugin, 0);
      plugins.push_back(std::move(plugin));
    }
  }
  std::vector<Compilation> compilations(missing.size());
  std::vector<double> seconds(missing.size());
  in_parallel(missing.size(), [&](std::size_t i) {
    const Plugin& plugin = plugins[missing[i]];
    const auto start = std::chrono::steady_clock::now();
    compilations[i] = build(plugin, compilers[std::size_t(plugin.target)]);
    seconds[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const Plugin& plugin = plugins[missing[i]];
    std::fputs(compilations[i].said.c_str(), stderr);
    if (compilations[i].failed)
      throw UsageError(fmt::format("{}: `{}` does not compile it for {}", plugin.source.string(),
                                   compilers[std::size_t(plugin.target)].program,
                                   target_names[std::size_t(plugin.target)]));
    if (ready) ready(plugin, seconds[i]);
  }
  return plugins;
}

}  // namespace redbench
