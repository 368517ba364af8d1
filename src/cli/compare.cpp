// redbench compare: two runs, or two variants of one, case by case.
#include <fmt/format.h>

#include <filesystem>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/compare/comparison.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

struct CompareFlags {
  std::vector<std::string> runs, variants;
  CompareOptions options;
  bool fail_on_regression = false;
  std::string json, markdown;
  TableWidth width;
};

Comparison compared(const CompareFlags& flags) {
  check_threshold(flags.options.threshold_percent);
  const std::size_t wanted = flags.variants.empty() ? 2 : 1;
  if (flags.runs.size() != wanted)
    throw UsageError(
        fmt::format("redbench compare: {} given; two are compared, or two variants of one: compare A B, "
                    "or compare A --variants x y",
                    flags.runs.size() == 1 ? "1 run is" : fmt::format("{} runs are", flags.runs.size())));
  if (!flags.variants.empty() && !flags.options.reference.empty())
    throw UsageError("--reference: two variants of one run are compared in the same rounds, without it");
  CompareOptions options = flags.options;
  if (options.across) options.least_across = LeastAcross::below(folders_of_records());
  const StoredRun first = read_stored_run(flags.runs[0]);
  if (std::error_code error; wanted == 2 && std::filesystem::equivalent(flags.runs[0], flags.runs[1], error))
    throw UsageError(
        fmt::format("redbench compare {} {}: one run, named twice", flags.runs[0], flags.runs[1]));
  return flags.variants.empty() ? compare_runs(first, read_stored_run(flags.runs[1]), options)
                                : compare_variants(first, flags.variants[0], flags.variants[1], options);
}

/// Each with what is to be written.
std::vector<std::pair<OutputFile, std::string>> asked_files(const CompareFlags& flags,
                                                            const Comparison& comparison) {
  auto files = json_and_markdown(flags.json, indented(to_json(comparison)), flags.markdown,
                                 markdown(comparison, flags.width.in_files));
  for (const auto& [file, text] : files)
    for (const std::string& run : flags.runs)
      for (const std::string& table : table_files(run, read_stored_run(run).name()))
        file.check_is_not(table, "a table of that run");
  return files;
}

int compare(const CompareFlags& flags) {
  const Comparison comparison = compared(flags);
  for (const auto& [file, text] : asked_files(flags, comparison)) file.write(text);
  const std::size_t width = std::size_t(flags.width.printed());
  if (!comparison.of_variants)
    fmt::print("{}", paragraph(fmt::format("A: {}  ·  B: {}", comparison.first, comparison.second), width));
  fmt::print("{}\n{}", aligned(fit(comparison_table(comparison), width), false, width),
             paragraph(comparison.summary(), width));
  return exit_code_of(comparison, flags.fail_on_regression);
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "compare",
       .what = "two runs, or two variants of one: faster, slower, same, undecided",
       .about =
           "Holds two runs against each other case by case, or two variants of one run: the quotient of "
           "their times with its interval, and whether that decides. Cases of other or unknown driver, CUDA "
           "toolkit (on a CPU: compiler) or measuring code, of other hardware, inputs or SM clock (by 3 %) "
           "are marked and not compared; where all are, the runs are refused unless --across is given. Of two "
           "machines, or of machines that are not known, no time is compared: each is divided by that of a "
           "library, or of --reference, in the same rounds, and these quotients are compared.",
       .writes = "nothing, but for the files of --json and --md",
       .exits = {{exit_failed,
                  "with --fail-on-regression: a case of B is slower, has not passed as it had in A, or is "
                  "not there"},
                 {exit_undecided, "no case is decided; with --fail-on-regression: one is undecided"}},
       .examples = {{"redbench compare results/h200/selftest/a results/h200/selftest/b",
                     "two runs of one config"},
                    {"redbench compare results/h200/quick --variants harris3 harris4 --threshold 2",
                     "two variants of a run; what differs by no more than 2 % is the same"},
                    {"redbench compare results/h200/selftest/{a,b} --reference harris3",
                     "two runs by their times over those of harris3: also where machines differ"},
                    {"redbench compare results/h200/selftest/{a,b} --json compared.json",
                     "all of it as JSON, of which scripts/make_report.py --compare makes a page"}},
       .see = "docs/reference/comparing.md; redbench selftest"},
      exit_code, [flags] { return compare(*flags); });
  add_arguments(command, "RUN", flags->runs, "the folder of run A, and of run B, which is compared with it");
  add_pair(command, "--variants", flags->variants, "FIRST SECOND", "compares these variants of one run");
  add_option(command, "--threshold", flags->options.threshold_percent, "PERCENT",
             "times that are no further apart are the same");
  add_flag(command, "--across", flags->options.across,
           "compares what was not measured alike, too, and says so; and times of two machines, by the least "
           "difference of a self-test of several, `redbench selftest --with`, in results/");
  add_option(command, "--reference", flags->options.reference, "VARIANT",
             "divides each time by this variant's, of the same input and rounds");
  add_flag(command, "--fail-on-regression", flags->fail_on_regression,
           "exit code 1 where a case is slower, 3 where one is undecided");
  add_option(command, "--json", flags->json, "FILE",
             "writes all of it here, as scripts/plot_compare.py reads it");
  add_option(command, "--md", flags->markdown, "FILE", "writes the table here as Markdown");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
