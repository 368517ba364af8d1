// The records that a test reads, by case and selection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/claims/claim.hpp"
#include "src/claims/evidence.hpp"
#include "src/compare/comparable.hpp"

namespace redbench {

struct RecordFound {
  const EvidenceRun* of = nullptr;
  const Record* record = nullptr;

  RecordOfRun with_run() const { return {of->run, *record}; }
  /// "results/h200/martin2012/fig4#key"
  std::string name() const { return of->run.path + "#" + (*record)["key"].get<std::string>(); }
  const std::string& hardware() const { return (*record)["hardware"].get_ref<const std::string&>(); }
};
using RecordsFound = std::vector<RecordFound>;

struct ClaimCase {
  std::string text;                   // "n 16Mi, labels uniform"; empty where there is one case
  std::vector<RecordsFound> records;  // by selection: those of `of`, then `to`
};

struct ClaimCases {
  std::vector<ClaimCase> cases;
  std::vector<std::string>
      undecided;                     // sentences: what keeps the whole test, or a part of it, from an answer
  std::vector<std::string> missing;  // configs that no record is of, as paths
};

/// What a case of the test's columns is called: also where a column is derived.
std::string case_text(const Record& record, const std::vector<std::string>& at);

/// Of the kind of device that answers: times by the GPU and the host, counts by the modelled device, other
/// numbers by the GPU or, where it has none, the model. Undecided where two runs are of one config and
/// hardware or two hardwares of one kind of device, and for each value of a case's columns that the config
/// has and no record.
ClaimCases cases_of(const ClaimTest& test, const Evidence& evidence);

/// "tb2, labels uniform"
std::string text_of(const Selection& selection);

/// The record of a case that a selection means, by `quantity`, or why there is none.
struct Chosen {
  std::optional<RecordFound> found;
  std::string why;              // there is none
  bool is_unsupported = false;  // all are
};
Chosen chosen_of(const RecordsFound& records, const Selection& selection, const std::string& quantity);

}  // namespace redbench
