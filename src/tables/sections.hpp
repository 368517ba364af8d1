// A run's records in the parts that tables show: an experiment on one device each.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

struct Section {
  std::string title;   // of the experiment; empty where the config gives none
  std::string device;  // "NVIDIA H200 (cuda:0)", "simt:gtx480", "Intel Xeon (host)"
  std::vector<Record> records;

  std::string heading() const;
};

/// In the order of the experiments, the device for kernels before the host. A record that several experiments
/// ask for is the first one's, as in the plan; one that none asks for is under a title that says so.
std::vector<Section> sections_of(const StoredRun& run);

}  // namespace redbench
