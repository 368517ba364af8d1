// redbench verify: every variant on the shapes of the battery.
#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/run/verification.hpp"
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

std::string line_of(const std::string& name, const Tally& tally) {
  std::string text = fmt::format("{:<36} {:>5} passed", name, tally.count(Outcome::passed));
  for (const Outcome outcome : {Outcome::wrong, Outcome::failed, Outcome::timeout, Outcome::unsupported})
    if (tally.count(outcome)) text += fmt::format(", {} {}", tally.count(outcome), name_of(outcome));
  return text;
}

void print_tallies(const Verification& verification) {
  constexpr std::size_t most_shown = 5;  // of one variant: what is wrong is often wrong everywhere
  for (const Variant& variant : variants()) {
    const auto found = verification.tallies.find(variant.name);
    if (found == verification.tallies.end()) continue;
    const Tally& tally = found->second;
    fmt::print("{}\n", line_of(variant.name, tally));
    for (std::size_t i = 0; i < std::min(most_shown, tally.bad.size()); ++i) {
      const BadCase& bad = tally.bad[i];
      fmt::print("  {} {} (schedule {}): {}\n", bad.outcome, printable(bad.key), bad.schedule,
                 printable(bad.reason));
    }
    if (tally.bad.size() > most_shown) fmt::print("  and {} more\n", tally.bad.size() - most_shown);
  }
}

void print_json(const Verification& verification) {
  Json all = Json::object();
  for (const auto& [name, tally] : verification.tallies) {
    for (std::size_t i = 0; i < outcome_names.size(); ++i)
      all[name][std::string(outcome_names[i])] = tally.counts[i];
    all[name]["bad"] = Json::array();
    for (const BadCase& bad : tally.bad)
      all[name]["bad"].push_back({{"key", bad.key},
                                  {"schedule_seed", bad.schedule},
                                  {"outcome", bad.outcome},
                                  {"reason", bad.reason}});
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
  const Verification verification = run_battery(work, !flags.json);
  const Tally& total = verification.total;
  if (flags.json) {
    if (verification.complete) print_json(verification);
    return verification.exit_code();
  }
  print_tallies(verification);
  fmt::print("{} variants on {}, {} cases unsupported, {:.1f} s\n", verification.tallies.size(),
             work.devices->kernels->name(), total.count(Outcome::unsupported), verification.seconds);
  fmt::print("{}{} passed, {} failed\n",
             verification.complete ? "" : "interrupted: ", total.count(Outcome::passed), total.failed());
  return verification.exit_code();
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
      exit_code, [flags] { return run_with_processes(flags->config, [&] { return verify(*flags); }); });
  add_device_flag(command, flags->config.device);
  add_variants_flag(command, flags->config.overrides.variants);
  add_kernels_flag(command);
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
