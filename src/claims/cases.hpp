// Records that a test reads, by case and selection.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/claims/claim_file.hpp"
#include "src/claims/evidence.hpp"
#include "src/compare/comparable.hpp"
#include "src/registry.hpp"

namespace redbench {

struct RecordFound {
  const EvidenceRun* of = nullptr;
  const Record* record = nullptr;

  RecordOfRun with_run() const { return {of->run, *record}; }
  /// "results/h200/martin2012/fig4#key"
  std::string name() const { return of->run.path + "#" + (*record)["key"].get<std::string>(); }
  std::string kind() const {
    return std::string(kind_of_device((*record)["device"].get_ref<const std::string&>()));
  }
  const std::string& hardware() const { return (*record)["hardware"].get_ref<const std::string&>(); }
};
using RecordsFound = std::vector<RecordFound>;

struct ClaimCase {
  std::string text;                   // "n 16Mi, labels uniform"; empty where there is one case
  std::vector<RecordsFound> records;  // by selection: `of`, then `to`
};

struct ClaimCases {
  std::vector<ClaimCase> cases;
  std::vector<std::string> undecided;  // why the test, or a part of it, has no answer: sentences
  std::vector<std::string> missing;    // configs without a record, as paths
};

/// Name of the case that a record is of: "n 16Mi, labels uniform".
std::string case_text(const Record& record, const std::vector<std::string>& at);

/// Reads times from the GPU and the host, counts from the modelled device, and other numbers from the GPU, or
/// from the model without a GPU. Undecided where one config has two runs on one hardware, where one kind of
/// device has two hardwares, and for each value that the config has and the records lack.
ClaimCases cases_of(const ClaimTest& test, const Evidence& evidence);

/// "tb2, labels uniform"
std::string text_of(const Selection& selection);

/// The record of a case that a selection means, by `quantity`, or why there is none.
struct Chosen {
  std::optional<RecordFound> found;
  std::string why;              // why there is none
  bool is_unsupported = false;  // the device refuses all of them
};
Chosen chosen_of(const RecordsFound& records, const Selection& selection, const std::string& quantity);

}  // namespace redbench
