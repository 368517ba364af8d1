// Hand-made records and runs for claims.
#pragma once

#include "src/claims/answer.hpp"
#include "src/records/provenance.hpp"
#include "tests/compare_support.hpp"

namespace redbench {

inline constexpr Index claimed_n = Index(16) << 20;

/// As this program would make it: not stale. Its time is the median of the forks'.
inline Record fresh(const std::string& variant, const std::vector<double>& forks, Index n = claimed_n) {
  Record record = measured(variant, forks, n);
  const auto [low, high] = std::ranges::minmax(forks);
  record["time_low_ns"] = low;
  record["time_high_ns"] = high;
  record["noise_percent"] = 100 * (high - low) / 2 / record["time_ns"].get<double>();
  record["ns_per_input"] = record["time_ns"].get<double>() / double(n);
  add_provenance(record, *find_variant(variant), Target::cuda);
  return record;
}

/// So many times the time that is 1.
inline Record fresh(const std::string& variant, double factor, Index n = claimed_n) {
  return fresh(variant, times(factor), n);
}

/// So of harris5 in blocks of so many threads.
inline Record of_block(int block, double factor) {
  Record record = fresh("reduce/harris5", factor);
  record["parameters"] = {{"block", block}};
  record["key"] = "harris5 block=" + std::to_string(block);
  return record;
}

/// Of the modelled device: counts without a time.
inline Record counted_record(const std::string& variant, const Json& counters, Index n = claimed_n) {
  Record record = record_of(variant, n);
  record["device"] = "simt:gtx480";
  record["hardware"] = "gtx480";
  record["counters"] = counters;
  add_provenance(record, *find_variant(variant), Target::simt);
  return record;
}

inline EvidenceRun evidence_of(const std::string& config, const std::vector<Record>& records,
                               const std::string& path = "results/test") {
  StoredRun run = run_of(path, records);
  run.facts["name"] = config;
  return {std::move(run), {}};
}

/// Of one run of the config `test`, which comes with no program.
inline Evidence evidence(const std::vector<Record>& records) {
  return Evidence(std::list<EvidenceRun>{evidence_of("test", records)});
}

inline ClaimTest test_of(ClaimKind kind, const std::vector<Json>& of) {
  ClaimTest test;
  test.kind = kind;
  test.configs = {"test"};
  for (const Json& where : of) test.of.push_back({where, {}});
  return test;
}

inline ClaimAnswer answer_of(const ClaimTest& test, const Evidence& evidence) {
  static Claim claim;
  claim = {"paper", "a paper", "id", "source", "sentence", {test}};
  return answer(claim, evidence);
}

}  // namespace redbench
