// redbench describe: what is known about one variant, or one problem, without running it.
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/registry.hpp"
#include "src/tables/text.hpp"
#include "src/text/nearest.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

struct DescribeFlags {
  std::string variant, device = "auto", n = "16Mi";
};

const Variant& known_variant(const std::string& name) {
  const Variant* const variant = find_variant(name);
  if (variant) return *variant;
  throw UsageError("there is no variant or problem `" + name + "`" + nearest_variant(name, problem_names()) +
                   "; redbench list names them");
}

void line(std::string_view label, const std::string& text) {
  print_wrapped(fmt::format("  {:<11} {}\n", label, text));
}

std::string needs_of(const Card& card) {
  std::vector<std::string> needs;
  if (card.order == Order::commutative) needs.push_back("a commutative operator");
  if (card.minimum_capability > 0)
    needs.push_back(fmt::format("compute capability {:.1f}", card.minimum_capability / 10.0));
  if (card.maximum_n > 0) needs.push_back(fmt::format("n up to {}", card.maximum_n));
  if (card.maximum_m > 0) needs.push_back(fmt::format("m up to {}", card.maximum_m));
  if (card.library_only) needs.push_back("its library's device");
  return needs.empty() ? "nothing: any associative operator, kept in input order"
                       : fmt::format("{}", fmt::join(needs, ", "));
}

std::string_view same_bits_of(const Card& card) {
  if (card.reproducible == Reproducible::always) return "in each run";
  if (card.reproducible == Reproducible::never) return "not promised: any of several values is right";
  return "in each run where the operator does not round: integers, min, max";
}

void print_pairs(const Variant& variant, Target target) {
  using TypesOfOperator = std::map<std::string, std::vector<std::string_view>>;
  TypesOfOperator taken;
  std::map<std::string_view, TypesOfOperator> refused;  // by the sentence
  for (const Instance& instance : variant.instances[std::size_t(target)])
    (instance.run ? taken : refused[instance.refusal])[std::string(name_of(instance.op))].push_back(
        name_of(instance.type));
  fmt::print("  on {}\n", target_names[std::size_t(target)]);
  for (const auto& [op, types] : taken) fmt::print("    takes     {:<8} {}\n", op, fmt::join(types, " "));
  for (const auto& [why, pairs] : refused) {
    for (const auto& [op, types] : pairs) fmt::print("    refuses   {:<8} {}\n", op, fmt::join(types, " "));
    fmt::print("      why     {}\n", why);
  }
}

/// The plan of one case, as `redbench plan` shows it.
void print_example(const Variant& variant, const std::string& device, Index n) {
  OpenDevices open(variant.on_host() ? "host" : device);
  const Target target = open.kernels->target();
  if (!variant.built_for(target)) return;
  const Instance* const taken = variant.first_taken(target);
  const Instance& example = taken ? *taken : variant.instances[std::size_t(target)].front();
  Config config;
  config.experiments.push_back(
      {"",
       variant.problem,
       {variant.short_name},
       {{"n", {n}}, {"type", {name_of(example.type)}}, {"operator", {name_of(example.op)}}}});
  const Plan plan = make_plan(config, open.devices());
  print_wrapped(fmt::format(
      "\nOn {} ({}):\n{}", open.kernels->name(), open.kernels->facts().name,
      format_plan(plan, seconds_of(plan, config.measure, open.devices()), terminal_width(STDOUT_FILENO))));
}

int describe_problem(const Problem& problem) {
  fmt::print("{}: {}\n", problem.name, problem.what);
  for (const ProblemAxis& axis : problem.axes)
    line("axis", fmt::format("{} = {}; {}{}", axis.name, axis_text(axis.fallback), axis.what,
                             axis.allowed.empty() ? "" : ": " + alternatives(axis.allowed)));
  std::map<std::string_view, std::vector<std::string_view>> types;
  for (const Pair& pair : problem.pairs)
    if (!pair.accumulates) types[name_of(pair.op)].push_back(name_of(pair.type));
  for (const auto& [op, names] : types) line("operator", fmt::format("{:<8} {}", op, fmt::join(names, " ")));
  return exit_fine;
}

int describe(const DescribeFlags& flags) {
  if (const Problem* const problem = find_problem(flags.variant)) return describe_problem(*problem);
  const Variant& variant = known_variant(flags.variant);
  const Index n = size_of("--n", flags.n);
  const Card& card = variant.card;
  fmt::print("{}: {}\n", variant.name, card.title);
  line("from", std::string(card.source));
  line("file", variant.source);
  line("needs", needs_of(card));
  line("same bits", std::string(same_bits_of(card)));
  if (card.narrow) line("accumulator", "own; u32 for sums of u8, i32 of i8, f32 of f16 and bf16");
  if (card.pages != Pages::any)
    line("memory", card.pages == Pages::huge ? "in huge pages (2048 kB)" : "in small pages (4 kB)");
  if (card.synchronizes) line("note", "waits for the device itself: its launch gap is part of its time");
  for (const Parameter& p : parameters_of(card))
    line("parameter", fmt::format("{} = {} ({}); {}", p.name, p.fallback, range_of(p), p.found));
  for (std::size_t target = 0; target < target_names.size(); ++target)
    if (variant.built_for(Target(target))) print_pairs(variant, Target(target));
  print_example(variant, flags.device, n);
  return exit_fine;
}

}  // namespace

void add_describe(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<DescribeFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "describe",
       .what = "one variant: its card, what it takes, its launches; or a problem",
       .about = "Of a variant: what its card says, its launch parameters with their ranges, which types and "
                "operators it takes on each device and why it refuses others, and the launches of an "
                "example. Of a problem: its axes, operators and types. Nothing is run.",
       .examples = {{"redbench describe reduce/harris3", "a variant, and its launches for 16 Mi inputs"},
                    {"redbench describe segreduce", "a problem"},
                    {"redbench describe reduce/diffwarps -d simt:gtx480 --n 30Mi",
                     "the launches on a GTX 480"}},
       .see = "docs/adding_a_variant.md; redbench list"},
      exit_code, [flags] { return describe(*flags); });
  add_argument(command, "VARIANT|PROBLEM", flags->variant, "as in reduce/harris3, or segreduce");
  add_device_flag(command, flags->device);
  add_kernels_flag(command);
  add_size(command, "--n", flags->n, "size of the example");
}

}  // namespace redbench
