// redbench tune: which launch parameters make a variant fastest on this GPU, at each point of a config.
#pragma once

#include <string>
#include <vector>

#include "src/run/request.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

struct TuneOptions {
  std::vector<std::string>
      subjects;          // a config, whose variants and points are tuned, or variants, over 2^26 inputs
  Request request;       // `config` follows from the subjects
  std::string out;       // the tuned file; empty: tuned/<device>.json
  double budget_s = 0;   // of this command, within 20 %; 0: as long as it takes
  bool dry_run = false;  // prints the points and how many candidates each has; a modelled device will do
  std::vector<std::string> records = {};  // folders whose self-test says which difference counts
  TableWidth width = {};
};

/// Successive halving over the candidates of each variant and point: they are sampled in rounds on the same buffers,
/// each result checked, and the faster half goes on with more samples. The last one is measured anew beside the
/// default, in processes of their own, as the fastest of many is too good by luck; it is taken where it is faster by
/// its interval and the self-test's least difference. What the file has for the variant are candidates, and what it has for
/// the point stays where nothing is told to be faster than the default. Points that share their inputs are searched side by
/// side, as many as take a minute, and then added to the file, or put in place of the same ones. What is left of a budget
/// goes once more to points that had few candidates. Returns the exit code, exit_interrupted where points are left. Throws
/// UsageError.
int tune(const TuneOptions& options);

/// Seconds of "90s", "5m", "1.5h". Throws UsageError.
double duration_of(const std::string& flag, const std::string& text);

}  // namespace redbench
