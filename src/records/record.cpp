#include "src/records/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/error.hpp"
#include "src/records/field.hpp"

namespace redbench {
namespace {

/// By instrument.
std::map<std::string, std::vector<Field>>& instrument_fields() {
  static std::map<std::string, std::vector<Field>> fields;
  return fields;
}

Json launch_record(const LaunchFacts& launch, bool timed) {
  Json entry{{"kernel", launch.kernel},
             {"blocks", launch.grid.blocks},
             {"threads", launch.grid.threads},
             {"shared_bytes", launch.grid.shared_bytes + launch.static_shared_bytes},
             {"cooperative", launch.grid.cooperative},
             {"registers", nullptr},
             {"local_bytes", nullptr},
             {"resident_blocks", launch.resident_blocks},
             {"occupancy", launch.occupancy},
             {"limiter", launch.limiter},
             {"bytes_read", launch.grid.bytes_read},
             {"bytes_written", launch.grid.bytes_written},
             {"time_ns", nullptr}};
  if (timed) {  // the modelled device compiles for a CPU, whose registers say nothing
    entry["registers"] = launch.registers;
    entry["local_bytes"] = launch.local_bytes;
  }
  return entry;
}

std::string identity(const std::string& key, std::string_view mode, const std::string& source_hash, u64 seed,
                     const std::string& device, const std::string& hardware) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", key, mode, source_hash, seed, device, hardware);
}

/// Whether a line of a file has the fields, of their types, that records are known and shown by.
bool is_record(const Json& line) {
  if (!line.is_object() || !line.contains("schema") || line["schema"] != record_schema) return false;
  for (const char* name : {"key", "variant", "problem", "type", "operator", "device", "hardware", "mode",
                           "outcome", "source_hash"})
    if (!line.contains(name) || !line[name].is_string()) return false;
  for (const char* name : {"n", "seed"})
    if (!line.contains(name) || !line[name].is_number_integer()) return false;
  for (const char* name : {"axes", "parameters"})
    if (!line.contains(name) || !line[name].is_object()) return false;
  return std::find(outcome_names.begin(), outcome_names.end(), line["outcome"].get<std::string>()) !=
         outcome_names.end();
}

/// Writes all of it, through short writes and signals.
bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) at += std::size_t(written);
  }
  return true;
}

}  // namespace

Record case_record(const Cell& cell, const Case& one, const Device& device, Mode mode, Outcome outcome,
                   const std::string& reason) {
  Json parameters = Json::object(), launches = Json::array();
  for (const auto& [name, value] : one.parameters) parameters[name] = value;
  for (const LaunchFacts& launch : one.footprint.launches)
    launches.push_back(launch_record(launch, device.target() == Target::cuda));
  const Json unknown = nullptr;
  Record record{{"schema", record_schema},
                {"key", one.key()},
                {"variant", one.variant->name},
                {"problem", cell.problem->name},
                {"n", one.input.n},
                {"type", name_of(one.input.type)},
                {"operator", name_of(one.input.op)},
                {"axes", one.input.axes},
                {"parameters", parameters},
                {"seed", one.input.seed},
                {"device", one.device},
                {"hardware", device.facts().name},
                {"mode", mode_names[std::size_t(mode)]},
                {"outcome", name_of(outcome)},
                {"reason", reason.empty() ? unknown : Json(reason)},
                {"time_ns", unknown},
                {"time_low_ns", unknown},
                {"time_high_ns", unknown},
                {"noise_percent", unknown},
                {"stopped", unknown},
                {"bandwidth_gb_per_s", unknown},
                {"ns_per_input", unknown},
                {"bytes_read", one.sizes.bytes_read},
                {"bytes_written", one.sizes.bytes_written},
                {"error", unknown},
                {"error_bound", unknown},
                {"chain", one.footprint.chain ? Json(one.footprint.chain) : unknown},
                {"scratch_bytes", one.footprint.scratch_bytes()},
                {"launches", launches},
                {"library", one.footprint.library},
                {"source_hash", one.variant->source_hash},
                {"samples_ns", unknown}};
  for (const auto& [instrument, fields] : instrument_fields())
    for (const Field& field : fields) record[field.name] = nullptr;
  return record;
}

FieldRegistration::FieldRegistration(std::string instrument, std::vector<Field> fields) {
  instrument_fields()[instrument] = std::move(fields);
}

int exit_code_of(const std::vector<Record>& records) {
  int code = exit_fine;
  for (const Record& record : records) {
    if (record["outcome"] == name_of(Outcome::wrong)) return exit_wrong;
    if (record["outcome"] == name_of(Outcome::failed) || record["outcome"] == name_of(Outcome::timeout))
      code = exit_failed;
  }
  return code;
}

std::string line_of(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string record_identity(const Record& record) {
  return identity(record["key"], record["mode"].get<std::string>(), record["source_hash"], record["seed"],
                  record["device"], record["hardware"]);
}

std::string record_identity(const Cell&, const Case& one, const Device& device, Mode mode) {
  return identity(one.key(), mode_names[std::size_t(mode)], one.variant->source_hash, one.input.seed,
                  one.device, device.facts().name);
}

std::vector<Record> read_records(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(path + ": cannot be read: " + std::strerror(errno));
  std::vector<Record> records;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const bool finished = !file.eof();
    Record record = Record::parse(line, nullptr, false);
    const bool whole = is_record(record);
    if (!finished && !whole) break;
    if (!whole)
      throw UsageError(fmt::format("{}:{}: not a record of schema {}, which this redbench writes and reads",
                                   path, number, record_schema));
    records.push_back(std::move(record));
  }
  return records;
}

RecordFile::RecordFile(const std::string& path, const std::vector<Record>& kept) : path_(path) {
  std::string text;
  for (const Record& record : kept) text += line_of(record) + '\n';
  write_file(path, text);
  file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw UsageError(path + ": cannot be written: " + std::strerror(errno));
}

RecordFile::~RecordFile() { ::close(file_); }

void RecordFile::append(const Record& record) {
  if (!write_all(file_, line_of(record) + '\n'))
    throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno));
}

void write_file(const std::string& path, const std::string& text) {
  const std::string part = path + ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool written = file >= 0 && write_all(file, text);
  const bool closed = file >= 0 && ::close(file) == 0;
  if (!written || !closed || std::rename(part.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(part.c_str());
    throw UsageError(path + ": cannot be written: " + why);
  }
}

bool is_stale(const Record& record) {
  const Variant* const variant = find_variant(record["variant"].get<std::string>());
  return !variant || record["source_hash"] != variant->source_hash;
}

}  // namespace redbench
