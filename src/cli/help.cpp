#include "src/cli/help.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

constexpr std::size_t page_width = 80, option_column = 26, command_column = 14;

/// Those that any command may end with.
const std::map<int, std::string>& usual_exits() {
  static const std::map<int, std::string> exits{
      {exit_fine, "fine"},
      {exit_failed, "the machine failed: its memory, a process or a device"},
      {exit_usage, "a mistake in the command line or in a file, or output that cannot be written"}};
  return exits;
}

std::map<int, std::string> exits_of(const CommandText& text) {
  std::map<int, std::string> exits = text.exits;
  exits.insert(usual_exits().begin(), usual_exits().end());
  return exits;
}

/// On the lines of a page, the first of which begins in that column already.
std::string from_column(std::size_t column, const std::string& text) {
  return fmt::format("{}", fmt::join(lines_of(text, page_width - column), "\n" + std::string(column, ' ')));
}

/// Without empty lines before and after.
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\n'), end = text.find_last_not_of('\n');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

/// A page is the same with every version of CLI11.
class PageFormatter : public CLI::Formatter {
 public:
  explicit PageFormatter(std::size_t column) : column_(column) { column_width(column); }

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string page;
    for (const std::string& part :
         {make_description(app), make_usage(app, std::move(name)), make_positionals(app),
          make_groups(app, mode), make_subcommands(app, mode), make_footer(app)})
      if (const std::string text = trimmed(part); !text.empty()) page += (page.empty() ? "" : "\n\n") + text;
    return page + '\n';
  }

  /// What follows an option's name: what its value is called, its default, how many there may be.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    else if (option->get_expected_min() > 1) text += fmt::format(" x {}", option->get_expected());
    return text + (option->get_required() ? " REQUIRED" : "");
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return lines_in_column(option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::stringstream out;
    CLI::detail::format_help(out, command->get_name(), lines_in_column(command->get_description()), column_);
    return out.str();
  }

 private:
  /// CLI11 brings each line into the column.
  std::string lines_in_column(const std::string& text) const {
    return fmt::format("{}", fmt::join(lines_of(text, page_width - column_), "\n"));
  }

  std::size_t column_;
};

class CommandFormatter : public PageFormatter {
 public:
  explicit CommandFormatter(CommandText text) : PageFormatter(option_column), text_(std::move(text)) {}

  const CommandText& text() const { return text_; }

  std::string make_description(const CLI::App*) const override {
    return fmt::format("{}\n\n{}\n\n", from_column(0, fmt::format("redbench {}: {}", text_.name, text_.what)),
                       from_column(0, text_.about));
  }

  std::string make_footer(const CLI::App*) const override {
    std::string out = fmt::format("Writes:\n  {}\n\nExit codes:\n", from_column(2, text_.writes));
    for (const auto& [code, when] : exits_of(text_))
      out += fmt::format("  {:<4} {}\n", code, from_column(7, when));
    out += "\nExamples:\n";
    for (const Example& example : text_.examples)
      out += fmt::format("  {}\n      {}\n", example.command, from_column(6, example.what));
    return out + fmt::format("\nSee also:\n  {}\n", from_column(2, text_.see));
  }

 private:
  CommandText text_;
};

/// Without a meaning of its own in roff.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// A term and what is meant by it.
std::string entry(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(meaning));
}

std::string command_section(const CLI::App& command, const CommandFormatter& formatter) {
  const CommandText& text = formatter.text();
  std::string usage = formatter.make_usage(&command, "redbench " + text.name);
  usage = trimmed(usage.substr(usage.find(": ") + 2));
  std::string out =
      fmt::format(".SS {}\n\\fB{}\\fR\n.PP\n{}\n", roff(text.name), roff(usage), roff(text.about));
  for (const CLI::Option* option : command.get_options())
    if (option != command.get_help_ptr())
      out += entry(
          formatter.make_option_name(option, option->get_positional()) + formatter.make_option_opts(option),
          option->get_description());
  out += fmt::format(".PP\nWrites: {}\n.PP\nExit codes:\n", roff(text.writes));
  for (const auto& [code, when] : exits_of(text)) out += entry(std::to_string(code), when);
  out += ".PP\nExamples:\n";
  for (const Example& example : text.examples) out += entry(example.command, example.what);
  return out + fmt::format(".PP\nSee also: {}\n", roff(text.see));
}

bool is_listed(const CLI::App& command) { return !command.get_group().empty(); }

}  // namespace

void format_help(CLI::App& app) { app.formatter(std::make_shared<PageFormatter>(command_column)); }

void format_help(CLI::App& command, CommandText text) {
  command.formatter(std::make_shared<CommandFormatter>(std::move(text)));
}

std::string help_of_program(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

std::string man_page(const CLI::App& app) {
  std::string out;
  out = fmt::format(
      ".TH REDBENCH 1 \"\" \"redbench {}\"\n.nh\n.ad l\n"
      ".SH NAME\nredbench \\- benchmarks of parallel reductions on GPUs\n"
      ".SH SYNOPSIS\n\\fBredbench\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n{}\n.SH COMMANDS\n",
      build_facts.version, roff(app.get_description()));
  for (const CLI::App* command : app.get_subcommands({}))
    if (const auto* formatter = dynamic_cast<const CommandFormatter*>(command->get_formatter().get()))
      out += command_section(*command, *formatter);
  return out + ".SH SEE ALSO\nThe pages that are named above are installed in share/doc/redbench.\n";
}

namespace {

struct HelpFlags {
  std::vector<std::string> command;
  bool man = false;
};

int print_help(const CLI::App& app, const HelpFlags& flags) {
  if (flags.man && !flags.command.empty())
    throw UsageError("redbench help: --man is the page of all commands, and takes none");
  if (flags.command.size() > 1) throw UsageError("redbench help: one command at most is explained");
  if (flags.command.empty()) {
    fmt::print("{}", flags.man ? man_page(app) : help_of_program(app));
    return exit_fine;
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({}))
    if (is_listed(*command)) names.push_back(command->get_name());
  const std::string& name = flags.command[0];
  if (std::ranges::find(names, name) == names.end())
    throw UsageError(fmt::format("redbench help: there is no command `{}`{}; there are {}", name,
                                 nearest_match(name, names), alternatives(names)));
  fmt::print("{}", app.get_subcommand(name)->help(app.get_name()));
  return exit_fine;
}

}  // namespace

void add_help(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<HelpFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "help",
       .what = "what a command does, as its --help; all commands as a man page",
       .about = "Prints what --help prints: of the program, or of one command. With --man the texts of all "
                "commands are one manual page in roff, which `cmake --install` puts where `man redbench` "
                "finds it.",
       .writes = "nothing",
       .exits = {},
       .examples = {{"redbench help run", "as redbench run --help"},
                    {"redbench help --man > redbench.1", "the manual page; `man ./redbench.1` shows it"}},
       .see = "README.md"},
      exit_code, [&app, flags] { return print_help(app, *flags); });
  add_arguments(command, "COMMAND", flags->command, "the command that is explained");
  add_flag(command, "--man", flags->man, "all commands, as a page for man");
}

}  // namespace redbench
