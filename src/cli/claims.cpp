// redbench claims: tests what papers say against records.
#include <fmt/format.h>

#include <algorithm>

#include "src/claims/answer.hpp"
#include "src/claims/claim_file.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/output_file.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

struct ClaimsFlags {
  std::vector<std::string> folders, files, devices;
  std::string pattern, markdown;
  std::string json;  // where to
  bool fail_on_claim = false;
  TableWidth width;

  static constexpr const char* to_stdout = "-";
};

std::vector<Claim> claims_asked(const ClaimsFlags& flags) {
  std::vector<Claim> claims = read_all_claims(flags.files);
  std::vector<std::string> names;
  for (const Claim& claim : claims) {
    names.push_back(claim.name());
    names.push_back(claim.id);
  }
  std::erase_if(claims, [&](const Claim& claim) { return !fits_pattern(claim.name(), flags.pattern); });
  if (claims.empty())
    throw UsageError(
        fmt::format("-b {}: no claim has such a name{}", flags.pattern, nearest_match(flags.pattern, names)));
  return claims;
}

void print(const std::vector<ClaimAnswer>& answers, const Evidence& evidence, std::size_t width) {
  for (const ClaimAnswer& answer : answers) {
    fmt::print("{}\n", answer.claim->name());
    for (const std::string& text : {answer.claim->sentence + " (" + answer.claim->source + ")", answer.why,
                                    std::string(name_of(answer.verdict))})
      if (!text.empty()) fmt::print("  {}", paragraph(text, width - std::min<std::size_t>(width, 2), "  "));
  }
  fmt::print("\n{}{}", paragraph(summary_of(answers), width),
             paragraph(least_difference_text(evidence), width));
}

int exit_code_of(const std::vector<ClaimAnswer>& answers, bool fail_on_claim) {
  const auto any = [&](ClaimVerdict verdict) {
    return std::ranges::find(answers, verdict, &ClaimAnswer::verdict) != answers.end();
  };
  if (fail_on_claim && (any(ClaimVerdict::fails) || any(ClaimVerdict::in_part))) return exit_failed;
  return fail_on_claim && any(ClaimVerdict::undecided) ? exit_undecided : exit_fine;
}

int claims(const ClaimsFlags& flags) {
  if (flags.folders.empty())
    throw UsageError("redbench claims: the folder of a run, or one above, is missing, as results/h200");
  const std::vector<Claim> asked = claims_asked(flags);
  Evidence evidence(flags.folders, configs_of(asked));
  for (const std::string& damaged : evidence.damaged()) report_mistake(damaged);
  if (!flags.devices.empty()) evidence.keep_hardware(flags.devices);
  const std::vector<ClaimAnswer> answers = answer_all(asked, evidence);
  const std::string json = indented(to_json(answers, evidence));
  const bool to_file = flags.json != ClaimsFlags::to_stdout;
  for (const auto& [file, text] :
       json_and_markdown(to_file ? flags.json : "", json, flags.markdown, markdown(answers, evidence)))
    file.write(text);
  if (flags.json == ClaimsFlags::to_stdout) fmt::print("{}", json);
  else print(answers, evidence, std::size_t(flags.width.printed()));
  return exit_code_of(answers, flags.fail_on_claim);
}

}  // namespace

void add_claims(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<ClaimsFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "claims",
       .what = "tests what papers say against records: what holds, what does not",
       .about =
           "Answers each claim of configs/claims from the records of runs: the numbers with "
           "their intervals, and whether it holds, holds in part, does not hold or is undecided. A claim without records is undecided; "
           "stale records answer nothing. A claim that does not hold is a finding and no mistake, so "
           "the exit code is 0 whatever the verdicts.",
       .writes = "nothing, but for the files of --json and --md",
       .exits =
           {{exit_fine, "whatever the verdicts"},
            {exit_failed, "with --fail-on-claim: a claim does not hold, or in part"},
            {exit_undecided, "with --fail-on-claim: all that are decided hold, and one is undecided"},
            {exit_usage,
             "a run cannot be read, after the others' answers; or a mistake in the command line or a file"}},
       .examples = {{"redbench claims results/h200", "all claims, by the runs below a folder"},
                    {"redbench claims results/h200 results/simt-gtx480 -b martin2012 --md claims.md",
                     "those of one paper, as a table, too"},
                    {"redbench claims results/h200 --json > claims.json",
                     "all parts, with the records that they come from"}},
       .see = "docs/claims.md, docs/findings.md"},
      exit_code, [flags] { return claims(*flags); });
  add_arguments(command, "DIR", flags->folders, "a run's folder, or one above");
  add_option(command, "-b,--claims", flags->pattern, "PAPER/ID",
             "only claims whose names fit this regular expression");
  add_option(command, "-d,--device", flags->devices, "NAME",
             "where records are of several GPUs, CPUs or models: the one that is meant, by its name in the "
             "records (`NVIDIA H200`)");
  add_option(command, "--from", flags->files, "FILE",
             "claims of this file instead of those in configs/claims; may be given several times");
  add_optional_path(command, "--json", flags->json, ClaimsFlags::to_stdout, "FILE",
                    "all of it as JSON: to the file, or without one to stdout instead of the text");
  add_option(command, "--md", flags->markdown, "FILE", "writes a table as Markdown here");
  add_flag(command, "--fail-on-claim", flags->fail_on_claim,
           "exit code 1 where a claim does not hold, or in part, 3 where one is undecided");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
