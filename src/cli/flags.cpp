#include "src/cli/flags.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "src/config/config.hpp"
#include "src/config/keys.hpp"
#include "src/error.hpp"
#include "src/plugins/load.hpp"
#include "src/text/number.hpp"

namespace redbench {
namespace {

/// Checks the text, as CLI11 does not say what is allowed where it is no number.
CLI::Validator whole_number(int least, int most) {
  const auto refusal = [=](const std::string& text) {
    const auto value = parse_number<int>(text);
    const bool fits = value && *value >= least && *value <= most;
    return fits ? std::string() : fmt::format("{} to {}, not {}", least, most, text);
  };
  return CLI::Validator(refusal, "");
}

/// CLI11 reads an empty text as 0 and hexadecimal digits, too.
CLI::Validator decimal_number() {
  return CLI::Validator(
      [](const std::string& text) {
        if (parse_number<double>(text)) return std::string();
        return "a decimal number is expected, not `" + text + "`";
      },
      "");
}

CLI::Validator not_empty(const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) { return text.empty() ? what + " is expected, not an empty text" : ""; },
      "");
}

/// Each --set that a short flag stands for, and the flag as it was given. Filled while the command line is
/// parsed, for messages that come later (with_short_flags).
std::vector<std::pair<std::string, std::string>> short_sets;

/// Of --kernels. Filled while the command line is parsed.
std::vector<std::string> own_kernels;

/// A flag that is short for --set key=value.
void add_short_set(CLI::App& command, Request& request, const std::string& flag, const std::string& key,
                   const std::string& type) {
  command
      .add_option_function<std::string>(
          flag,
          [&request, key, flag](const std::string& value) {
            request.overrides.sets.push_back(key + "=" + value);
            short_sets.emplace_back("--set " + key + "=" + value, flag + " " + value);
          },
          meaning_of_key(key) + " (" + key + ")")
      ->type_name(type);
}

}  // namespace

void refuse_flags_as_values(CLI::App& command) {
  const CLI::Validator no_flag(
      [&command](const std::string& text) {
        if (!text.starts_with('-') || !command.get_option_no_throw(text)) return std::string();
        return "a value is missing before `" + text + "`; `./" + text + "` is a file of that name";
      },
      "");
  for (CLI::Option* const option : command.get_options())
    if (option->get_expected_max() > 0) option->check(no_flag);
}

std::string with_short_flags(std::string message) {
  for (const auto& [set, flag] : short_sets)
    if (const std::size_t at = message.find(set); at != message.npos) message.replace(at, set.size(), flag);
  return message;
}

CLI::App& add_command(CLI::App& app, CommandText text, int& exit_code, std::function<int()> action) {
  CLI::App& command = *app.add_subcommand(text.name, text.what);
  command.callback([&exit_code, action = std::move(action)] {
    if (!own_kernels.empty()) use_kernels(own_kernels);
    exit_code = action();
  });
  if (text.what.empty()) command.group("");  // CLI11 leaves a command without a group out of the help
  format_help(command, std::move(text));
  return command;
}

void add_argument(CLI::App& command, const std::string& name, std::string& value, const std::string& what) {
  command.add_option(name, value, what)->type_name("")->required()->check(not_empty("a name"));
}

void add_arguments(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                   const std::string& what) {
  command.add_option(name, values, what)->type_name("")->check(not_empty("a name"));
}

template <class Value>
CLI::Option& add_option(CLI::App& command, const std::string& flags, Value& value, const std::string& type,
                        const std::string& what) {
  CLI::Option* const option = command.add_option(flags, value, what)->type_name(type);
  constexpr bool is_list = std::is_same_v<Value, std::vector<std::string>>;
  if constexpr (std::is_same_v<Value, double>) option->check(decimal_number());
  if constexpr (is_list || std::is_same_v<Value, std::string>) option->check(not_empty(type));
  return is_list ? *option->allow_extra_args(false) : *option->capture_default_str();
}
template CLI::Option& add_option(CLI::App&, const std::string&, std::string&, const std::string&,
                                 const std::string&);
template CLI::Option& add_option(CLI::App&, const std::string&, double&, const std::string&,
                                 const std::string&);
template CLI::Option& add_option(CLI::App&, const std::string&, std::vector<std::string>&, const std::string&,
                                 const std::string&);
void add_size(CLI::App& command, const std::string& flags, std::string& value, const std::string& what) {
  add_option(command, flags, value, "SIZE", what);
}

Index size_of(const std::string& flag, const std::string& text) {
  try {
    if (const std::vector<Index> sizes = parse_sizes(text); sizes.size() == 1 && sizes[0] > 0)
      return sizes[0];
  } catch (const UsageError&) {
  }
  throw UsageError(fmt::format("{} {}: one size above 0 is expected, as 1048576, 1Mi or 2^20", flag, text));
}

void add_optional_path(CLI::App& command, const std::string& flags, std::string& value,
                       const std::string& without, const std::string& type, const std::string& what) {
  command
      .add_option_function<std::string>(
          flags, [&value, without](const std::string& path) { value = path.empty() ? without : path; }, what)
      ->type_name(type)
      ->expected(0, 1);
}
void add_whole(CLI::App& command, const std::string& flags, int& value, int least, int most,
               const std::string& type, const std::string& what) {
  add_option(command, flags, value, type, what).check(whole_number(least, most));
}
void add_pair(CLI::App& command, const std::string& flags, std::vector<std::string>& values,
              const std::string& type, const std::string& what) {
  command.add_option(flags, values, what)->type_name(type)->expected(2);
}

void add_flag(CLI::App& command, const std::string& flags, bool& value, const std::string& what) {
  command.add_flag(flags, value, what);
}

void add_device_flag(CLI::App& command, std::string& device) {
  add_option(
      command, "-d,--device", device, "DEVICE",
      "where to run: auto, cuda, cuda:1, simt, simt:gtx480, host; GPUs of one model that share the cells: "
      "cuda:0,1, cuda:0-3, cuda:all, four modelled ones: simt:h200:4");
}

void add_kernels_flag(CLI::App& command) {
  add_option(
      command, "--kernels", own_kernels, "DIR",
      "variants of your own beside those that are built in: DIR/<problem>/<name>.cu, or .cpp for the CPU,\n"
      "compiled where they changed and loaded (docs/adding_a_variant.md)");
}

void add_variants_flag(CLI::App& command, std::string& pattern) {
  add_option(command, "-b,--variants,--benchmark", pattern, "REGEX",
             "only the variants whose names fit this regular expression (--benchmark as in nvbench)");
}

void add_width_flag(CLI::App& command, TableWidth& width) {
  add_whole(command, "--width", width.in_files, 0, std::numeric_limits<int>::max(), "CHARACTERS",
            "of the tables for readers: texts are cut and columns left out beyond it, 0: none; on a "
            "terminal its own where it is not given");
  command.get_option("--width")->each([&width](const std::string&) { width.is_asked = true; });
}

void add_destination_flags(CLI::App& command, Destination& to, const std::string& usual) {
  add_option(command, "-o,--out", to.folder, "DIR", "the folder for the results (" + usual + ")");
  add_flag(command, "--resume", to.resume,
           "resumes the run that is there: makes what is missing, and again what failed or timed out");
  add_flag(
      command, "--replace", to.replace,
      "replaces the run that is there, its records, tables and plots, and no other file; it is kept in DIR/replaced until the "
      "new one has ended");
}

void add_shard_flag(CLI::App& command, std::string& shard) {
  add_option(command, "--shard", shard, "K/N",
             "the K-th of N parts of the plan, the same on every machine; redbench merge joins them");
}

void add_override_flags(CLI::App& command, Request& request) {
  add_device_flag(command, request.device);
  add_option(command, "-a,--axis", request.overrides.axes, "NAME=VALUES",
             "put other values on an axis: n=[16Mi:31Mi:1Mi], n=1Mi, type=f32,f64, segments=fixed:3, "
             "block=64,128");
  add_variants_flag(command, request.overrides.variants);
  add_option(command, "--set", request.overrides.sets, "KEY=VALUE",
             "change any key of the config: measure.max_noise=1");
  add_kernels_flag(command);
}

void add_parameters_flags(CLI::App& command, Request& request) {
  add_option(
      command, "--parameters", request.overrides.parameters, "FROM",
      "launch parameters as the config or the card has them, printed, as `redbench tune` found them, tuned, or "
      "both: printed,tuned");
  add_option(command, "--tuned", request.tuned, "FILE",
             "the tuned file (tuned/DEVICE.json, else the one that came with the program)");
}

void add_config_flags(CLI::App& command, Request& request) {
  add_argument(command, "CONFIG", request.config, "the config, as in configs/quick.json");
  add_override_flags(command, request);
  add_parameters_flags(command, request);
  add_short_set(command, request, "--min-samples", "measure.min_samples", "COUNT");
  add_short_set(command, request, "--max-samples", "measure.max_samples", "COUNT");
  add_short_set(command, request, "--max-noise", "measure.max_noise", "PERCENT");
  add_short_set(command, request, "--timeout", "measure.timeout_s", "SECONDS");
  add_short_set(command, request, "--mode", "measure.mode", "MODE,...");
  add_short_set(command, request, "--seed", "seed", "SEED");
}

}  // namespace redbench
