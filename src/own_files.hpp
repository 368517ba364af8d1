// Where the files lie that come with the program: configs/, kernels/, results/papers/, scripts/; the Python
// that runs its scripts; what the program's own file still has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace redbench {

/// The folder that holds them: share/redbench beside the bin/ of an installed program, else the source that
/// it was built from. Empty where neither is there, as for a program that was carried elsewhere alone.
const std::filesystem::path& own_files();

/// Whether the program's file has its DWARF, by which the modelled device knows the static shared variables
/// of a kernel. Without it (`strip`, or `strip --strip-debug` as scripts/bundle.sh has it) each access to one
/// is out of bounds.
bool has_debug_information();

/// The Python that draws: of the project's own environment where that is, else the `python3` of PATH.
std::string own_python();

/// What the scripts need and own_python() lacks: "/usr/bin/python3 has no matplotlib, numpy", "no python3".
/// Empty: nothing.
std::string missing_for_scripts();
/// How to get it: a command, or what to do.
std::string remedy_for_scripts();

/// Where records are: results/ of the working directory, else that of the program.
std::vector<std::string> folders_of_records();

/// Where a file of that folder may be, by its path in it; then the same in the working directory.
std::vector<std::filesystem::path> places_of(const std::filesystem::path& path);

}  // namespace redbench
