#include "src/records/columns.hpp"

#include "src/simt/counters.hpp"

namespace redbench {

Columns record_columns() {
  Columns columns;
  columns.quantities = {"time_ns",      "time_low_ns",        "time_high_ns", "bandwidth_gb_per_s",
                        "ns_per_input", "percent_of_ceiling", "sectors",      "sectors_per_ideal",
                        "wavefronts",   "conflicts",          "active_lanes", "divergent_percent",
                        "barriers"};
  columns.others = {"variant", "problem", "device", "hardware", "mode", "outcome", "parameters"};
  for (const std::string_view name : counter_names) columns.others.emplace_back(name);
  return columns;
}

}  // namespace redbench
