// redbench list: every variant that is built in.
#include <fmt/format.h>

#include <algorithm>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

constexpr std::string_view order_names[] = {"any", "commutative"};
constexpr std::string_view pages_names[] = {"any", "small", "huge"};
constexpr std::string_view step_names[] = {"one", "power_of_two", "multiple_of_warp"};

Json parameters_json(const Card& card) {
  Json list = Json::array();
  for (const Parameter& p : parameters_of(card))
    list.push_back({{"name", p.name},
                    {"default", p.fallback},
                    {"minimum", p.minimum},
                    {"maximum", p.maximum},
                    {"step", step_names[std::size_t(p.step)]},
                    {"found", p.found}});
  return list;
}

/// Per device: the operators of each type that the variant takes, and the sentence for those that it refuses.
Json pairs_json(const Variant& variant) {
  Json devices = Json::object();
  for (std::size_t target = 0; target < target_names.size(); ++target) {
    if (!variant.built_for(Target(target))) continue;
    Json takes = Json::object(), refuses = Json::object();
    for (const Instance& instance : variant.instances[target]) {
      const std::string type(name_of(instance.type)), op(name_of(instance.op));
      if (instance.run) takes[type].push_back(op);
      else refuses[type][op] = instance.refusal;
    }
    devices[std::string(target_names[target])] = {{"takes", takes}, {"refuses", refuses}};
  }
  return devices;
}

/// By device, as its records have it.
Json source_hashes_json(const Variant& variant) {
  Json hashes = Json::object();
  for (std::size_t target = 0; target < target_names.size(); ++target)
    if (variant.built_for(Target(target)))
      hashes[std::string(target_names[target])] = variant.source_hash(Target(target));
  return hashes;
}

Json variant_json(const Variant& variant) {
  const Card& card = variant.card;
  return {{"problem", variant.problem},
          {"title", card.title},
          {"source", card.source},
          {"order", order_names[std::size_t(card.order)]},
          {"reproducible", reproducible_names[std::size_t(card.reproducible)]},
          {"minimum_capability", card.minimum_capability},
          {"maximum_n", card.maximum_n},
          {"maximum_m", card.maximum_m},
          {"narrow", card.narrow},
          {"library_only", card.library_only},
          {"synchronizes", card.synchronizes},
          {"pages", pages_names[std::size_t(card.pages)]},
          {"registers", card.registers},
          {"parameters", parameters_json(card)},
          {"devices", pairs_json(variant)},
          {"file", variant.source},
          {"source_hash", source_hashes_json(variant)}};
}

std::string devices_of(const Variant& variant) {
  std::vector<std::string_view> names;
  for (std::size_t target = 0; target < target_names.size(); ++target)
    if (variant.first_taken(Target(target))) names.push_back(target_names[target]);
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " "));
}

struct ListFlags {
  std::string pattern;
  bool json = false;
};

int list(const ListFlags& flags) {
  Json all = Json::object();
  std::size_t width = 0;
  std::vector<const Variant*> chosen;
  for (const Variant& variant : variants())
    if (fits_pattern(variant.name, flags.pattern)) {
      chosen.push_back(&variant);
      width = std::max(width, variant.name.size());
    }
  if (chosen.empty()) throw UsageError("-b " + flags.pattern + ": fits no variant");
  for (const Variant* variant : chosen) {
    if (flags.json) all[variant->name] = variant_json(*variant);
    else
      print_wrapped(fmt::format("{:<{}}  {:<11}  {:<6}  {:<9}  {}{}\n", variant->name, width,
                                order_names[std::size_t(variant->card.order)],
                                reproducible_names[std::size_t(variant->card.reproducible)],
                                devices_of(*variant), variant->card.title,
                                variant->is_outside() ? "  (" + variant->source + ")" : ""));
  }
  if (flags.json) fmt::print("{}\n", all.dump(2));
  return exit_fine;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<ListFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "list",
       .what = "the variants: name, order of the operator, same bits, devices, title",
       .about =
           "Lists every variant that is built in, a line each, by problem and name. The second column "
           "says whether an operator must be commutative, the third whether each run gives the same bits: "
           "always, where the operator is exact, or never. The fourth names the devices. "
           "Those of folders of your own have their file at the end.",
       .examples = {{"redbench list", "all of them"},
                    {"redbench list -b '^reduce/shuffle' --json",
                     "the cards of a few: parameters, types and operators, files and their hashes"}},
       .see = "docs/adding_a_variant.md"},
      exit_code, [flags] { return list(*flags); });
  add_variants_flag(command, flags->pattern);
  add_kernels_flag(command);
  add_flag(command, "--json", flags->json, "every card, as JSON by name");
}

}  // namespace redbench
