// One array from a NumPy file (format versions 1.0 to 3.0, as numpy.save writes it).
#pragma once

#include <string>
#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

struct NpyHeader {
  std::string path;
  Type type = Type::i32;  // u32 for pairs, too: `columns` tells
  bool swapped = false;   // of the other byte order than this machine
  std::vector<Index> shape;
  std::size_t data_offset = 0;

  Index rows() const { return shape[0]; }
  Index columns() const { return shape.size() == 2 ? shape[1] : 1; }
  /// The type of a row: "f32", "pairs of u32".
  std::string_view element() const { return facts().name; }
  const TypeFacts& facts() const { return columns() == 1 ? facts_of(type) : facts_of_maps(); }
};

/// Reads and checks the header, and that the file holds what it says. One dimension, or (n, 2) of u32 for the
/// maps of `affine`. Throws UsageError that starts with the path.
NpyHeader read_npy_header(const std::string& path);

/// The first `rows` rows in this machine's byte order. Throws UsageError.
HostBuffer read_npy(const NpyHeader& header, Index rows);

/// Throws UsageError with the index of the first NaN or infinity: no result of it could be checked.
void check_finite(const NpyHeader& header);

}  // namespace redbench
