// The points of a search: which variants are tuned, over which inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "src/config/tuned.hpp"
#include "src/device/devices.hpp"
#include "src/tune/tune.hpp"

namespace redbench {

/// A variant at a point, and which candidates are left.
struct Search {
  const Variant* variant;
  TunedPoint point;
  Json input;                   // the axes of an experiment
  std::vector<Json> left;       // launch parameters, {name: value}
  Json known = {};              // those of the file that is there, kept by each round that halves; null: none
  std::size_t known_tried = 0;  // of how many candidates it was found
  std::vector<Json> elsewhere = {};  // those of the file for the variant at other points: candidates, too
  bool known_lost = false;           // it gave no time where a round decided
  bool keeps_file = false;           // the point of the file stays as it is
  std::size_t tried = 0;             // candidates that it began with
  std::string untimed = {};          // why no candidate has a time; empty: one has

  Json defaults() const;                 // of the card
  void add_known();                      // to what is left, where it is not there
  void add_elsewhere(std::size_t most);  // the same, so many
};

/// What the options ask for.
struct AskedPoints {
  std::vector<Search> searches;  // each point once, without candidates; at least one
  Json measure;                  // as a config has it: max_noise, timeout_s, hang_s and the first mode
  std::uint64_t seed;
};

/// Sets `known`, and adds to `elsewhere`, by a file's points, with the defaults of parameters that these lack. What the
/// card does not take, and what a search may not choose, is left out.
void set_known(Search& search, const std::vector<TunedPoint>& there);

/// Reads the config of the subjects; that of variants is written to `folder`. Throws UsageError where it is wrong, where
/// it has no variant with launch parameters that runs on `devices.kernels`, and for an axis that is a launch parameter.
AskedPoints read_points(const TuneOptions& options, const Devices& devices,
                        const std::filesystem::path& folder);

}  // namespace redbench
