#include "src/own_files.hpp"

#include "src/build_facts.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

fs::path find_own_files() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& folder :
       {program.parent_path().parent_path() / "share" / "redbench", fs::path(build_facts.source_dir)})
    if (fs::exists(folder / "kernels" / "variant.hpp", error)) return folder;
  return {};
}

}  // namespace

const fs::path& own_files() {
  static const fs::path folder = find_own_files();
  return folder;
}

std::string own_python() {
  const fs::path own = own_files() / ".venv" / "bin" / "python";
  std::error_code error;
  return fs::exists(own, error) ? own.string() : "python3";
}

std::vector<fs::path> places_of(const fs::path& path) {
  if (own_files().empty()) return {path};
  return {own_files() / path, path};
}

}  // namespace redbench
