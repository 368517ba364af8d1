// Several runs of one config as one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/records/record_stream.hpp"
#include "src/records/stored_run.hpp"

namespace redbench {

/// A run to be joined with others.
struct RunPart {
  explicit RunPart(const std::string& folder);

  std::string records() const { return records_of(path); }
  /// Throws UsageError where it has been written since the constructor began: nobody locks a part, whose folder may be
  /// one that cannot be written.
  void check_unchanged() const;

  std::string path;
  Json facts;                              // run.json
  std::vector<std::string> mistakes = {};  // what its file of records has besides records

 private:
  using Stamp =
      std::pair<std::uintmax_t, std::filesystem::file_time_type>;  // of a file: size, when it was written
  std::pair<Stamp, Stamp> stamps() const;
  std::pair<Stamp, Stamp> read_at_;
};

/// Where a line of the joined records.jsonl comes from, by all that its place there depends on but its text.
struct JoinedLine {
  std::size_t number;  // `case`
  std::string_view mode, device;
  bool is_shown;  // made as the record that is shown is
  int worth;
  std::size_t session;  // of the joined run
  auto operator<=>(const JoinedLine&) const = default;
};

class JoinedRun {
 public:
  /// All sessions, by their start; all records of each, sorted by the plan of a config that has the cases of
  /// all parts. What two parts have alike is there once. Of several records of a case, the last is one that
  /// was not refused and has not failed. However parts are joined in groups first, the result is the same to
  /// the byte. No record is kept in memory: their files are read now, and again as the records are given.
  /// Throws UsageError, naming the parts and what differs, where they are of two configs, devices or inputs,
  /// were measured by other options of `measure` that decide what a record holds, or have a case of which
  /// two builds or CPUs made a record.
  explicit JoinedRun(std::vector<RunPart> parts);
  JoinedRun(JoinedRun&&) = default;

  /// Gives the text of records.jsonl piece by piece, and returns their number. Throws UsageError where a part is
  /// written meanwhile.
  std::size_t give_records(const std::function<void(std::string_view)>& to) const;

  const std::vector<RunPart>& parts() const { return parts_; }

  Json facts;
  std::size_t cases = 0;       // of the config
  std::size_t unmeasured = 0;  // of those, without a record

 private:
  struct Source {
    JoinedLine line;
    std::size_t part;
    std::uint64_t at;  // in its file
  };

  std::vector<RunPart> parts_;
  std::vector<Source> lines_;    // in order
  std::set<std::string> texts_;  // modes and devices
};

}  // namespace redbench
