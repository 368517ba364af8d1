// Sections of a run's tables: one for each experiment and device.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

struct Section {
  std::string title;   // of the experiment; may be empty
  std::string device;  // "NVIDIA H200 (cuda:0)", "simt:gtx480", "Intel Xeon (host)"
  std::vector<Record> records;

  std::string heading() const;
};

/// In the order of the experiments, kernels before the host. As in the plan, a record belongs to the first
/// experiment that asks for it; records that none asks for have a section whose title says so.
std::vector<Section> sections_of(const StoredRun& run);

}  // namespace redbench
