#include "src/cli/flags.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <new>
#include <system_error>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/completion.hpp"
#include "src/config/schema.hpp"
#include "src/device/gpu_diagnosis.hpp"
#include "src/error.hpp"
#include "src/json/json.hpp"
#include "src/simt/model.hpp"
#include "src/text/nearest.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

template <class Value>
CLI::Option* option(CLI::App& command, const std::string& flags, Value& value, const std::string& type,
                    const std::string& what) {
  return command.add_option(flags, value, what)->type_name(type)->capture_default_str();
}

/// Checks the text, as CLI11 does not say what is allowed where it is no number.
CLI::Validator whole_number(int least, int most) {
  const auto refusal = [=](const std::string& text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    const bool fits = error == std::errc() && stopped == end && value >= least && value <= most;
    return fits ? std::string() : fmt::format("{} to {}, not {}", least, most, text);
  };
  return CLI::Validator(refusal, "");
}

CLI::Validator not_empty(const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) { return text.empty() ? what + " is expected, not an empty text" : ""; },
      "");
}

/// Each --set that a short flag stands for, and the flag as it was given.
std::vector<std::pair<std::string, std::string>> short_sets;

/// A message about a --set that nobody wrote names the flag that stands for it.
std::string with_short_flags(std::string message) {
  for (const auto& [set, flag] : short_sets)
    if (const std::size_t at = message.find(set); at != message.npos) message.replace(at, set.size(), flag);
  return message;
}

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

/// CLI11's own sentences that do not say what is allowed.
std::string reworded(const CLI::ParseError& error) {
  const std::string text = error.what(), name = text.substr(0, text.find(':'));
  if (text.find(": At Most ") != text.npos) return name + ": is given more than once";
  int least = 0, received = 0;
  if (const std::size_t at = text.find(": At least "); at != text.npos)
    if (std::sscanf(text.c_str() + at, ": At least %d required but received %d", &least, &received) == 2)
      return fmt::format("{}: {} values are expected, not {}", name, least, received);
  constexpr std::string_view required = " required ", missing = " missing";
  if (const std::size_t at = text.find(required); at != text.npos && text.ends_with(missing)) {
    const std::size_t type = at + required.size();
    return name + ": a value is missing, " + text.substr(type, text.size() - missing.size() - type);
  }
  constexpr std::string_view convert = "Could not convert: ";
  if (!text.starts_with(convert)) return text;
  const std::size_t equals = text.find(" = ");
  return text.substr(convert.size(), equals - convert.size()) + ": a number is expected, not " +
         text.substr(equals + 3);
}

/// What CLI11 says in other words: with the nearest name where one is unknown.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> given = app.get_subcommands();
  const std::vector<std::string> unknown = app.remaining(true);
  if (given.empty()) {
    const std::vector<std::string> names = names_of(commands_of(app));
    if (unknown.empty()) return "a subcommand is missing: " + alternatives(names) + "; --help says more";
    if (!unknown[0].starts_with('-'))
      return "there is no subcommand `" + unknown[0] + "`" + nearest_match(unknown[0], names) +
             "; there are " + alternatives(names);
  }
  const CLI::App& command = given.empty() ? app : *given.back();
  const std::string where = given.empty() ? "redbench" : "redbench " + command.get_name();
  for (const std::string& word : unknown) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with('-'))
      return where + " has no flag `" + name + "`" + nearest_match(name, flags_of(facts_of(command))) + "; " +
             where + " --help lists them";
  }
  if (!unknown.empty()) return where + ": unexpected argument `" + unknown[0] + "`";
  return where + ": " + reworded(error);
}

/// Version, commit, build, and the devices that are built in, a line each.
std::string version_text() {
  const bool with_cuda = std::string_view(build_facts.cuda_compiler) != "none";
  return fmt::format(
      "redbench {}\n"
      "commit   {}\n"
      "build    {}, {}, {}\n"
      "cuda     {}\n"
      "simt     {}\n"
      "host     this CPU, by OpenMP",
      build_facts.version, build_commit, build_facts.build_type, build_facts.compiler, build_facts.flags,
      with_cuda ? fmt::format("toolkit {} for {}", build_facts.cuda_compiler,
                              architecture_names(build_facts.cuda_architectures))
                : "not built in",
      fmt::join(simt::model_names(), ", "));
}

/// A stream that the caller closed becomes /dev/null: else the next file to be opened would get its number,
/// and what is printed would land there.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // Opening gives the lowest number that is free: this one.
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != stream) std::_Exit(exit_failed);
}

/// Arguments go into run.json and into messages, which are UTF-8.
void check_encoding(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const Json argument = argv[i];
    try {
      argument.dump();
    } catch (const Json::type_error&) {
      throw UsageError("argument " + std::to_string(i) +
                       " is not UTF-8: " + argument.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
  }
}

/// Prints why nothing more is done, in one line.
int fail(const std::string& why, int exit_code) {
  std::fprintf(stderr, "redbench: %s\n", printable(why).c_str());
  return exit_code;
}

/// In the order of --help.
constexpr void (*commands[])(CLI::App&, int&) = {
    add_list,   add_describe, add_plan,        add_run,    add_verify,     add_profile,   add_results,
    add_tables, add_compare,  add_selftest,    add_claims, add_cachesim,   add_reproduce, add_why,
    add_fields, add_schema,   add_new_variant, add_doctor, add_completion, add_help};

}  // namespace

CLI::App& add_command(CLI::App& app, CommandText text, int& exit_code, std::function<int()> action) {
  CLI::App& command = *app.add_subcommand(text.name, text.what);
  command.callback([&exit_code, action = std::move(action)] { exit_code = action(); });
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
void add_option(CLI::App& command, const std::string& flags, Value& value, const std::string& type,
                const std::string& what) {
  if constexpr (std::is_same_v<Value, std::vector<std::string>>)
    command.add_option(flags, value, what)->type_name(type)->allow_extra_args(false);
  else option(command, flags, value, type, what);
}
template void add_option(CLI::App&, const std::string&, std::string&, const std::string&, const std::string&);
template void add_option(CLI::App&, const std::string&, double&, const std::string&, const std::string&);
template void add_option(CLI::App&, const std::string&, std::vector<std::string>&, const std::string&,
                         const std::string&);
void add_path(CLI::App& command, const std::string& flags, std::string& value, const std::string& type,
              const std::string& what) {
  option(command, flags, value, type, what)->check(not_empty("a path"));
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
  option(command, flags, value, type, what)->check(whole_number(least, most));
}
void add_pair(CLI::App& command, const std::string& flags, std::vector<std::string>& values,
              const std::string& type, const std::string& what) {
  command.add_option(flags, values, what)->type_name(type)->expected(2);
}

void add_flag(CLI::App& command, const std::string& flags, bool& value, const std::string& what) {
  command.add_flag(flags, value, what);
}

void add_device_flag(CLI::App& command, std::string& device) {
  add_option(command, "-d,--device", device, "DEVICE",
             "where to run: auto, cuda, cuda:1, simt, simt:gtx480, host");
}

void add_variants_flag(CLI::App& command, std::string& pattern) {
  add_option(command, "-b,--variants,--benchmark", pattern, "REGEX",
             "only the variants whose names fit this regular expression (--benchmark as in nvbench)");
}

void add_width_flag(CLI::App& command, int& width) {
  option(command, "--width", width, "CHARACTERS",
         "of the tables for readers: texts are cut and columns left out beyond it, 0: none")
      ->check(whole_number(0, std::numeric_limits<int>::max()));
}

void add_destination_flags(CLI::App& command, Destination& to, const std::string& usual) {
  add_path(command, "-o,--out", to.folder, "DIR", "the folder for the results (" + usual + ")");
  add_flag(command, "--resume", to.resume,
           "resumes the run that is there: makes what is missing, and again what failed or timed out");
  add_flag(command, "--replace", to.replace,
           "removes the run that is there, its records, tables and plots, and no other file");
}

void add_override_flags(CLI::App& command, Request& request) {
  add_device_flag(command, request.device);
  add_option(command, "-a,--axis", request.overrides.axes, "NAME=VALUES",
             "put other values on an axis: n=[16Mi:31Mi:1Mi], n=1Mi, type=f32,f64, segments=fixed:3, "
             "block=64,128");
  add_variants_flag(command, request.overrides.variants);
  add_option(command, "--set", request.overrides.sets, "KEY=VALUE",
             "change any key of the config: measure.max_noise=1");
}

void add_config_flags(CLI::App& command, Request& request) {
  add_argument(command, "CONFIG", request.config, "the config, as in configs/quick.json");
  add_override_flags(command, request);
  add_short_set(command, request, "--min-samples", "measure.min_samples", "COUNT");
  add_short_set(command, request, "--max-samples", "measure.max_samples", "COUNT");
  add_short_set(command, request, "--max-noise", "measure.max_noise", "PERCENT");
  add_short_set(command, request, "--timeout", "measure.timeout_s", "SECONDS");
  add_short_set(command, request, "--mode", "measure.mode", "MODE,...");
  add_short_set(command, request, "--seed", "seed", "SEED");
}

namespace {

/// The exit code, unless what was printed cannot be written. `why`: the error number where that is known.
int written_out(int exit_code, int why) {
  if (std::fflush(stdout) != 0) why = errno;
  if (!std::ferror(stdout)) return exit_code;
  return fail(std::string("standard output: ") + (why ? std::strerror(why) : "cannot be written"),
              exit_usage);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  open_closed_streams();
  CLI::App app("redbench: which GPU reduction is fastest, by how much, and why.", "redbench");
  app.set_help_flag("-h,--help", "prints this text");
  app.set_version_flag("--version", version_text, "prints version, commit, build and devices");
  app.footer(
      "redbench COMMAND --help says more about one, with examples.\n"
      "Exit codes: 0 fine, 1 a case failed or regressed, 2 usage or config, 3 a\n"
      "comparison is undecided, 4 a wrong result, 130 interrupted and resumable.");
  format_help(app);
  app.require_subcommand(1);
  int exit_code = exit_fine;
  for (const auto add : commands) add(app, exit_code);
  if (answers_completion(app, argc, argv)) return exit_fine;
  try {
    check_encoding(argc, argv);
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    errno = 0;                             // CLI11 flushes what it prints
    const int code = app.exit(success);
    return written_out(code, errno);
  } catch (const CLI::ParseError& error) {
    return fail(explain(app, error), exit_usage);
  } catch (const UsageError& error) {
    return fail(with_short_flags(error.what()), exit_usage);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(error.path1().string() + ": " + error.code().message(), exit_usage);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout)) return written_out(exit_failed, error.code().value());
    return fail(error.what(), exit_failed);
  } catch (const std::bad_alloc&) {
    return fail("the machine's memory does not suffice", exit_failed);
  } catch (const std::exception& error) {
    return fail(error.what(), exit_failed);
  }
  return written_out(exit_code, 0);
}

}  // namespace redbench
