// What a command line may hold, read from CLI11 once: for --help, the manual page, the completion of shells
// and the messages about mistakes; and what --help says besides.
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
  std::string what = {};           // one line, for the list of commands
  std::string about = {};          // what it does, in sentences
  std::string writes = "nothing";  // files, and where they go
  /// When it ends with an exit code, besides those that any command may end with, or in place of what these
  /// usually mean.
  std::map<int, std::string> exits = {};
  std::vector<Example> examples = {};
  std::string see = {};  // a page of docs/
};

/// An option, or an argument without a flag.
struct OptionFacts {
  std::vector<std::string> names = {};  // "--out" and "-o"; none of an argument
  std::string value;                    // what the help calls the value: "DIR"; empty where there is none
  std::string term;                     // the option in the help: "-o,--out DIR"
  std::string usage = {};               // an argument in the usage line: "[DIR...]"
  std::string what;
  int least_words, most_words;  // that belong to it
};

struct CommandFacts {
  std::string name, what;
  std::vector<OptionFacts> arguments = {}, options = {};
};

CommandFacts facts_of(const CLI::App& command);

/// The commands for users.
std::vector<CommandFacts> commands_of(const CLI::App& app);

/// "--out" and "-o" of each option.
std::vector<std::string> flags_of(const CommandFacts& command);

std::vector<std::string> names_of(const std::vector<CommandFacts>& commands);

/// Has --help of the program print its page, and `redbench help` and the manual page, too: the same with each
/// version of CLI11, on lines of 80 characters.
void format_help(CLI::App& app);

/// The page of a command has its text.
void format_help(CLI::App& command, CommandText text);

}  // namespace redbench
