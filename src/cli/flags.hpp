// The command line without CLI11, whose header takes ten seconds to compile: command_line.cpp, flags.cpp and
// help.cpp alone include it. Also the flags that several subcommands share, spelled and meant alike.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/cli/help.hpp"
#include "src/run/request.hpp"
#include "src/tables/tables.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace redbench {

/// Adds a subcommand. Where it is the one given, `action` does the work and its result becomes `exit_code`.
/// What the flags are read into must live until then: keep it in the action, by a std::shared_ptr.
/// A command whose `text.what` is empty is not for users: no help lists it.
CLI::App& add_command(CLI::App& app, CommandText text, int& exit_code, std::function<int()> action);

/// A required argument without a flag.
void add_argument(CLI::App& command, const std::string& name, std::string& value, const std::string& what);
/// Arguments without a flag, as many as are given, or none.
void add_arguments(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                   const std::string& what);
/// `flags` as in "-o,--out"; `type` names the value in the help. A list's flag is repeated, a value each. An empty
/// text is a mistake.
template <class Value>  // std::string, double, std::vector<std::string>
CLI::Option& add_option(CLI::App& command, const std::string& flags, Value& value, const std::string& type,
                        const std::string& what);
/// A size of the form of an axis' values, as 64Ki.
void add_size(CLI::App& command, const std::string& flags, std::string& value, const std::string& what);
/// The value of such a flag that takes one size above 0. Throws UsageError that names the flag.
Index size_of(const std::string& flag, const std::string& text);
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
void add_width_flag(CLI::App& command, TableWidth& width);
/// --out, --resume, --replace; `usual` is the folder where none is given.
void add_destination_flags(CLI::App& command, Destination& to, const std::string& usual);
/// --kernels, of which use_kernels() is told before the command does its work.
void add_kernels_flag(CLI::App& command);
/// --shard, a part of the plan.
void add_shard_flag(CLI::App& command, std::string& shard);
/// -d/--device, and what changes a config: -a, -b and --set.
void add_override_flags(CLI::App& command, Request& request);
/// --parameters and --tuned: which launch parameters are run.
void add_parameters_flags(CLI::App& command, Request& request);
/// CONFIG, the flags of both, and the short forms of --set.
void add_config_flags(CLI::App& command, Request& request);

/// Of a command with all its flags: `-o --replace` lacks a folder, and means none of that name.
void refuse_flags_as_values(CLI::App& command);

/// A message about a --set that nobody wrote, with the short flag that stood for it.
std::string with_short_flags(std::string message);

}  // namespace redbench
