#pragma once

#include <string>

namespace redbench {

/// Version, commit and build type, as --version prints them.
std::string version_text();

/// The commit of the source that the program was built from, "-dirty" appended where files differ from it;
/// "unknown" where the source or git is not there.
std::string source_commit();

}  // namespace redbench
