// redbench COMMAND ...: src/cli/ has a file for each.
#include "src/cli/command_line.hpp"

int main(int argc, char** argv) { return redbench::run_command_line(argc, argv); }
