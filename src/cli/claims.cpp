// redbench claims: tests what papers say against records.
#include <fmt/format.h>

#include <algorithm>
#include <set>

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

std::vector<GpuAnswers> answers_of_gpus(const std::vector<Claim>& asked, const ClaimsFlags& flags) {
  std::vector<GpuEvidence> found;
  if (flags.devices.empty()) found = evidence_by_gpu(flags.folders, configs_of(asked));
  else found.push_back({"", Evidence(flags.folders, configs_of(asked))});
  std::set<std::string> damaged;  // of all GPUs, each once
  for (const GpuEvidence& of : found)
    for (const std::string& sentence : of.evidence.damaged())
      if (damaged.insert(sentence).second) report_mistake(sentence);
  std::vector<GpuAnswers> gpus;
  for (auto& [gpu, evidence] : found) {
    if (!flags.devices.empty()) evidence.keep_hardware(flags.devices);
    std::vector<ClaimAnswer> answers = answer_all(asked, evidence);
    gpus.push_back({gpu, std::move(evidence), std::move(answers)});
  }
  return gpus;
}

void print(const std::vector<GpuAnswers>& gpus, std::size_t width) {
  const bool one = gpus.size() == 1;
  for (std::size_t i = 0; i < gpus[0].answers.size(); ++i) {
    const ClaimAnswer& first = gpus[0].answers[i];
    std::vector<std::string> texts{first.claim->sentence + " (" + first.claim->source + ")"};
    if (one) texts.insert(texts.end(), {first.why, std::string(name_of(first.verdict))});
    else
      for (const GpuAnswers& of : gpus) texts.push_back(of.gpu + ": " + text_of(of.answers[i]));
    fmt::print("{}\n", first.claim->name());
    for (const std::string& text : texts)
      if (!text.empty()) fmt::print("  {}", paragraph(text, width - std::min<std::size_t>(width, 2), "  "));
  }
  fmt::print("\n");
  for (const GpuAnswers& of : gpus) fmt::print("{}", paragraph(summary_of(of), width));
  fmt::print("{}", paragraph(least_difference_text(gpus), width));
}

int exit_code_of(const std::vector<GpuAnswers>& gpus, bool fail_on_claim) {
  const auto any = [&](ClaimVerdict verdict) {
    return std::ranges::any_of(gpus, [&](const GpuAnswers& of) {
      return std::ranges::find(of.answers, verdict, &ClaimAnswer::verdict) != of.answers.end();
    });
  };
  if (fail_on_claim && (any(ClaimVerdict::fails) || any(ClaimVerdict::in_part))) return exit_failed;
  const bool is_open = any(ClaimVerdict::undecided) || any(ClaimVerdict::not_measured);
  return fail_on_claim && is_open ? exit_undecided : exit_fine;
}

int claims(const ClaimsFlags& flags) {
  if (flags.folders.empty())
    throw UsageError("redbench claims: the folder of a run, or one above, is missing, as results/h200");
  const std::vector<Claim> asked = claims_asked(flags);
  const std::vector<GpuAnswers> gpus = answers_of_gpus(asked, flags);
  const std::string json = indented(to_json(gpus));
  const bool to_file = flags.json != ClaimsFlags::to_stdout;
  for (const auto& [file, text] :
       json_and_markdown(to_file ? flags.json : "", json, flags.markdown, markdown(gpus)))
    file.write(text);
  if (flags.json == ClaimsFlags::to_stdout) fmt::print("{}", json);
  else print(gpus, std::size_t(flags.width.printed()));
  return exit_code_of(gpus, flags.fail_on_claim);
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
           "their intervals, and whether it holds, holds in part, does not hold or is undecided. A claim without records is not measured; "
           "stale records answer nothing. Runs of several GPUs give an answer each. A claim that does not hold is a finding and no mistake, so "
           "the exit code is 0 whatever the verdicts.",
       .writes = "nothing, but for the files of --json and --md",
       .exits =
           {{exit_fine, "whatever the verdicts"},
            {exit_failed, "with --fail-on-claim: a claim does not hold, or in part"},
            {exit_undecided,
             "with --fail-on-claim: all that are decided hold, and one is undecided or not measured"},
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
             "where records are of several GPUs, CPUs or models: the one that alone is asked, by its name in "
             "the records (`NVIDIA H200`)");
  add_option(command, "--from", flags->files, "FILE",
             "claims of this file instead of those in configs/claims; may be given several times");
  add_optional_path(command, "--json", flags->json, ClaimsFlags::to_stdout, "FILE",
                    "all of it as JSON: to the file, or without one to stdout instead of the text");
  add_option(command, "--md", flags->markdown, "FILE", "writes a table as Markdown here");
  add_flag(command, "--fail-on-claim", flags->fail_on_claim,
           "exit code 1 where a claim does not hold, or in part, 3 where one is undecided or not measured");
  add_width_flag(command, flags->width);
}

}  // namespace redbench
