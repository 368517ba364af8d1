// Fits tables into the width of a window.
#pragma once

#include "src/tables/tables.hpp"

namespace redbench {

inline constexpr int default_width = 140;

/// Fits the table into `width` characters; 0: any width. First long texts are shortened in their middle, each
/// with a note of the whole text; then columns are dropped, the least important first, with a remark that
/// names them. Numbers are never shortened, and two columns always stay.
Table fit(const Table& table, std::size_t width);

}  // namespace redbench
