// Kernel files of a folder of one's own, which --kernels names: <problem>/<name>.cu, or .cpp for a CPU algorithm.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace redbench {

struct KernelFile {
  std::filesystem::path path;         // absolute
  std::string variant;                // "reduce/mine"
  std::filesystem::path beside = {};  // where it finds headers beside it; empty: in its own folder

  bool on_host() const { return path.extension() == ".cpp"; }
};

/// All of a folder, by name. Throws UsageError where there is none, and where one could not be built as
/// <problem>/<name>.
std::vector<KernelFile> kernel_files(const std::string& folder);

/// The file, then the headers that it includes, directly or not, from the program's kernels/ in the order of their
/// paths, then others of its own in the order of the includes. Without the languages of the devices, which count
/// with what measures them.
std::vector<std::filesystem::path> parts_of(const KernelFile& file);

/// Of the bytes of all parts, in 16 digits: Variant::byte_hash, as cmake/source_hashes.py has it.
std::string byte_hash_of(const std::vector<std::filesystem::path>& parts);

}  // namespace redbench
