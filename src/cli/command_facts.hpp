// What a command line may hold, read from CLI11 once: for the help, the manual page, the completion of shells and
// the messages about mistakes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace redbench {

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

}  // namespace redbench
