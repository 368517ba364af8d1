// Where the files lie that come with the program: configs/, kernels/, results/papers/, scripts/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace redbench {

/// The folder that holds them: share/redbench beside the bin/ of an installed program, else the source that
/// it was built from. Empty where neither is there, as for a program that was carried elsewhere alone.
const std::filesystem::path& own_files();

/// The Python that draws: of the project's own environment where that is, else the `python3` of PATH.
std::string own_python();

/// Where a file of that folder may be, by its path in it; then the same in the working directory.
std::vector<std::filesystem::path> places_of(const std::filesystem::path& path);

}  // namespace redbench
