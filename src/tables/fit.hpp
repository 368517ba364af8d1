// Tables no wider than a reader's window.
#pragma once

#include "src/tables/tables.hpp"

namespace redbench {

inline constexpr int default_width = 140;

/// The table in at most `width` characters, 0: as it is. Long texts are cut in their middle, each with a note
/// of the whole; then columns are left out, the least important first, with a remark that names them.
/// Numbers are never cut. Two columns stay, however narrow that is.
Table fit(const Table& table, std::size_t width);

}  // namespace redbench
