#include "src/run/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/check.hpp"
#include "src/records/output_file.hpp"
#include "src/records/provenance.hpp"
#include "src/run/planned_records.hpp"
#include "src/run/resume.hpp"
#include "src/run/run_facts.hpp"
#include "src/run/run_tasks.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

void check_is_free(const OutputFolder& folder, const Destination& to) {
  if (to.resume && to.replace)
    throw UsageError("--resume continues a run and --replace removes it: give one of them");
  if (folder.has_run() && !to.resume && !to.replace)
    throw UsageError(folder.path() + ": holds a run of " + shown_config(folder.read_run()) +
                     "; --resume continues it, --replace removes it, --out chooses another folder");
}

/// Rather than because of a case before it.
bool has_itself_failed(const Record& record) {
  const Json& outcome = record["outcome"];
  return (outcome == name_of(Outcome::failed) || outcome == name_of(Outcome::timeout)) &&
         record["reason"] != ended_with_another;
}

}  // namespace

std::string folder_of(const Work& work, const Destination& to) {
  if (!to.folder.empty()) return fs::path(to.folder).lexically_normal().string();
  return results_folder(work.devices->kernels->slug(), work.config.name);
}

Recording::Recording(const Work& work, const Destination& to, const std::vector<StoredRun>& others)
    : work_(work), folder_(folder_of(work, to)), replaces_(to.replace), facts_(run_facts(work)) {
  check_is_free(folder_, to);
  std::vector<std::string> keys = keys_of(work.plan, work.inputs);
  if (to.resume && folder_.has_run()) {
    EarlierRun earlier = earlier_run(folder_, work, facts_);
    facts_ = std::move(earlier.facts);
    kept_ = std::move(earlier.records);
    bad_ = std::move(earlier.bad);
    keys = std::move(earlier.keys);
    measured_otherwise_ = std::move(earlier.measured_otherwise);
  }
  folder_.check_results_fit(name());
  for (std::size_t i = 0; i < keys.size(); ++i) number_in_table_[keys[i]] = i;
  take_shared_cells(others);
  // Records that the plan does not ask for stay, after the rest.
  for (Record& record : kept_) {
    const auto place = number_in_table_.try_emplace(key_by_contents(record), number_in_table_.size()).first;
    record["case"] = place->second;
  }
  plan_tasks();
}

/// For cells of which no record is there. A session that made some of them becomes one of this run, with the
/// name of the run that it is from.
void Recording::take_shared_cells(const std::vector<StoredRun>& others) {
  if (others.empty()) return;
  const std::vector<Json> here = sessions_here(work_);
  std::set<std::string> made;
  for (const Record& record : kept_) made.insert(record_identity(record));
  std::map<std::pair<std::string, Json>, std::size_t> numbers;  // of sessions, by run
  for (std::size_t c = 0; c < work_.plan.cells.size(); ++c) {
    if (!work_.is_chosen(c)) continue;
    const auto is_made = [&](const PlannedRecord& planned) { return made.contains(planned.identity); };
    if (std::ranges::any_of(planned_records(work_, work_.plan.cells[c]), is_made)) continue;
    for (const StoredRun& other : others) {
      std::optional<SharedCell> shared = shared_cell(work_, c, other, here);
      if (!shared) continue;
      Json& sessions = facts_["sessions"];
      const auto [number, is_new] = numbers.try_emplace({other.name(), shared->session}, sessions.size());
      if (is_new) {
        shared->session["shared_from"] = other.name();
        shared->session.erase("planned_s");  // the other run's
        sessions.push_back(std::move(shared->session));
      }
      for (Record& record : shared->records) {
        record["session"] = number->second;
        kept_.push_back(std::move(record));
        ++shared_;
      }
      break;
    }
  }
}

/// Whether another machine than this one is known to have made it. Of several boards it is not known which one will
/// make the rest of a cell.
bool Recording::is_elsewhere(const Record& record) const {
  if (!work_.devices->boards.empty() && record["device"] == work_.devices->kernels->name()) return true;
  if (here_.is_null()) return false;
  const Json there =
                 machine_of(facts_["sessions"].at(record["session"].get<std::size_t>()), record["device"]),
             here = machine_of(here_, record["device"]);
  return !there.is_null() && !here.is_null() && there != here;
}

/// Cases of one input are held against each other. Where a device misses one, those that another machine of
/// its model has made are made again with it.
void Recording::plan_tasks() {
  const Device& host = work_.devices->devices().host;
  if (may_have_machines(facts_)) here_ = session_facts(work_);
  std::map<std::string, const Record*> last_made;
  for (const Record& record : kept_) {
    // A run of several machines may have records of another CPU.
    const bool is_any_cpu = !here_.is_null() && record["device"] == host.name();
    last_made[record_identity(record, is_any_cpu ? Json(host.facts().name) : Json())] = &record;
  }
  for (std::size_t c = 0; c < work_.plan.cells.size(); ++c) {
    if (!work_.is_chosen(c)) continue;
    const std::vector<PlannedRecord> planned = planned_records(work_, work_.plan.cells[c]);
    std::vector<const Record*> done;  // null where it is not
    std::set<std::string> lacking;    // devices
    CellTask task{c, {}};
    for (const PlannedRecord& record : planned) {
      const auto found = last_made.find(record.identity);
      const bool is_made = found != last_made.end() && is_done(*found->second, record.refused);
      done.push_back(is_made ? found->second : nullptr);
      if (!is_made) lacking.insert(record.case_.device);
      if (!is_made && found != last_made.end()) task.has_failed |= has_itself_failed(*found->second);
    }
    for (std::size_t i = 0; i < planned.size(); ++i)
      if (!done[i] || (lacking.contains(planned[i].case_.device) && is_elsewhere(*done[i])))
        task.missing.push_back({planned[i].case_.number, planned[i].mode});
    planned_ += planned.size();
    if (!task.missing.empty()) tasks_.push_back(std::move(task));
  }
}

std::size_t Recording::missing() const {
  std::size_t count = 0;
  for (const CellTask& task : tasks_) count += task.missing.size();
  return count - made_;
}

std::string Recording::what_is_resumed() const {
  return fmt::format("{} of {} records are there, {} are to be made{}", planned_ - missing(), planned_,
                     missing(), measured_otherwise_.empty() ? "" : "; " + measured_otherwise_);
}

std::vector<std::string> Recording::missing_records() const {
  std::vector<std::string> names;
  for (const CellTask& task : tasks_)
    for (const auto& [number, mode] : task.missing)
      names.push_back(fmt::format("{} {}", work_.plan.cells[task.cell].cases[number].key(),
                                  mode_names[std::size_t(mode)]));
  return names;
}

std::string Recording::how_to_go_on() const {
  if (replaces_ && made_ == 0) return fmt::format("no record was made, and {} is as it was", folder());
  const std::string made =
      fmt::format("{} of {} records are in {}; the same command with --resume{} goes on",
                  planned_ - missing(), planned_, folder(), replaces_ ? " instead of --replace" : "");
  if (!std::filesystem::exists(folder_.aside())) return made;
  return fmt::format("{}, and removes {}, the run that is replaced", made, folder_.aside());
}

bool Recording::make(bool shown, const std::function<void(const Record&)>& written) {
  Json& sessions = facts_["sessions"];
  // A run always has a session, even with nothing to make.
  const bool is_session = !tasks_.empty() || sessions.empty();
  std::vector<Json> here = is_session ? sessions_here(work_) : std::vector<Json>();
  // The estimate is of the whole plan, so a part that is resumed has none.
  if (is_session && missing() == planned_ && work_.options.timing)
    here[0]["planned_s"] = std::round(
        seconds_of(chosen_part(work_.plan, work_.chosen), work_.config.measure, work_.devices->devices()) /
        double(here.size()));
  const std::size_t first = sessions.size();
  for (Json& session : here) sessions.push_back(std::move(session));
  std::optional<RecordFile> file;
  const auto begin = [&] {
    if (file) return;
    if (replaces_ && folder_.has_run()) folder_.set_aside();
    write_file(folder_.run_json(), text_of_facts(facts_));
    // Kept records are written again: their `case` follows the new plan, and a half-written last line goes.
    folder_.keep_unreadable(bad_);
    file.emplace(folder_.records(), kept_);
  };
  // A run that is replaced stays until the first record of the new one: many mistakes show before it.
  if (!replaces_) begin();
  const bool complete = run_tasks(work_, tasks_, 1, shown, [&](std::size_t, Record record) {
    record["session"] = first + record["session"].get<std::size_t>();  // by the board that made it
    record["input_files"] = work_.inputs.digests_of(record["axes"]);
    record["case"] = number_in_table_.at(key_by_contents(record));
    record = readable(std::move(record));
    begin();
    file->append(record);
    ++made_;
    if (written) written(record);
  });
  if (!complete) return false;
  begin();
  if (is_session) {
    for (std::size_t i = first; i < sessions.size(); ++i) sessions[i]["ended"] = utc_now();
    write_file(folder_.run_json(), text_of_facts(facts_));
  }
  folder_.remove_aside();
  return true;
}

}  // namespace redbench
