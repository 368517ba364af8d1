// redbench verify: every variant on the shapes of the battery.
#include <fmt/format.h>

#include <chrono>
#include <map>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/records/record.hpp"
#include "src/run/worker.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

struct VerifyFlags {
  Request config;  // device and -b
  int schedules = 3;
  int hang_s = 0;  // 0: the battery's own limit
  bool races = false;
  bool small = false;
  bool json = false;
};

/// Cases of a variant by outcome, and those that did not pass.
struct Tally {
  std::array<std::size_t, outcome_names.size()> counts{};
  std::vector<Json> bad;

  std::size_t count(Outcome outcome) const { return counts[std::size_t(outcome)]; }
  std::size_t failed() const {
    return count(Outcome::wrong) + count(Outcome::failed) + count(Outcome::timeout);
  }
};
using Tallies = std::map<std::string, Tally>;

void add(Tallies& tallies, const Record& record, std::uint64_t schedule) {
  Tally& tally = tallies[record["variant"]];
  std::size_t outcome = 0;
  while (record["outcome"] != outcome_names[outcome]) ++outcome;
  ++tally.counts[outcome];
  if (Outcome(outcome) == Outcome::passed || Outcome(outcome) == Outcome::unsupported) return;
  tally.bad.push_back({{"key", record["key"]},
                       {"schedule_seed", schedule},
                       {"outcome", record["outcome"]},
                       {"reason", record["reason"]}});
}

std::string line_of(const std::string& name, const Tally& tally) {
  std::string text = fmt::format("{:<36} {:>5} passed", name, tally.count(Outcome::passed));
  for (const Outcome outcome : {Outcome::wrong, Outcome::failed, Outcome::timeout, Outcome::unsupported})
    if (tally.count(outcome)) text += fmt::format(", {} {}", tally.count(outcome), name_of(outcome));
  return text;
}

void print_tallies(const Tallies& tallies) {
  constexpr std::size_t most_shown = 5;  // of one variant: what is wrong is often wrong everywhere
  for (const Variant& variant : variants()) {
    const auto found = tallies.find(variant.name);
    if (found == tallies.end()) continue;
    const Tally& tally = found->second;
    fmt::print("{}\n", line_of(variant.name, tally));
    for (std::size_t i = 0; i < std::min(most_shown, tally.bad.size()); ++i) {
      const Json& bad = tally.bad[i];
      fmt::print("  {} {} (schedule {}): {}\n", bad["outcome"].get<std::string>(),
                 printable(bad["key"].get<std::string>()), bad["schedule_seed"].get<std::uint64_t>(),
                 bad["reason"].is_string() ? printable(bad["reason"].get<std::string>()) : "");
    }
    if (tally.bad.size() > most_shown) fmt::print("  and {} more\n", tally.bad.size() - most_shown);
  }
}

void print_json(const Tallies& tallies) {
  Json all = Json::object();
  for (const auto& [name, tally] : tallies) {
    for (std::size_t i = 0; i < outcome_names.size(); ++i)
      all[name][std::string(outcome_names[i])] = tally.counts[i];
    all[name]["bad"] = tally.bad;
  }
  fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
}

Breadth breadth_of(const VerifyFlags& flags) {
  if (flags.small) return Breadth::small;
  return flags.races ? Breadth::few : Breadth::whole;
}

int verify(const VerifyFlags& flags) {
  Work work = make_work({.kind = Job::Kind::verify,
                         .request = flags.config,
                         .schedules = flags.schedules,
                         .races = flags.races,
                         .breadth = breadth_of(flags)});
  if (flags.hang_s > 0) work.config.measure.hang_s = flags.hang_s;
  check_runnable(work);
  const bool modelled = work.devices->kernels->target() == Target::simt;
  if (flags.races && !has_debug_information())
    throw UsageError(
        "--races: this program is stripped, so shared variables are not known; take build/redbench, or "
        "install it without --strip");
  std::vector<CellTask> tasks;
  for (std::size_t c = 0; c < work.plan.cells.size(); ++c) {
    tasks.push_back({c, {}});
    for (std::size_t i = 0; i < work.plan.cells[c].cases.size(); ++i)
      tasks.back().missing.push_back({i, Mode::cold});
  }
  // A GPU is one; the modelled device is as many as there are cores.
  const int processes = modelled ? work.devices->devices().host.facts().multiprocessors : 1;

  const auto start = std::chrono::steady_clock::now();
  Tallies tallies;
  const bool complete =
      run_tasks(work, std::move(tasks), processes, !flags.json,
                [&](std::size_t cell, Record record) { add(tallies, record, work.schedule_seeds[cell]); });
  if (!complete && flags.json) return exit_interrupted;

  Tally total;
  for (const auto& [name, tally] : tallies)
    for (std::size_t i = 0; i < tally.counts.size(); ++i) total.counts[i] += tally.counts[i];
  if (flags.json) {
    print_json(tallies);
  } else {
    print_tallies(tallies);
    fmt::print("{} variants on {}, {} cases unsupported, {:.1f} s\n", tallies.size(),
               work.devices->kernels->name(), total.count(Outcome::unsupported),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    fmt::print("{}{} passed, {} failed\n", complete ? "" : "interrupted: ", total.count(Outcome::passed),
               total.failed());
  }
  if (!complete) return exit_interrupted;
  return total.count(Outcome::wrong) ? exit_wrong : total.failed() ? exit_failed : exit_fine;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<VerifyFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "verify",
       .what = "every variant on the battery: right answers on all shapes",
       .about = "Runs variants over a battery of inputs, each there for a kind of bug: sizes around warps, "
                "blocks and tiles, every type and operator, every distribution. Each result is compared "
                "with an exact reference. On a modelled device warps and lanes take their turns in several "
                "orders, and --races checks every access to memory.",
       .writes = "nothing; what did not pass is printed with the case and the order that shows it",
       .exits = {{exit_failed, "a case failed or hung, none was wrong"},
                 {exit_wrong, "a result was wrong"},
                 {exit_interrupted, "interrupted"}},
       .examples = {{"redbench verify -d simt -b '^reduce/harris'",
                     "the ladder on the modelled device; without -b every variant, in some minutes"},
                    {"redbench verify -d simt --races -b '^reduce/harris'",
                     "races, unwritten memory and bounds, by source line"},
                    {"redbench verify -d cuda -b '^reduce/harris3$'", "one kernel on a GPU"}},
       .see = "docs/reference/checking.md, docs/simt.md (Races and bounds)"},
      exit_code, [flags] { return verify(*flags); });
  add_device_flag(command, flags->config.device);
  add_variants_flag(command, flags->config.overrides.variants);
  add_whole(command, "--schedules", flags->schedules, 1, 1000, "COUNT",
            "orders of warps and lanes that the modelled device goes through");
  add_whole(
      command, "--hang", flags->hang_s, 1, 86400, "SECONDS",
      "a case that is silent for so long has hung (120); a variant that hung twice is not tried on its other shapes");
  add_flag(command, "--races", flags->races,
           "check every access on the modelled device: races in shared memory, unwritten memory,\n"
           "bounds, alignment; few pairs of type and operator, sizes up to 2^17 + 1");
  add_flag(
      command, "--small", flags->small,
      "the kernels alone, one or two pairs of type and operator each, sizes up to 10007: what a tool like\n"
      "compute-sanitizer, which makes kernels slow, can check (scripts/sanitize_gpu.sh)");
  add_flag(command, "--json", flags->json, "counts and failures as JSON");
}

}  // namespace redbench
