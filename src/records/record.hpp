// A record: one case in one mode, as a line of JSON. docs/reference/records.md explains the fields.
//
// A worker process makes it, and fills it in this order:
//   case_record           what the plan knows of the case, and the outcome
//   src/cell/cell.cpp     error, times and samples (set_times), or counters and trace (add_counters)
//   src/instruments/      what each instrument has read (Instrument::stop)
//   add_derived           what follows from counters and launches (src/records/derived.hpp)
// Its parent makes one record of several forks' (record_of_forks), adds `passes`, and then `case`, `session`
// and `input_files` as it writes it (src/run/recording.cpp). The record of a case that its worker died of is
// the parent's: case_record alone. Where a record is read, `completed` adds what an older file lacks.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// One row of the results.
using Record = Json;

/// Version of the fields of records and of run.json. Raised only where a field changes its meaning. A new
/// field is nullable and does not raise it; an older redbench refuses records that have it.
inline constexpr int record_schema = 1;

enum class Outcome : std::uint8_t { passed, wrong, failed, timeout, unsupported };
inline constexpr std::array<std::string_view, 5> outcome_names{"passed", "wrong", "failed", "timeout",
                                                               "unsupported"};
inline constexpr std::string_view name_of(Outcome outcome) { return outcome_names[std::size_t(outcome)]; }

/// How the record of a refused case ends: what its `run` does wrong fails.
inline Outcome outcome_of_refusal(const Case& case_) {
  return case_.is_mistake ? Outcome::failed : Outcome::unsupported;
}

/// A new record of a case: what the plan knows and how it ended. All other fields (src/records/fields.hpp)
/// are null, but `session`, which is 0. `reason`: why it has not passed.
Record case_record(const Cell& cell, const Case& case_, const Device& device, Mode mode, Outcome outcome,
                   const std::string& reason = {});

/// JSON on one line. Bytes that are not UTF-8, as in the output of a dying process, become replacement
/// characters.
std::string line_of(const Json& value);
/// The values of these fields, each ended by a tab: equal where all of them are.
std::string line_of(const Record& record, std::initializer_list<const char*> fields);

/// The record's key with the SHA-256 of each input file in place of its path, of which one file has many.
std::string key_by_contents(const Record& record);
std::string key_by_contents(std::string key, const Json& axes, const Json& input_files);

/// The fields by which a record is identified. One added here makes every record be made again by `--resume`.
inline constexpr std::array identity_fields{
    "key", "mode", "seed", "device", "hardware", "source_hash", "measured_by", "built_by", "input_files"};

/// Identifies a record when a run is resumed: case, mode, seed, device, provenance
/// (src/records/provenance.hpp) and contents of the input files.
/// `hardware`: as if that had made it; null: as it is.
std::string record_identity(const Record& record, const Json& hardware = nullptr);
/// The identity of the record that this program would make. `input_files`: as in the record.
std::string record_identity(const Case& case_, const Device& device, Mode mode, const Json& input_files);

/// Whether the variant is a library's primitive alone (Card::library_only); of one that is not built in,
/// whether it has no launches of its own.
bool is_of_library(const Record& record);

/// A line that is no record, and why, by file and line.
struct BadLine {
  std::string text, mistake;
};

/// What a reader gets as `samples_ns`: of each fork its samples, or only their number, which is all that
/// tables show and takes a fraction of the memory.
enum class SampleLists : std::uint8_t { kept, counted };

/// How a file of records is read.
struct ReadOptions {
  std::size_t sessions = std::size_t(-1);  // that run.json tells of: a record of another is none
  SampleLists lists = SampleLists::kept;
};

/// A line of such a file, completed (src/records/check.hpp). Throws UsageError where it is no record.
Record parse_record(const std::string& line, const std::string& place, const ReadOptions& options = {});

/// What the lines of a file came to besides records.
struct NotRead {
  std::vector<BadLine> bad;
  bool is_unfinished = false;  // its last line, as a killed run left it, which is ignored
};

/// Takes a record, and where its line begins in the file.
using TakeRecord = std::function<void(Record record, std::uint64_t at)>;

/// Reads a file in order. A line that is no record costs nothing but itself.
NotRead read_each_record(const std::string& path, const ReadOptions& options, const TakeRecord& take);

/// All records of a file. A line that is none goes into `others`; without `others` it throws UsageError.
std::vector<Record> read_records(const std::string& path, NotRead* others = nullptr,
                                 const ReadOptions& options = {});

/// Appends records to a file; each is written when `append` returns.
class RecordFile {
 public:
  /// Replaces the file by one with the records `kept`. Throws UsageError where it cannot be written.
  RecordFile(const std::string& path, const std::vector<Record>& kept);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Throws std::runtime_error where the disk is full.
  void append(const Record& record);

 private:
  std::string path_;
  int file_;
};

/// Exit code of a run: 4 where a record is wrong, else 1 where one failed or timed out, else 0.
int exit_code_of(const std::vector<Record>& records);

}  // namespace redbench
