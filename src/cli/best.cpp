// redbench best: which variant to use, from records.
#include <fmt/format.h>

#include "src/best/best.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/output_file.hpp"
#include "src/tables/tables.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

struct BestFlags {
  std::vector<std::string> problems, from, axes;
  std::string n, m, type, op, hardware, mode = "cold", over, scratch, json, markdown;
  bool keeps_order = false, reproducible = false;
  TableWidth width;
};

Question question_of(const BestFlags& flags) {
  if (flags.problems.size() != 1)
    throw UsageError("redbench best: one problem is expected, as `redbench best reduce --n 1Mi`");
  Question question{.problem = flags.problems[0],
                    .hardware = flags.hardware,
                    .keeps_order = flags.keeps_order,
                    .reproducible = flags.reproducible};
  for (const auto& [axis, text] : {std::pair("n", &flags.n), {"m", &flags.m}})
    if (!text->empty()) question.sizes[axis] = size_of(std::string("--") + axis, *text);
  for (const auto& [axis, size] : question.sizes)
    if (flags.over == axis || flags.over == "all")
      throw UsageError(
          fmt::format("--over {} has all that was measured, so --{} is not taken", flags.over, axis));
  question.exact["mode"] = flags.mode;
  for (const auto& [axis, text] : {std::pair("type", &flags.type), {"operator", &flags.op}})
    if (!text->empty()) question.exact[axis] = *text;
  for (const std::string& axis : flags.axes) {
    const std::size_t at = axis.find('=');
    if (at == 0 || at == axis.npos) throw UsageError("--axis " + axis + ": NAME=VALUE is expected");
    question.exact[axis.substr(0, at)] = axis.substr(at + 1);
  }
  if (!flags.scratch.empty())
    question.most_scratch_bytes = flags.scratch == "0" ? 0 : double(size_of("--scratch", flags.scratch));
  return question;
}

/// The records are let go before anything is written.
std::vector<Ranking> rankings_of(const BestFlags& flags, const Question& question) {
  const std::vector<PackedRun> runs =
      runs_of_problem(flags.from.empty() ? folders_of_records() : flags.from, question.problem);
  if (flags.over.empty()) return {best(runs, question)};
  return flags.over == "all" ? best_everywhere(runs, question) : best_over(runs, question, flags.over);
}

int best(const BestFlags& flags) {
  const Question question = question_of(flags);
  const std::vector<Ranking> rankings = rankings_of(flags, question);
  Json json{{"schema", 1}, {"problem", question.problem}, {"rankings", Json::array()}};
  if (!flags.json.empty())
    for (const Ranking& answer : rankings) json["rankings"].push_back(to_json(answer));
  const Ranking& first = rankings[0];
  const Table table = flags.over.empty() ? ranking_table(first) : map_table(rankings);
  for (const auto& [file, text] : json_and_markdown(flags.json, indented(json), flags.markdown,
                                                    markdown(fit(table, std::size_t(flags.width.in_files)))))
    file.write(text);
  const std::size_t width = std::size_t(flags.width.printed());
  fmt::print("{}\n{}",
             printable(flags.over.empty() ? fmt::format("{}, {} ({})", first.hardware, first.run, first.date)
                                          : first.hardware),
             aligned(fit(table, width), false, width));
  return exit_fine;
}

}  // namespace

void add_best(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<BestFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "best",
       .what = "which variant is fastest for an input, from records",
       .about =
           "Answers from records that are there, at the measured point nearest to the input: the variants "
           "that nothing tells from the fastest (paired differences in the same rounds, false discovery "
           "rate 5 %), the library's, and what each promises. Only variants that were measured in the same "
           "rounds are ranked. Nothing is measured.",
       .writes = "nothing, but for the files of --json and --md",
       .examples = {{"redbench best reduce --n 1Mi --type i32", "the fastest sum of a million integers"},
                    {"redbench best multireduce --over m", "the fastest for each number of labels"},
                    {"redbench best reduce --n 64Mi --order", "for operators that do not commute"}},
       .see = "docs/measuring.md; redbench compare"},
      exit_code, [flags] { return best(*flags); });
  add_arguments(command, "PROBLEM", flags->problems, "reduce, histogram, ...");
  add_size(command, "--n", flags->n, "the number of inputs (the largest of configs/best, else of all runs)");
  add_size(command, "--m", flags->m, "the number of labels, bins or segments");
  add_option(command, "--type", flags->type, "TYPE", "of the inputs");
  add_option(command, "--operator", flags->op, "OPERATOR", "by which they are combined");
  add_option(command, "-a,--axis", flags->axes, "NAME=VALUE", "another axis, as labels=uniform");
  add_option(command, "--mode", flags->mode, "MODE", "cold, warm or graph");
  add_option(command, "--hardware", flags->hardware, "NAME",
             "a part of the device's name, as H200 (of GPUs before CPUs that with the nearest point)");
  add_flag(command, "--order", flags->keeps_order, "only variants that keep the order of their inputs");
  add_flag(command, "--reproducible", flags->reproducible, "only variants with the same bits in each run");
  add_size(command, "--scratch", flags->scratch, "only variants with no more bytes of their own");
  add_option(command, "--over", flags->over, "AXIS",
             "an answer for each measured value of n, m, ..., or for `all` inputs");
  add_option(command, "--from", flags->from, "DIR", "folders of runs (results, else those of the program)");
  add_option(command, "--json", flags->json, "FILE", "writes all variants of each answer here");
  add_option(command, "--md", flags->markdown, "FILE", "writes the table here as Markdown");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
