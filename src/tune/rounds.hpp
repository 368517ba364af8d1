// The rounds of a search: a round is a run of all candidates that are left.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/device/devices.hpp"
#include "src/records/stored_run.hpp"
#include "src/tune/points.hpp"

namespace redbench {

struct Round {
  int samples = 0;  // of each case; 0: as the config says
  int processes = 1;
  bool halving = false;  // keeps the faster half; at n / 16, as slow candidates take most of the time
};

/// What is left of each search in the end is measured beside its default, in processes of their own.
inline const Round last_round{.processes = 3};

/// How rounds are measured, and where: the same for all of a command.
struct RoundOptions {
  Devices devices;
  std::string device;            // as the user named it
  std::filesystem::path folder;  // of the rounds' configs and runs
  Json measure = {};             // AskedPoints::measure
  std::uint64_t seed = 1;
  std::size_t points = 0;     // of the command, in all groups
  double last_timeout_s = 0;  // of a case in each process of the last round
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();
};

/// The rounds that leave each search its fastest candidate: some that halve, and one that decides.
std::vector<Round> rounds_to_fastest(const std::vector<Search>& searches);

std::size_t candidates_left(const std::vector<Search>& searches);

/// What rounds over the inputs of some searches take, with any number of candidates.
struct RoundCosts {
  struct Cost {
    double inputs_s, candidate_s;  // of all inputs, of each candidate
  };
  Cost halving, deciding;

  /// Of rounds_to_fastest. The last round is left out: how long it takes depends on noise.
  double seconds(const std::vector<Search>& searches) const;
};

/// By a plan of these searches' candidates, few of which will do: nothing is run or written.
RoundCosts plan_rounds(const std::vector<Search>& searches, const RoundOptions& options);

/// A round that is done.
struct Measured {
  Round round;
  StoredRun run = {};
  std::map<std::string, std::vector<std::size_t>> timed = {};  // places in run.records, by point
  bool is_wrong = false;                                       // some result was wrong

  /// Those with a time, of a search that was measured.
  std::vector<const Record*> records_of(const Search& search) const;
};

/// Runs a round, or goes on with one that was interrupted. Sets `untimed` of the searches that get no time and do not go
/// on with what is known. None where an interrupt or `options.until` ended it. Throws UsageError where all candidates of
/// the command's only group are refused.
std::optional<Measured> measure(const Round& round, std::vector<Search>& searches,
                                const RoundOptions& options);

/// Leaves each search the faster half of its candidates, or the fastest where the round decides.
/// A round that halves keeps what is known, too: it was found at n, not at n / 16.
void keep_faster(std::vector<Search>& searches, const Measured& measured);

}  // namespace redbench
