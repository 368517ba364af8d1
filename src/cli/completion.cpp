// redbench completion: the script that has a shell ask redbench what fits, and the answer.
#include "src/cli/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "src/build_facts.hpp"
#include "src/cachesim/cachesim.hpp"
#include "src/claims/claim_file.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/config/axes.hpp"
#include "src/config/config.hpp"
#include "src/config/nearest_config.hpp"
#include "src/config/schema.hpp"
#include "src/error.hpp"
#include "src/printable.hpp"
#include "src/registry.hpp"
#include "src/reproduce/papers.hpp"
#include "src/reproduce/precision.hpp"
#include "src/simt/model.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words devices() {
  Words names{"auto", "host", "simt"};
  if (std::string_view(build_facts.cuda_compiler) != "none") names.emplace_back("cuda");
  for (const std::string& model : simt::model_names()) names.push_back("simt:" + model);
  return names;
}

Words variants_and_problems() {
  Words names = variant_names();
  for (std::string& problem : problem_names()) names.push_back(std::move(problem));
  return names;
}

Words problem_prefixes() {
  Words names = problem_names();
  for (std::string& name : names) name += '/';
  return names;
}

Words claim_names() {
  Words names;
  for (const Claim& claim : read_all_claims({})) names.push_back(claim.name());
  return names;
}

Words machines() {
  Words names = own_machines();
  names.emplace_back("host");
  return names;
}

Words precision_names() {
  Words names;
  for (const Precision& precision : precisions()) names.emplace_back(precision.name);
  return names;
}

Words modes() { return {mode_names.begin(), mode_names.end()}; }

Words settable_prefixes() {
  Words names = settable_keys();
  for (std::string& name : names) name += '=';
  return names;
}

/// "n=" of each axis, and where its values can be told "type=f32".
Words axes_and_values() {
  Words words;
  for (const Problem& problem : problems()) {
    for (const std::string& name : axis_names(problem, short_variant_names(problem.name)))
      words.push_back(name + "=");
    for (const std::string& name : names_in(problem, &Pair::type)) words.push_back("type=" + name);
    for (const std::string& name : names_in(problem, &Pair::op)) words.push_back("operator=" + name);
    for (const ProblemAxis& axis : problem.axes)
      for (const std::string& value : axis.allowed) words.push_back(axis.name + "=" + value);
  }
  return words;
}

Words shells() { return {"bash", "fish", "zsh"}; }

enum class Paths : std::uint8_t { none, folders, json, all };

/// What a value may be, by the name that --help gives it. Of a name without a row nothing is offered.
struct Value {
  std::string_view name;
  Words (*words)();
  Paths paths = Paths::none;
};
constexpr Value values[] = {
    {"CONFIG", own_configs, Paths::json},
    {"DEVICE", devices},
    {"DIR", nullptr, Paths::folders},
    {"FILE", nullptr, Paths::all},
    {"FIRST SECOND", variant_names},
    {"KEY=VALUE", settable_prefixes},
    {"MACHINE", machines, Paths::json},
    {"MODE,...", modes},
    {"NAME=VALUE", axes_and_values},
    {"NAME=VALUES", axes_and_values},
    {"PAPER", paper_names},
    {"PAPER/ID", claim_names},
    {"PRECISION", precision_names},
    {"PROBLEM/NAME", problem_prefixes},
    {"REGEX", variant_names},
    {"RUN", nullptr, Paths::folders},
    {"SHELL", shells},
    {"VARIANT", variant_names},
    {"VARIANT|CONFIG", variant_names, Paths::json},
    {"VARIANT|PROBLEM", variants_and_problems},
};

/// Without a shell's quotes, of which the last may be open.
std::string unquoted(const std::string& typed) {
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (c == '\\' && quote != '\'' && i + 1 < typed.size()) word += typed[++i];
    else if (quote == 0 && (c == '\'' || c == '"')) quote = c;
    else if (c == quote) quote = 0;
    else word += c;
  }
  return word;
}

/// Of the folder that the word is in. Not those that a terminal, or a shell that reads lines, would take for
/// something else.
void add_paths(Offers& offers, const std::string& word, Paths wanted) {
  const std::size_t slash = word.rfind('/');
  const std::string parent = slash == word.npos ? "" : word.substr(0, slash + 1);
  const char* const home = std::getenv("HOME");
  const fs::path folder = parent.empty()                     ? fs::path(".")
                          : home && parent.starts_with("~/") ? fs::path(home) / parent.substr(2)
                                                             : fs::path(parent);
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (printable(name) != name || (name.starts_with('.') && word.size() == parent.size())) continue;
    std::error_code unknown;
    const bool is_folder = entry->is_directory(unknown);
    if (is_folder) name += '/';
    else if (wanted == Paths::folders || (wanted == Paths::json && !name.ends_with(".json"))) continue;
    offers.words.push_back(parent + name);
  }
}

/// Those that begin with the word, in order.
void keep_fitting(Offers& offers, const std::string& word) {
  std::erase_if(offers.words, [&](const std::string& one) { return !one.starts_with(word); });
  std::ranges::sort(offers.words);
  offers.words.erase(std::unique(offers.words.begin(), offers.words.end()), offers.words.end());
}

/// Of "type=i32,f" the key is "type=", and each offer begins with "type=i32,".
Offers values_of(const std::string& name, const std::string& word) {
  Offers offers;
  const Value* const value = std::ranges::find(values, name, &Value::name);
  if (value == std::end(values)) return offers;
  const std::string key = word.substr(0, word.find('=') + 1),
                    head = word.substr(0, word.find_last_of("=,") + 1);
  for (const std::string& one : value->words ? value->words() : Words{}) {
    const std::size_t past_key = one.find('=') + 1;
    // A key first, its values once it is there.
    const bool fits = key.empty() ? past_key == 0 || past_key == one.size()
                                  : one.starts_with(key) && one.size() > key.size();
    if (fits) offers.words.push_back(head + one.substr(key.size()));
  }
  keep_fitting(offers, word);
  const std::size_t known = offers.words.size();
  if (value->paths != Paths::none) add_paths(offers, word, value->paths);
  keep_fitting(offers, word);
  offers.paths = offers.words.size() > known;
  return offers;
}

const CLI::Option* option_named(const CLI::App& command, const std::string& flag) {
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional() && option->check_name(flag)) return option;
  return nullptr;
}

/// The words that may follow an option.
int words_taken(const CLI::Option& option) {
  const int most = option.get_items_expected_max();
  return option.get_allow_extra_args() ? most : std::min(most, std::max(1, option.get_items_expected_min()));
}

/// Long ones, and a short one that is typed already.
Offers flags_of(const CLI::App& command, const std::string& word) {
  Offers offers;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) offers.words.push_back("--" + name);
    for (const std::string& name : option->get_snames())
      if (word == "-" + name) offers.words.push_back(word);
  }
  keep_fitting(offers, word);
  return offers;
}

Offers command_names(const CLI::App& app, const std::string& word) {
  Offers offers;
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) offers.words.push_back(command->get_name());
  keep_fitting(offers, word);
  return offers;
}

/// What words say up to the one to be completed.
struct Said {
  const CLI::App* command;
  const CLI::Option* open = nullptr;  // an option that takes the next word
  int left = 0;                       // words that it still takes
  bool flags_ended = false;           // by "--"
  int arguments = 0;                  // words without a flag
  bool known = true;
};

void read_word(Said& said, const std::string& word, const CLI::App& app) {
  const bool flag = !said.flags_ended && word.size() > 1 && word.starts_with('-');
  if (said.left > 0 && !(flag && said.open->get_items_expected_min() == 0)) {
    --said.left;
    return;
  }
  said.left = 0;
  if (flag && word == "--") {
    said.flags_ended = true;
  } else if (flag) {
    const std::size_t equals = word.find('=');
    said.open = option_named(*said.command, word.substr(0, equals));
    if (said.open && equals == word.npos) said.left = words_taken(*said.open);
  } else if (said.command == &app) {
    const auto commands = app.get_subcommands({});
    const auto command =
        std::ranges::find(commands, word, [](const CLI::App* one) { return one->get_name(); });
    said.known = command != commands.end();
    if (said.known) said.command = *command;
  } else {
    ++said.arguments;
  }
}

/// The argument that the next word is; null where there are as many as are taken.
const CLI::Option* next_argument(const Said& said) {
  int before = said.arguments;
  for (const CLI::Option* option : said.command->get_options()) {
    if (!option->get_positional()) continue;
    if (before < option->get_items_expected_max()) return option;
    before -= option->get_items_expected_max();
  }
  return nullptr;
}

Offers argument_offers(const CLI::App& app, const Said& said, const std::string& word) {
  const CLI::Option* const argument = next_argument(said);
  if (!argument) return word.empty() && !said.flags_ended ? flags_of(*said.command, word) : Offers{};
  const std::string name = argument->get_name(true, false);
  return name == "COMMAND" ? command_names(app, word) : values_of(name, word);
}

}  // namespace

Offers offers_for(const CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) return {};
  for (std::string& word : words) word = unquoted(word);
  Said said{.command = &app};
  for (std::size_t i = 0; i + 1 < words.size() && said.known; ++i) read_word(said, words[i], app);
  if (!said.known) return {};
  const std::string& word = words.back();
  const bool flag = !said.flags_ended && word.starts_with('-');
  if (said.left > 0 && !(flag && said.open->get_items_expected_min() == 0))
    return values_of(said.open->get_type_name(), word);
  if (const std::size_t equals = word.find('='); flag && equals != word.npos) {
    const CLI::Option* const option = option_named(*said.command, word.substr(0, equals));
    if (!option) return {};
    Offers offers = values_of(option->get_type_name(), word.substr(equals + 1));
    for (std::string& one : offers.words) one = word.substr(0, equals + 1) + one;
    return offers;
  }
  if (flag) return flags_of(*said.command, word);
  return said.command == &app ? command_names(app, word) : argument_offers(app, said, word);
}

bool answers_completion(const CLI::App& app, int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "completion" || std::string_view(argv[2]) != "--complete")
    return false;
  try {
    const Offers offers = offers_for(app, {argv + 3, argv + argc});
    fmt::print("{}\n", offers.paths ? "paths" : "words");
    for (const std::string& word : offers.words) fmt::print("{}\n", word);
  } catch (const std::exception&) {  // as of claims' files that cannot be read: nothing is offered
  }
  return true;
}

void add_completion(CLI::App& app, int& exit_code) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = add_command(
      app,
      {.name = "completion",
       .what = "what makes a shell complete redbench's command lines",
       .about =
           "Prints a script for bash, zsh or fish. With it, the Tab key completes commands, options, "
           "variants, configs, devices, axes, keys and papers. The script asks redbench itself, so it "
           "offers what the program at hand knows, a kernel of your own included. `cmake --install` puts "
           "the scripts where the shells look for them.",
       .writes = "nothing",
       .exits = {},
       .examples = {{"source <(redbench completion bash)", "in this shell; in ~/.bashrc, in each"},
                    {"redbench completion fish", "the script for fish"}},
       .see = "README.md (Install)"},
      exit_code, [shell] {
        const Words names = shells();
        if (std::ranges::find(names, *shell) == names.end())
          throw UsageError(fmt::format("redbench completion {}: there is no such shell{}; there are {}",
                                       *shell, nearest_match(*shell, names), alternatives(names)));
        for (std::size_t i = 0; i < completion_script_count; ++i)
          if (*shell == completion_scripts[i].shell) fmt::print("{}", completion_scripts[i].text);
        return exit_fine;
      });
  add_argument(command, "SHELL", *shell, "bash, zsh or fish");
}

}  // namespace redbench
