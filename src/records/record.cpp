#include "src/records/record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>

#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/parallel.hpp"
#include "src/records/check.hpp"
#include "src/records/fields.hpp"
#include "src/records/output_file.hpp"
#include "src/records/provenance.hpp"
#include "src/records/record_stream.hpp"
#include "src/text/progress_line.hpp"

namespace redbench {
namespace {

/// An object with all fields null.
Json nulls(const std::vector<Field>& fields) {
  Json object = Json::object();
  for (const Field& field : fields) object[field.name] = nullptr;
  return object;
}

Json launch_record(const LaunchFacts& launch, bool on_gpu) {
  Json entry = nulls(launch_fields());
  entry["kernel"] = launch.kernel;
  entry["blocks"] = launch.grid.blocks;
  entry["threads"] = launch.grid.threads;
  entry["shared_bytes"] = launch.grid.shared_bytes + launch.static_shared_bytes;
  entry["cooperative"] = launch.grid.cooperative;
  if (launch.registers > 0) entry["registers"] = launch.registers;
  if (on_gpu) entry["local_bytes"] = launch.local_bytes;
  entry["resident_blocks"] = launch.resident_blocks;
  entry["occupancy"] = launch.occupancy;
  entry["limiter"] = launch.limiter;
  entry["bytes_read"] = launch.grid.bytes_read;
  entry["bytes_written"] = launch.grid.bytes_written;
  return entry;
}

/// All but `input_files`, which the parent adds as it writes the record (src/run/recording.cpp).
void add_identity(Record& record, const Case& case_, const Device& device, Mode mode) {
  record["key"] = case_.key();
  record["mode"] = mode_names[std::size_t(mode)];
  record["seed"] = case_.input.seed;
  record["device"] = case_.device;
  record["hardware"] = device.facts().name;
  add_provenance(record, *case_.variant, device.target());
}

/// A line of records.jsonl that is not blank, and what became of it.
struct ReadLine {
  std::string text;
  std::size_t number;  // in the file, from 1
  std::uint64_t at;    // its first byte
  bool is_finished;    // by a line break; the last one is not where a run was killed as it wrote
  Record record = {};
  std::string mistake = {};
};

/// The next lines of a file; none at its end. `number` and `at` count on.
std::optional<std::vector<ReadLine>> some_lines(std::istream& file, std::size_t& number, std::uint64_t& at) {
  constexpr std::size_t most = 256;
  std::vector<ReadLine> lines;
  for (std::string line; lines.size() < most && std::getline(file, line); ++number) {
    const std::uint64_t bytes = line.size() + 1;
    if (line.find_first_not_of(" \t\r") != line.npos)
      lines.push_back({std::move(line), number, at, !file.eof()});
    at += bytes;
  }
  if (lines.empty()) return std::nullopt;
  return lines;
}

}  // namespace

Record case_record(const Cell& cell, const Case& case_, const Device& device, Mode mode, Outcome outcome,
                   const std::string& reason) {
  Record record = nulls(case_fields());
  record["schema"] = record_schema;
  record["session"] = 0;
  add_identity(record, case_, device, mode);
  record["variant"] = case_.variant->name;
  if (case_.variant->is_outside()) record["kernel_file"] = case_.variant->source;
  record["problem"] = cell.problem->name;
  record["n"] = case_.input.n;
  record["type"] = name_of(case_.input.type);
  record["operator"] = name_of(case_.input.op);
  record["axes"] = case_.input.axes;
  record["parameters"] = Json::object();
  for (const auto& [name, value] : case_.parameters) record["parameters"][name] = value;
  record["tuned"] = case_.tuned.has_value();
  if (case_.tuned && !case_.tuned->empty()) record["tuned_at"] = *case_.tuned;
  if (device.target() == Target::host) record["openmp_threads"] = omp_get_max_threads();
  record["outcome"] = name_of(outcome);
  if (!reason.empty()) record["reason"] = reason;
  record["bytes_read"] = case_.sizes.bytes_read;
  record["bytes_written"] = case_.sizes.bytes_written;
  if (case_.footprint.chain) record["chain"] = case_.footprint.chain;
  record["scratch_bytes"] = case_.footprint.scratch_bytes();
  record["launches"] = Json::array();
  for (const LaunchFacts& launch : case_.footprint.launches)
    record["launches"].push_back(launch_record(launch, device.target() == Target::cuda));
  record["library"] = !case_.footprint.library_calls.empty();
  return record;
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

std::string line_of(const Record& record, std::initializer_list<const char*> fields) {
  std::string text;
  for (const char* field : fields) text += line_of(record[field]) + '\t';
  return text;
}

std::string key_by_contents(const Record& record) {
  return key_by_contents(record["key"], part_of(record, "axes"), part_of(record, "input_files"));
}

std::string key_by_contents(std::string key, const Json& axes, const Json& input_files) {
  for (const auto& [axis, digest] : input_files.items()) {
    Json value = part_of(axes, axis.c_str());
    if (!value.is_object() || value.size() != 1 || !digest.is_string()) continue;
    const std::string by_path = fmt::format(" {}={}", axis, axis_text(value));
    value.front() = digest;
    if (const std::size_t at = key.find(by_path); at != key.npos)
      key.replace(at, by_path.size(), fmt::format(" {}={}", axis, axis_text(value)));
  }
  return key;
}

std::string record_identity(const Record& record, const Json& hardware) {
  Json identity = Json::array();
  for (const std::string_view field : identity_fields)
    identity.push_back(field == "hardware" && !hardware.is_null() ? hardware : record[std::string(field)]);
  identity.front() = key_by_contents(record);
  return line_of(identity);
}

std::string record_identity(const Case& case_, const Device& device, Mode mode, const Json& input_files) {
  Record record;
  add_identity(record, case_, device, mode);
  record["axes"] = case_.input.axes;
  record["input_files"] = input_files;
  return record_identity(record);
}

bool is_of_library(const Record& record) {
  if (const Variant* const variant = find_variant(record["variant"].get<std::string>()))
    return variant->card.library_only;
  return record["library"] == true && record["launches"].empty();
}

Record parse_record(const std::string& line, const std::string& place, const ReadOptions& options) {
  Record record = parse_strictly(line, place);
  if (const std::string mistake = complete_checked(record); !mistake.empty())
    throw UsageError(place + ": " + mistake);
  if (const auto session = record["session"].get<std::size_t>(); session >= options.sessions)
    throw UsageError(
        fmt::format("{}: session {}: run.json tells of {}, from 0 on, so it is not known how this "
                    "record was made",
                    place, session, options.sessions));
  if (options.lists == SampleLists::counted)
    for (Json& fork : record["samples_ns"]) fork = fork.size();
  return record;
}

NotRead read_each_record(const std::string& path, const ReadOptions& options, const TakeRecord& take) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw UsageError(path + ": cannot be read: it is no file");
  RecordStream file(path);
  Steps steps("reading " + path, double(std::filesystem::file_size(path, error)));
  NotRead others;
  std::size_t number = 1;
  std::uint64_t at = 0;
  const auto parsed = [&](std::vector<ReadLine> lines) {
    for (ReadLine& line : lines) try {
        line.record = parse_record(line.text, fmt::format("{}:{}", path, line.number), options);
      } catch (const UsageError& mistake) {
        line.mistake = mistake.what();
      }
    return lines;
  };
  in_order([&] { return some_lines(file, number, at); }, parsed,
           [&](std::vector<ReadLine> lines) {
             for (ReadLine& line : lines)
               if (line.mistake.empty()) take(std::move(line.record), line.at);
               else if (line.is_finished) others.bad.push_back({line.text, line.mistake});
               else others.is_unfinished = true;
             steps.done(file.bytes_read());
           });
  return others;
}

std::vector<Record> read_records(const std::string& path, NotRead* others, const ReadOptions& options) {
  std::vector<Record> records;
  // A copy has no room to grow, which lists have that were read.
  NotRead found = read_each_record(path, options,
                                   [&](const Record& record, std::uint64_t) { records.push_back(record); });
  if (others) *others = std::move(found);
  else if (!found.bad.empty()) throw UsageError(found.bad[0].mistake);
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
    throw UsageError(path_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace redbench
