// A record: one case in one mode, as a line of JSON that explains itself. docs/reference/records.md names the fields.
#pragma once

#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// One row of the results.
using Record = Json;

inline constexpr int record_schema = 1;

enum class Outcome : std::uint8_t { passed, wrong, failed, timeout, unsupported };
inline constexpr std::array<std::string_view, 5> outcome_names{"passed", "wrong", "failed", "timeout",
                                                               "unsupported"};
inline constexpr std::string_view name_of(Outcome outcome) { return outcome_names[std::size_t(outcome)]; }

/// All fields (src/records/fields.hpp) of a case that is not measured: its name, its launches, and null for
/// what is not known.
/// `reason`: why it has not passed.
Record case_record(const Cell& cell, const Case& one, const Device& device, Mode mode, Outcome outcome,
                   const std::string& reason = {});

/// JSON on one line. Bytes that are not UTF-8 (of a dying process's last words, say) become replacement
/// characters.
std::string line_of(const Json& value);

/// What a record is known by when a run resumes: case, mode, seed, device, what made it
/// (src/records/provenance.hpp) and the contents of input files. One that does not tell all of these is no
/// other's equal.
std::string record_identity(const Record& record);
/// Of the record that would be made. `input_files`: as in the record, of the case's axes.
std::string record_identity(const Case& one, const Device& device, Mode mode, const Json& input_files);

/// The records of a file in order, completed (src/records/check.hpp), without a last line that a killed run
/// did not finish. Throws UsageError for any other line that is no record, by file and line.
std::vector<Record> read_records(const std::string& path);

/// Appends records to a file, each written out before `append` returns.
class RecordFile {
 public:
  /// Starts the file anew with `kept`. Throws UsageError where it cannot be written.
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

/// 4 where a record is wrong, else 1 where one failed or timed out, else 0.
int exit_code_of(const std::vector<Record>& records);

/// Writes a whole file, or leaves the old one as it is. Throws UsageError with the path.
void write_file(const std::string& path, const std::string& text);

}  // namespace redbench
