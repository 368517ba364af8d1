#include "src/run/verification.hpp"

#include <algorithm>
#include <chrono>

#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/run/run_tasks.hpp"

namespace redbench {
namespace {

void add(Verification& verification, std::size_t cell, const Record& record, std::uint64_t schedule) {
  Tally& tally = verification.tallies[record["variant"]];
  const std::string name = record["outcome"];
  const auto outcome = std::size_t(std::ranges::find(outcome_names, name) - outcome_names.begin());
  ++tally.counts[outcome];
  ++verification.total.counts[outcome];
  if (Outcome(outcome) == Outcome::passed || Outcome(outcome) == Outcome::unsupported) return;
  tally.bad.push_back({cell, record["key"], name,
                       record["reason"].is_string() ? record["reason"].get<std::string>() : "", schedule});
}

std::vector<CellTask> tasks_of(const Work& work, const std::string& only_key) {
  std::vector<CellTask> tasks;
  for (std::size_t c = 0; c < work.plan.cells.size(); ++c) {
    CellTask task{c, {}};
    for (std::size_t i = 0; i < work.plan.cells[c].cases.size(); ++i)
      if (only_key.empty() || work.plan.cells[c].cases[i].key() == only_key)
        task.missing.push_back({i, Mode::cold});
    if (!task.missing.empty()) tasks.push_back(std::move(task));
  }
  if (tasks.empty() && !only_key.empty()) throw UsageError("no case is `" + only_key + "`");
  return tasks;
}

}  // namespace

int Verification::exit_code() const {
  if (!complete) return exit_interrupted;
  return total.count(Outcome::wrong) ? exit_wrong : total.failed() ? exit_failed : exit_fine;
}

Verification run_battery(const Work& work, bool shown, const std::string& only_key) {
  check_runnable(work);
  if (work.races && !has_debug_information())
    throw UsageError(
        "--races: this program is stripped, so shared variables are not known; take build/redbench, or "
        "install it without --strip");
  // The modelled device is as many as there are cores, where nobody says how many.
  const bool modelled = work.devices->kernels->target() == Target::simt;
  const int processes = modelled ? work.devices->devices().host.facts().multiprocessors : 1;
  const auto start = std::chrono::steady_clock::now();
  Verification verification;
  verification.complete = run_tasks(
      work, tasks_of(work, only_key), processes, shown,
      [&](std::size_t cell, Record record) { add(verification, cell, record, work.schedule_seeds[cell]); });
  for (auto& [name, tally] : verification.tallies) std::ranges::stable_sort(tally.bad, {}, &BadCase::cell);
  verification.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return verification;
}

}  // namespace redbench
