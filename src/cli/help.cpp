#include "src/cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/tables/text.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

/// With what its value is called, its default, and how often it may or must be given.
std::string term_of(const CLI::Option& option) {
  std::string term = option.get_name(option.get_positional(), !option.get_positional());
  if (option.get_type_size() == 0) return term;
  if (!option.get_type_name().empty()) term += " " + option.get_type_name();
  if (!option.get_default_str().empty()) term += "=" + option.get_default_str();
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) term += " ...";
  else if (option.get_expected_min() > 1) term += fmt::format(" x {}", option.get_expected_min());
  return term + (option.get_required() ? " REQUIRED" : "");
}

OptionFacts option_facts(const CLI::Option& option) {
  const bool is_argument = option.get_positional();
  OptionFacts facts{.value = is_argument ? option.get_name(true, false) : option.get_type_name(),
                    .term = term_of(option),
                    .what = option.get_description(),
                    .least_words = option.get_items_expected_min(),
                    .most_words = option.get_items_expected_max()};
  if (is_argument) {
    facts.usage = facts.value + (facts.most_words > 1 ? "..." : "");
    if (!option.get_required()) facts.usage = "[" + facts.usage + "]";
  } else if (!option.get_allow_extra_args()) {  // a value each time
    facts.most_words = std::min(facts.most_words, std::max(1, facts.least_words));
  }
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  return facts;
}

}  // namespace

CommandFacts facts_of(const CLI::App& command) {
  CommandFacts facts{.name = command.get_name(), .what = command.get_description()};
  for (const CLI::Option* option : command.get_options())
    (option->get_positional() ? facts.arguments : facts.options).push_back(option_facts(*option));
  return facts;
}

std::vector<CommandFacts> commands_of(const CLI::App& app) {
  std::vector<CommandFacts> commands;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) commands.push_back(facts_of(*command));
  return commands;
}

std::vector<std::string> flags_of(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> names;
  for (const CommandFacts& command : commands) names.push_back(command.name);
  return names;
}

namespace {

constexpr std::size_t page_width = 80, option_column = 26, command_column = 14;

/// On the lines of a page, the first of which begins in that column already.
std::string from_column(std::size_t column, const std::string& text) {
  return fmt::format("{}", fmt::join(lines_of(text, page_width - column), "\n" + std::string(column, ' ')));
}

/// A term, and what it means in the column beside it; below it where the term is too long.
std::string row(const std::string& term, const std::string& meaning, std::size_t column) {
  const bool fits = term.size() + 2 < column;
  const std::string gap = fits ? std::string(column - term.size() - 2, ' ') : '\n' + std::string(column, ' ');
  return "  " + term + gap + from_column(column, meaning) + '\n';
}

std::string section(const std::string& title, const std::vector<OptionFacts>& options, std::size_t column) {
  std::string text = options.empty() ? "" : fmt::format("\n{}:\n", title);
  for (const OptionFacts& option : options) text += row(option.term, option.what, column);
  return text;
}

std::string program_page(const CLI::App& app) {
  const CommandFacts program = facts_of(app);
  std::string page = fmt::format("{}\n\nUsage: redbench [OPTIONS] SUBCOMMAND\n{}\nSubcommands:\n",
                                 program.what, section("Options", program.options, command_column));
  for (const CommandFacts& command : commands_of(app))
    page += row(command.name, command.what, command_column);
  return page + '\n' + app.get_footer() + '\n';
}

std::string command_page(const CLI::App& app, const CommandText& text) {
  const CommandFacts command = facts_of(app);
  std::string usage = fmt::format("Usage: redbench {} [OPTIONS]", text.name);
  for (const OptionFacts& argument : command.arguments) usage += " " + argument.usage;
  std::string page =
      fmt::format("{}\n\n{}\n\n{}\n{}{}\nWrites:\n  {}\n\nExit codes:\n",
                  from_column(0, fmt::format("redbench {}: {}", text.name, text.what)),
                  from_column(0, text.about), usage, section("Positionals", command.arguments, option_column),
                  section("Options", command.options, option_column), from_column(2, text.writes));
  std::map<int, std::string> exits = text.exits;
  exits.insert(
      {{exit_fine, "fine"},
       {exit_failed, "the machine failed: its memory, a process or a device"},
       {exit_usage, "a mistake in the command line or in a file, or output that cannot be written"}});
  for (const auto& [code, when] : exits) page += row(std::to_string(code), when, 7);
  page += "\nExamples:\n";
  for (const Example& example : text.examples)
    page += fmt::format("  {}\n      {}\n", example.command, from_column(6, example.what));
  return page + fmt::format("\nSee also:\n  {}\n", from_column(2, text.see));
}

/// A line without a meaning of its own in roff.
std::string roff_line(const std::string& line) {
  std::string text = line.starts_with('.') || line.starts_with('\'') ? "\\&" : "";
  for (const char c : line) text += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return text;
}

/// A page of the help in roff: its lines as they are, its titles bold.
std::string roff(const std::string& page) {
  std::string text = ".nf\n";
  std::istringstream lines(page);
  bool after_blank = false;
  for (std::string line; std::getline(lines, line); after_blank = line.empty()) {
    const bool is_title = after_blank && line.ends_with(':') && !line.starts_with(' ');
    text += (is_title ? "\\fB" + roff_line(line) + "\\fR" : roff_line(line)) + '\n';
  }
  return text + ".fi\n";
}

/// A page for `man`, of the program and its commands.
std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH REDBENCH 1 \"\" \"redbench {}\"\n.nh\n.ad l\n"
      ".SH NAME\nredbench \\- benchmarks of parallel reductions on GPUs\n"
      ".SH SYNOPSIS\n\\fBredbench\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n{}.SH COMMANDS\n",
      build_facts.version, roff(program_page(app)));
  for (const std::string& name : names_of(commands_of(app)))
    page += fmt::format(".SS {}\n{}", roff_line(name), roff(app.get_subcommand(name)->help()));
  return page + ".SH SEE ALSO\nThe pages that are named above are installed in share/doc/redbench.\n";
}

struct HelpFlags {
  std::vector<std::string> command;
  bool man = false;
};

int print_help(const CLI::App& app, const HelpFlags& flags) {
  if (flags.man && !flags.command.empty())
    throw UsageError("redbench help: --man is the page of all commands, and takes none");
  if (flags.command.size() > 1) throw UsageError("redbench help: one command at most is explained");
  if (flags.command.empty()) {
    fmt::print("{}", flags.man ? man_page(app) : program_page(app));
    return exit_fine;
  }
  const std::vector<std::string> names = names_of(commands_of(app));
  const std::string& name = flags.command[0];
  if (std::ranges::find(names, name) == names.end())
    throw UsageError(fmt::format("redbench help: there is no command `{}`{}; there are {}", name,
                                 nearest_match(name, names), alternatives(names)));
  fmt::print("{}", app.get_subcommand(name)->help());
  return exit_fine;
}

}  // namespace

void format_help(CLI::App& app) {
  app.formatter_fn(
      [](const CLI::App* of, const std::string&, CLI::AppFormatMode) { return program_page(*of); });
}

void format_help(CLI::App& command, CommandText text) {
  command.formatter_fn([text = std::move(text)](const CLI::App* of, const std::string&, CLI::AppFormatMode) {
    return command_page(*of, text);
  });
}

void add_help(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<HelpFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "help",
       .what = "what a command does, as its --help; all commands as a man page",
       .about = "Prints what --help prints: of the program, or of one command. With --man the texts of all "
                "commands are one manual page in roff, which `cmake --install` puts where `man redbench` "
                "finds it.",
       .examples = {{"redbench help run", "as redbench run --help"},
                    {"redbench help --man > redbench.1", "the manual page; `man ./redbench.1` shows it"}},
       .see = "README.md"},
      exit_code, [&app, flags] { return print_help(app, *flags); });
  add_arguments(command, "COMMAND", flags->command, "the command that is explained");
  add_flag(command, "--man", flags->man, "all commands, as a page for man");
}

}  // namespace redbench
