#include "src/run/planned_records.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

#include "src/run/run_facts.hpp"

namespace redbench {
namespace {

/// Facts of a session that decide a record but are no part of its identity.
constexpr std::array deciding{"measure", "driver", "board", "host"};

bool is_like(const Json& there, const Json& here) {
  return std::ranges::all_of(
      deciding, [&](const char* fact) { return there.contains(fact) && there[fact] == here[fact]; });
}

/// Equal but for the memory that a program sees, which the driver decides.
bool is_same_device(Json there, Json here) {
  if (!there.is_object()) return false;
  for (Json* device : {&there, &here}) device->erase("memory_bytes");
  return there == here;
}

}  // namespace

std::vector<std::string> keys_of(const Plan& plan, const InputFiles& inputs) {
  std::vector<std::string> keys;
  for (const Cell& cell : plan.cells)
    for (const Case& case_ : cell.cases)
      keys.push_back(key_by_contents(case_.key(), case_.input.axes, inputs.digests_of(case_.input.axes)));
  return keys;
}

std::vector<PlannedRecord> planned_records(const Work& work, const Cell& cell) {
  std::vector<PlannedRecord> all;
  for (const Case& case_ : cell.cases) {
    const Device& device = work.device_of(case_);
    const Json input_files = work.inputs.digests_of(case_.input.axes);
    for (const Mode mode : modes_of(case_, work)) {
      const bool is_refused = !why_refused(case_, mode, device, work.options).empty();
      all.push_back({case_, mode, record_identity(case_, device, mode, input_files),
                     is_refused ? std::optional(outcome_of_refusal(case_)) : std::nullopt});
    }
  }
  return all;
}

bool is_done(const Record& record, std::optional<Outcome> refused) {
  const Json& outcome = record["outcome"];
  if (refused == Outcome::failed) return outcome == name_of(Outcome::failed);
  if (outcome == name_of(Outcome::failed) || outcome == name_of(Outcome::timeout)) return false;
  return outcome != name_of(Outcome::unsupported) || refused;
}

bool has_other_threads(const Record& record) {
  return record["openmp_threads"].is_number() && record["openmp_threads"] != omp_get_max_threads();
}

std::optional<SharedCell> shared_cell(const Work& work, std::size_t cell, const StoredRun& other,
                                      const std::vector<Json>& here) {
  if (!is_same_device(other.facts.value("device", Json()), run_facts(work)["device"])) return {};
  SharedCell shared;
  std::optional<std::size_t> number;
  for (const PlannedRecord& planned : planned_records(work, work.plan.cells[cell])) {
    const auto record = std::ranges::find_if(
        other.records, [&](const Record& made) { return record_identity(made) == planned.identity; });
    if (record == other.records.end() || !is_done(*record, planned.refused) || has_other_threads(*record))
      return {};
    const std::size_t made_in = (*record)["session"];
    if (number.value_or(made_in) != made_in) return {};
    number = made_in;
    shared.records.push_back(*record);
  }
  if (!number) return {};
  shared.session = sessions_of(other.facts).at(*number);
  if (std::ranges::none_of(here, [&](const Json& session) { return is_like(shared.session, session); }))
    return {};
  return shared;
}

}  // namespace redbench
