// Kernel files as shared objects: each is compiled alone, with the flags of the program's own kernels, for the
// modelled device and, where the program has CUDA and nvcc is there, for the GPU.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/plugins/kernel_file.hpp"
#include "src/registry.hpp"

namespace redbench {

/// A kernel file compiled for one target.
struct Plugin {
  std::string variant;           // "reduce/mine"
  std::filesystem::path source;  // its file
  std::filesystem::path beside;  // KernelFile::beside
  std::string hash;              // byte_hash_of its parts
  Target target;
  std::filesystem::path object = {};  // in the user's cache; its name is the hash of all that it follows from
};

/// What is said of a plugin that is ready: compiled in so many seconds, or there already (0).
using PluginReport = std::function<void(const Plugin&, double seconds)>;

/// Compiles what the cache lacks on all cores. What a compiler says goes to standard error as it is. Throws
/// UsageError where one fails, where none is there, or where it is not the one that compiled the program's own
/// kernels: their counts and times could not be compared.
std::vector<Plugin> build_plugins(const std::vector<KernelFile>& files, const PluginReport& ready = {});

/// "$XDG_CACHE_HOME/redbench", or "~/.cache/redbench". Throws UsageError where neither is told.
std::filesystem::path plugin_cache();

/// What the linker wrote into the object as its build id: the object's own name. Empty for what is no object, or is
/// cut off.
std::string build_id_of(const std::filesystem::path& object);

}  // namespace redbench
