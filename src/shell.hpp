// What other programs on this machine answer.
#pragma once

#include <string>

namespace redbench {

/// The first line that a shell command writes; empty where it fails.
std::string first_line_of(const std::string& command);

/// Runs a shell command, whose output goes where this program's goes. Gives its exit status; 130 where an
/// interrupt or a termination ended it, 128 and its number where another signal did, as shells do.
int status_of(const std::string& command);

/// A word that the shell takes as it is.
std::string shell_quoted(const std::string& word);

}  // namespace redbench
