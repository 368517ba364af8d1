// The command line without CLI11, whose header takes ten seconds to compile: flags.cpp and help.cpp alone include
// it. Also the flags that several subcommands share, with one spelling and one meaning.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/cli/help.hpp"
#include "src/run/request.hpp"

namespace CLI {
class App;
}

namespace redbench {

/// Adds a subcommand. Where it is the one given, `action` does the work and its result becomes `exit_code`.
/// What the flags are read into must live until then: keep it in the action, by a std::shared_ptr.
/// A command that no sentence says what it is for is not for users, and no help lists it.
CLI::App& add_command(CLI::App& app, CommandText text, int& exit_code, std::function<int()> action);

/// A required argument without a flag.
void add_argument(CLI::App& command, const std::string& name, std::string& value, const std::string& what);
/// Arguments without a flag, as many as are given, or none.
void add_arguments(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                   const std::string& what);
/// `flags` as in "-o,--out"; the type's name is for the help. A list may be given several times, a value each.
template <class Value>  // std::string, double, std::vector<std::string>
void add_option(CLI::App& command, const std::string& flags, Value& value, const std::string& type,
                const std::string& what);
/// The path of a file or folder: an empty one is a mistake.
void add_path(CLI::App& command, const std::string& flags, std::string& value, const std::string& type,
              const std::string& what);
/// A path that may be left out: the value is `without` then.
void add_optional_path(CLI::App& command, const std::string& flags, std::string& value,
                       const std::string& without, const std::string& type, const std::string& what);
/// From `least` to `most`.
void add_whole(CLI::App& command, const std::string& flags, int& value, int least, int most,
               const std::string& type, const std::string& what);
/// Given once, with two values.
void add_pair(CLI::App& command, const std::string& flags, std::vector<std::string>& values,
              const std::string& type, const std::string& what);
/// A switch.
void add_flag(CLI::App& command, const std::string& flags, bool& value, const std::string& what);

/// -d/--device.
void add_device_flag(CLI::App& command, std::string& device);
/// -b/--variants, a regular expression over variant names.
void add_variants_flag(CLI::App& command, std::string& pattern);
/// --width of tables. Throws UsageError at parsing where it is negative.
void add_width_flag(CLI::App& command, int& width);
/// --out, --resume, --replace; `usual` is the folder where none is given.
void add_destination_flags(CLI::App& command, Destination& to, const std::string& usual);
/// -d, -a, -b and --set.
void add_override_flags(CLI::App& command, Request& request);
/// CONFIG, the above, and the short forms of --set.
void add_config_flags(CLI::App& command, Request& request);

/// Parses the command line and does what it says. Gives the exit code. Mistakes of the user end in a message
/// and exit code 2.
int run_command_line(int argc, char** argv);

}  // namespace redbench
