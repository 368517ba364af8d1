#include "src/cli/command_facts.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

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

OptionFacts facts_of(const CLI::Option& option) {
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
    (option->get_positional() ? facts.arguments : facts.options).push_back(facts_of(*option));
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

}  // namespace redbench
