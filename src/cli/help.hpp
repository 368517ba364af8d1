// What --help says of a command besides its options, and all of it as a page for `man`.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace redbench {

/// A command line as it is typed, and what it does.
struct Example {
  std::string command, what;
};

struct CommandText {
  std::string name;
  std::string what;    // one line, for the list of commands
  std::string about;   // what it does, in sentences
  std::string writes;  // files, and where they go
  /// When it ends with an exit code, besides those that any command may end with, or in place of what these
  /// usually mean.
  std::map<int, std::string> exits;
  std::vector<Example> examples;
  std::string see;  // a page of docs/
};

/// Has --help of the program print its page, and `redbench help` and the manual page, too: the same with each
/// version of CLI11, on lines of 80 characters.
void format_help(CLI::App& app);

/// The page of a command has its text.
void format_help(CLI::App& command, CommandText text);

}  // namespace redbench
