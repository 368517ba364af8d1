// redbench completion: the script that has a shell ask redbench what fits, and the answer.
#include "src/cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "src/build_facts.hpp"
#include "src/cachesim/cachesim.hpp"
#include "src/claims/claim_file.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/config/axes.hpp"
#include "src/config/config.hpp"
#include "src/config/keys.hpp"
#include "src/error.hpp"
#include "src/registry.hpp"
#include "src/reproduce/figure.hpp"
#include "src/simt/model.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

using Words = std::vector<std::string>;

Words devices() {
  Words names{"auto", "host", "simt"};
  if (std::string_view(build_facts.cuda_compiler) != "none") names.insert(names.end(), {"cuda", "cuda:all"});
  for (const std::string& model : simt::model_names()) names.push_back("simt:" + model);
  return names;
}

Words both(Words names, const Words& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

Words ending_in(Words names, char last) {
  for (std::string& name : names) name += last;
  return names;
}

template <class List, class Name>
Words names_in_list(const List& list, const Name& name) {
  Words names;
  for (const auto& entry : list) names.emplace_back(std::invoke(name, entry));
  return names;
}

Words shells() {
  return names_in_list(std::span(completion_scripts, completion_script_count), &CompletionScript::shell);
}

/// "n=" of each axis, and where its values can be told "type=f32".
Words axes_and_values() {
  Words words;
  for (const Problem& problem : problems()) {
    words = both(std::move(words), ending_in(axis_names(problem, short_variant_names(problem.name)), '='));
    for (const std::string& name : names_in(problem, &Pair::type)) words.push_back("type=" + name);
    for (const std::string& name : names_in(problem, &Pair::op)) words.push_back("operator=" + name);
    for (const ProblemAxis& axis : problem.axes)
      for (const std::string& value : axis.allowed) words.push_back(axis.name + "=" + value);
  }
  return words;
}

/// Of all problems.
template <class Axis>
Words names_in_all(Axis Pair::*axis) {
  Words words;
  for (const Problem& problem : problems()) words = both(std::move(words), names_in(problem, axis));
  return words;
}

/// What a value may be, by the name that --help gives it: words, and what the shell adds to them. Of a name
/// without a row nothing is offered.
struct Value {
  std::string_view name;
  Words (*words)();
  const char* added = "words";
};
constexpr Value values[] = {
    {"AXIS",
     [] {
       Words words{"n"};
       for (const Problem& problem : problems())
         words = both(std::move(words), names_in_list(problem.axes, &ProblemAxis::name));
       return words;
     }},
    {"CONFIG", own_configs, "files"},
    {"DEVICE", devices},
    {"DIR", nullptr, "folders"},
    {"FILE", nullptr, "files"},
    {"FIRST SECOND", variant_names},
    {"FROM",
     [] {
       Words words(parameters_from_names.begin(), parameters_from_names.end());
       words.push_back("printed,tuned");
       return words;
     }},
    {"KEY=VALUE",
     [] {
       return ending_in(names_in_list(settable_keys(), [](const auto& key) { return key.first; }), '=');
     }},
    {"MACHINE", [] { return both(own_machines(), {"host"}); }, "files"},
    {"MODE", [] { return Words(mode_names.begin(), mode_names.end()); }},
    {"MODE,...", [] { return Words(mode_names.begin(), mode_names.end()); }},
    {"NAME=VALUE", axes_and_values},
    {"NAME=VALUES", axes_and_values},
    {"OPERATOR", [] { return names_in_all(&Pair::op); }},
    {"PAPER", paper_names},
    {"PAPER/ID", [] { return names_in_list(read_all_claims({}), &Claim::name); }},
    {"PRECISION", [] { return names_in_list(precisions(), &Precision::name); }},
    {"PROBLEM", problem_names},
    {"PROBLEM/NAME", [] { return ending_in(problem_names(), '/'); }},
    {"REGEX", variant_names},
    {"RUN", nullptr, "folders"},
    {"SHELL", shells},
    {"TYPE", [] { return names_in_all(&Pair::type); }},
    {"VARIANT", variant_names},
    {"VARIANT|CONFIG", variant_names, "files"},
    {"VARIANT|PROBLEM", [] { return both(variant_names(), problem_names()); }},
};

struct Offers {
  Words words;
  const char* added = "words";
};

/// The words that begin with what is typed, in order.
Offers fitting(Words words, const std::string& typed, const char* added = "words") {
  std::erase_if(words, [&](const std::string& word) { return !word.starts_with(typed); });
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return {std::move(words), added};
}

/// A key is offered first, its values once it is there: with "type=i32,f" each offer begins with "type=i32,".
Offers values_of(const std::string& name, const std::string& typed) {
  const Value* const value = std::ranges::find(values, name, &Value::name);
  if (value == std::end(values)) return {};
  const std::string key = typed.substr(0, typed.find('=') + 1),
                    head = typed.substr(0, typed.find_last_of("=,") + 1);
  Words words;
  for (const std::string& word : value->words ? value->words() : Words{}) {
    const std::size_t past_key = word.find('=') + 1;
    const bool fits = key.empty() ? past_key == 0 || past_key == word.size()
                                  : word.starts_with(key) && word.size() > key.size();
    if (fits) words.push_back(head + word.substr(key.size()));
  }
  return fitting(std::move(words), typed, value->added);
}

/// Long flags, and a short one that is typed already.
Offers flags_that_fit(const CommandFacts& command, const std::string& typed) {
  Words flags = flags_of(command);
  std::erase_if(flags, [&](const std::string& flag) { return !flag.starts_with("--") && flag != typed; });
  return fitting(std::move(flags), typed);
}

const OptionFacts* option_named(const CommandFacts& command, const std::string& flag) {
  const auto found = std::ranges::find_if(command.options, [&](const OptionFacts& option) {
    return std::ranges::find(option.names, flag) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

/// For the last word of a command's line. `words`: those between the command's name and it.
Offers offers_of(const CommandFacts& command, const std::vector<std::string>& commands, const Words& words,
                 const std::string& typed) {
  const OptionFacts* open = nullptr;  // an option that takes the next word
  int left = 0;                       // words that it still takes
  int arguments = 0;
  const auto is_value = [&](const std::string& word) {
    return left > 0 && !(word.starts_with('-') && open->least_words == 0);
  };
  for (const std::string& word : words) {
    if (is_value(word)) {
      --left;
    } else if (word.size() > 1 && word.starts_with('-')) {
      open = option_named(command, word);  // none of "--name=value", which takes no other word
      left = open ? open->most_words : 0;
    } else {
      left = 0;
      ++arguments;
    }
  }
  if (is_value(typed)) return values_of(open->value, typed);
  if (const std::size_t past = typed.find('=') + 1; typed.starts_with('-') && past > 0) {
    const OptionFacts* const option = option_named(command, typed.substr(0, past - 1));
    Offers offers = option ? values_of(option->value, typed.substr(past)) : Offers{};
    for (std::string& word : offers.words) word.insert(0, typed, 0, past);
    return offers;
  }
  if (typed.starts_with('-')) return flags_that_fit(command, typed);
  if (!command.arguments.empty() && arguments < command.arguments[0].most_words) {
    const std::string& value = command.arguments[0].value;
    return value == "COMMAND" ? fitting(commands, typed) : values_of(value, typed);
  }
  return typed.empty() ? flags_that_fit(command, typed) : Offers{};
}

/// `words`: those before the one that is typed.
Offers offers_for(const CLI::App& app, const Words& words, const std::string& typed) {
  const std::vector<CommandFacts> commands = commands_of(app);
  if (words.empty())
    return typed.starts_with('-') ? flags_that_fit(facts_of(app), typed) : fitting(names_of(commands), typed);
  const auto command = std::ranges::find(commands, words[0], &CommandFacts::name);
  return command == commands.end()
             ? Offers{}
             : offers_of(*command, names_of(commands), {words.begin() + 1, words.end()}, typed);
}

}  // namespace

bool answers_completion(const CLI::App& app, int argc, char** argv) {
  if (argc < 3 || std::string_view(argv[1]) != "completion" || std::string_view(argv[2]) != "--complete")
    return false;
  Offers offers;
  if (argc > 3) try {
      offers = offers_for(app, {argv + 3, argv + argc - 1}, argv[argc - 1]);
    } catch (const std::exception&) {  // as of claims' files that cannot be read: nothing is offered
    }
  fmt::print("{}\n", offers.added);
  for (const std::string& word : offers.words) fmt::print("{}\n", word);
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
       .examples = {{"source <(redbench completion bash)", "in this shell; in ~/.bashrc, in each"},
                    {"redbench completion fish", "the script for fish"}},
       .see = "docs/installing.md"},
      exit_code, [shell] {
        const Words names = shells();
        const auto found = std::ranges::find(names, *shell);
        if (found == names.end())
          throw UsageError(fmt::format("redbench completion {}: there is no such shell{}; there are {}",
                                       *shell, nearest_match(*shell, names), alternatives(names)));
        fmt::print("{}", completion_scripts[found - names.begin()].text);
        return exit_fine;
      });
  add_argument(command, "SHELL", *shell, "bash, zsh or fish");
}

}  // namespace redbench
