// Hand-made records for tests: all that a record must have.
#pragma once

#include "src/records/check.hpp"
#include "src/records/record.hpp"

namespace redbench {

inline Json launch_of(Index blocks, double bytes_read = 4096) {
  return {{"kernel", "tree"},         {"blocks", blocks},     {"threads", 256},   {"shared_bytes", 1024},
          {"cooperative", false},     {"resident_blocks", 8}, {"occupancy", 1.0}, {"limiter", "warps"},
          {"bytes_read", bytes_read}, {"bytes_written", 64.0}};
}

inline Record record_of(const std::string& variant, Index n = 1024, const std::string& outcome = "passed") {
  return completed({{"schema", record_schema},
                    {"key", variant + " n=" + std::to_string(n)},
                    {"variant", variant},
                    {"problem", variant.substr(0, variant.find('/'))},
                    {"n", n},
                    {"type", "i32"},
                    {"operator", "sum"},
                    {"axes", {{"values", "uniform"}}},
                    {"parameters", {{"block", 256}}},
                    {"seed", 1},
                    {"device", "cuda:0"},
                    {"hardware", "NVIDIA Test"},
                    {"mode", "cold"},
                    {"outcome", outcome},
                    {"bytes_read", 4.0 * double(n)},
                    {"bytes_written", 4.0},
                    {"scratch_bytes", 0},
                    {"launches", Json::array()},
                    {"library", false},
                    {"source_hash", "abc"}});
}

/// With a time, and what follows from it.
inline Record timed(const std::string& variant, Index n, double time_ns, double low_ns, double high_ns) {
  Record record = record_of(variant, n);
  record["time_ns"] = time_ns;
  record["time_low_ns"] = low_ns;
  record["time_high_ns"] = high_ns;
  record["bandwidth_gb_per_s"] = (4.0 * double(n) + 4) / time_ns;
  record["ns_per_input"] = time_ns / double(n);
  record["percent_of_ceiling"] = 50.0;
  record["forks"] = 1;
  record["samples_ns"] = Json::array({{low_ns, time_ns, high_ns}});
  return record;
}

}  // namespace redbench
