#include "src/own_files.hpp"

#include <elfutils/libdwfl.h>

#include <memory>

#include "src/build_facts.hpp"
#include "src/shell.hpp"

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

bool has_debug_information() {
  const Dwfl_Callbacks alone{.find_elf = dwfl_build_id_find_elf,
                             .find_debuginfo = [](Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*,
                                                  const char*, GElf_Word, char**) { return -1; },
                             .section_address = nullptr,
                             .debuginfo_path = nullptr};
  const std::unique_ptr<Dwfl, decltype(&dwfl_end)> files(dwfl_begin(&alone), dwfl_end);
  Dwfl_Module* const program =
      files ? dwfl_report_elf(files.get(), "redbench", "/proc/self/exe", -1, 0, true) : nullptr;
  Dwarf_Addr bias = 0;
  return program && dwfl_module_getdwarf(program, &bias);
}

std::string own_python() {
  const fs::path own = own_files() / ".venv" / "bin" / "python";
  std::error_code error;
  return fs::exists(own, error) ? own.string() : "python3";
}

std::string missing_for_scripts() {
  const std::string python = own_python();
  const std::string lacks = first_line_of(
      shell_quoted(python) +
      // Scripts do not look into the working directory, as -c does.
      " -c 'import sys; sys.path = [folder for folder in sys.path if folder]; "
      "from importlib.util import find_spec; "
      "print(\", \".join(name for name in (\"matplotlib\", \"numpy\", \"PIL\", \"jinja2\", \"jsonschema\") "
      "if not find_spec(name)) or \"nothing\")' 2>/dev/null");
  if (lacks == "nothing") return {};
  return lacks.empty() ? "no " + python : python + " has no " + lacks;
}

std::string remedy_for_scripts() {
  if (own_files() == fs::path(build_facts.source_dir))
    return "make tools sets up .venv from scripts/requirements.txt";
  return "python3 -m venv plots && plots/bin/pip install -r " +
         shell_quoted((own_files() / "scripts" / "requirements.txt").string());
}

std::vector<std::string> folders_of_records() {
  if (std::error_code error; fs::is_directory("results", error)) return {"results"};
  return {(own_files() / "results").string()};
}

std::vector<fs::path> places_of(const fs::path& path) {
  if (own_files().empty()) return {path};
  return {own_files() / path, path};
}

}  // namespace redbench
