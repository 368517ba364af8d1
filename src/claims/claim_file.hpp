// A claim of a paper, as tests over records, and the claims of a file, configs/claims/<paper>.json. As in configs,
// mistakes are named by file and JSON path.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/json/json.hpp"

namespace redbench {

enum class ClaimKind : std::uint8_t { ordering, ratio, value, slope, optimum, step };
inline constexpr std::array<std::string_view, 6> claim_kind_names{"ordering", "ratio",   "value",
                                                                  "slope",    "optimum", "step"};
enum class Pick : std::uint8_t { fastest, slowest };
inline constexpr std::array<std::string_view, 2> pick_names{"fastest", "slowest"};

/// What is compared with the bounds: the number of each case, or one statistic of all cases.
enum class Over : std::uint8_t { each, lowest, highest, median, mean };
inline constexpr std::array<std::string_view, 5> over_names{"each", "lowest", "highest", "median", "mean"};

/// Selects records of a case: the fastest or slowest of several, or without `pick` the only one.
struct Selection {
  Json where = Json::object();  // column to value or list of values
  std::optional<Pick> pick;
};

struct Bounds {
  std::optional<double> above, below, equals;
  /// "> 1", "0.9 to 1.1", "= 3"; empty where there is none.
  std::string text() const;
};

struct ClaimTest {
  ClaimKind kind = ClaimKind::ordering;
  std::string name;                  // of the sentence that it tests; may be empty
  std::vector<std::string> configs;  // the runs that it reads, by name: "martin2012/fig4"
  Json where = Json::object();       // column to values, for all selections
  std::vector<std::string> at;       // columns: each combination of their values is a case
  std::vector<std::string> worst;    // columns: of records that differ in these alone the slowest counts
  std::string quantity = "time_ns";
  std::vector<Selection> of;    // of an ordering: the fastest first
  std::optional<Selection> to;  // denominator of a ratio
  Bounds bounds;
  Over over = Over::each;
  std::string x;                 // slope, optimum and step: the column along which the records lie
  std::vector<double> among;     // optimum: values of x, one of which is the best
  Pick is = Pick::fastest;       // optimum: minimum or maximum
  double tolerance_percent = 0;  // optimum: numbers this close to the best are as good
  bool decides = true;           // false: its parts are reported and decide nothing
};

struct Claim {
  std::string paper;  // the file's name: "martin2012"
  std::string title;  // the paper's, for readers
  std::string id;
  std::string source;    // section or figure of the paper
  std::string sentence;  // the claim in our own words
  std::vector<ClaimTest> tests;

  /// "martin2012/martin-order", which -b matches.
  std::string name() const { return paper + "/" + id; }
  /// Kinds of the tests: "ratio, value".
  std::string kinds() const;
};

/// "configs/martin2012/table3.json" of a run's name "martin2012/table3", or "profile/martin2012/table3", which
/// `redbench profile` gives.
std::string config_path(std::string_view run);

/// Throws UsageError: "FILE: $.claims[0].tests[1].of.variant: ...".
std::vector<Claim> read_claims(const std::string& path);

/// The claims of these files, or of all files that come with the program where none is given. Throws
/// UsageError where two claims have the same name.
std::vector<Claim> read_all_claims(const std::vector<std::string>& paths);

/// configs/claims/schema.json.
std::string claims_schema_text();
/// The lists of keys of docs/claims.md.
std::string claims_markdown();

}  // namespace redbench
