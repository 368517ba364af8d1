#include "src/run/shared_cells.hpp"

#include <array>

#include "src/cell/rotation.hpp"
#include "src/run/run_facts.hpp"

namespace redbench {
namespace {

/// Facts of a session that decide a record but are no part of its identity.
constexpr std::array deciding{"measure", "driver", "host"};

bool is_like(const Json& there, const Json& here) {
  for (const char* fact : deciding)
    if (!there.contains(fact) || there[fact] != here[fact]) return false;
  return true;
}

/// But for the memory that a program sees, which the driver decides.
bool is_same_device(Json there, Json here) {
  if (!there.is_object()) return false;
  for (Json* device : {&there, &here}) device->erase("memory_bytes");
  return there == here;
}

const Record* find_record(const StoredRun& run, const std::string& key, const std::string& identity) {
  for (const Record& record : run.records)
    if (record["key"] == key && record_identity(record) == identity) return &record;
  return nullptr;
}

}  // namespace

std::vector<Mode> modes_of(const Case& one, const Work& work) {
  const std::vector<Mode>& modes = work.config.measure.modes;
  const bool timed = work.options.timing && work.devices->devices().of(*one.variant).target() != Target::simt;
  return timed ? modes : std::vector<Mode>{modes.front()};
}

bool is_done(const Record& record, const std::string& refusal) {
  const Json& outcome = record["outcome"];
  if (outcome == name_of(Outcome::failed) || outcome == name_of(Outcome::timeout)) return false;
  return outcome != name_of(Outcome::unsupported) || !refusal.empty();
}

std::optional<SharedCell> shared_cell(const Work& work, std::size_t cell, const StoredRun& other,
                                      const Json& session) {
  if (!is_same_device(other.facts.value("device", Json()), run_facts(work)["device"])) return {};
  SharedCell shared;
  std::optional<std::size_t> number;
  for (const Case& one : work.plan.cells[cell].cases) {
    const Device& device = work.devices->devices().of(*one.variant);
    const Json input_files = work.inputs.digests_of(one.input.axes);
    for (const Mode mode : modes_of(one, work)) {
      const Record* const record =
          find_record(other, one.key(), record_identity(one, device, mode, input_files));
      if (!record || !is_done(*record, refusal_in(mode, one, device))) return {};
      const std::size_t made_in = (*record)["session"];
      if (number.value_or(made_in) != made_in) return {};
      number = made_in;
      shared.records.push_back(*record);
    }
  }
  if (!number) return {};
  shared.session = sessions_of(other.facts).at(*number);
  if (!is_like(shared.session, session)) return {};
  return shared;
}

}  // namespace redbench
