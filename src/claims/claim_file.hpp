// The claims of a paper as a file, configs/claims/<paper>.json: read with every mistake named by file and
// JSON path, as configs are.
#pragma once

#include <string>
#include <vector>

#include "src/claims/claim.hpp"

namespace redbench {

/// Throws UsageError: "FILE: $.claims[0].tests[1].of.variant: ...".
std::vector<Claim> read_claims(const std::string& path);

/// Those of the files, or where none is given of all files that come with the program. Throws UsageError
/// where two claims have one name.
std::vector<Claim> read_all_claims(const std::vector<std::string>& paths);

/// configs/claims/schema.json.
std::string claims_schema_text();
/// The lists of keys of docs/claims.md.
std::string claims_markdown();

}  // namespace redbench
