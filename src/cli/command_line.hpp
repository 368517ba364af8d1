// The whole command line: the commands that it has, the exit codes of mistakes and failures.
#pragma once

namespace redbench {

/// Parses the command line and runs its command. Gives the exit code. Mistakes of the user end in a message and
/// exit code 2.
int run_command_line(int argc, char** argv);

}  // namespace redbench
