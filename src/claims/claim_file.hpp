// The claims of a paper, configs/claims/<paper>.json. As in configs, mistakes are named by file and JSON
// path.
#pragma once

#include <string>
#include <vector>

#include "src/claims/claim.hpp"

namespace redbench {

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
