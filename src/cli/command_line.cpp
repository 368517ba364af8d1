#include "src/cli/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/completion.hpp"
#include "src/cli/flags.hpp"
#include "src/device/gpu_diagnosis.hpp"
#include "src/error.hpp"
#include "src/json/json.hpp"
#include "src/records/columns.hpp"
#include "src/records/mistakes.hpp"
#include "src/registry.hpp"
#include "src/simt/model.hpp"
#include "src/text/nearest.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

/// In the order of --help.
constexpr void (*commands[])(CLI::App&, int&) = {
    add_list,        add_describe, add_plan,       add_run,     add_verify,   add_profile, add_results,
    add_tables,      add_merge,    add_best,       add_compare, add_selftest, add_claims,  add_cachesim,
    add_reproduce,   add_why,      add_fields,     add_schema,  add_try,      add_tune,    add_build,
    add_new_variant, add_doctor,   add_completion, add_help};

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
  return text;
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
  if (!unknown.empty()) {
    const bool is_axis = unknown[0].find('=') != unknown[0].npos && command.get_option_no_throw("-a");
    return where + ": unexpected argument `" + unknown[0] + "`" +
           (is_axis ? "; each axis has a flag of its own, -a " + unknown[0] : "");
  }
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

/// The exit code, unless what was printed cannot be written. `why`: the error number where that is known.
int written_out(int exit_code, int why) {
  // Of a wrong result and an interruption the exit code says more.
  if (has_reported_mistakes() && exit_code < exit_wrong) exit_code = exit_usage;
  if (std::fflush(stdout) != 0) why = errno;
  if (!std::ferror(stdout)) return exit_code;
  return fail(std::string("standard output: ") + (why ? std::strerror(why) : "cannot be written"),
              exit_usage);
}

}  // namespace

int run_command_line(int argc, char** argv) {
  open_closed_streams();
  ::signal(SIGXFSZ, SIG_IGN);  // a file past `ulimit -f` shows in the write's result
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
  for (CLI::App* const command : app.get_subcommands({})) refuse_flags_as_values(*command);
  try {
    check_encoding(argc, argv);
    check_parameters(registered_variants());
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
