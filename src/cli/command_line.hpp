// The whole command line: which commands there are, and the exit code of a mistake or a failure.
#pragma once

namespace redbench {

/// Parses the command line, runs its command and returns the exit code. A user's mistake ends in a message
/// and exit code 2.
int run_command_line(int argc, char** argv);

}  // namespace redbench
