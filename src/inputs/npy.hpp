// One array from a user's file: a NumPy file (format versions 1.0 to 3.0, as numpy.save writes it), or a grey
// image of 8 bits as PGM (netpbm's pgm(5), the binary form "P5"), whose pixels are a list of u8, row by row.
#pragma once

#include <string>
#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

struct ArrayFile {
  std::string path;
  Type type = Type::i32;  // u32 for pairs, too: `columns` tells
  bool swapped = false;   // of the other byte order than this machine
  std::vector<Index> shape;
  std::size_t data_offset = 0;

  Index rows() const { return shape[0]; }
  Index columns() const { return shape.size() == 2 ? shape[1] : 1; }
  /// The type of a row: f32, pairs of u32.
  const TypeFacts& facts() const { return columns() == 1 ? facts_of(type) : facts_of_maps(); }
};

/// Reads and checks the header, and that the file holds what it says. One dimension, or (n, 2) of u32 for the
/// maps of `affine`. Throws UsageError that starts with the path.
ArrayFile open_npy(const std::string& path);
/// The same of an image.
ArrayFile open_pgm(const std::string& path);

/// The first `rows` rows in this machine's byte order. Throws UsageError.
HostBuffer read_array(const ArrayFile& file, Index rows);

/// Throws UsageError with the index of the first NaN or infinity: no result of it could be checked.
void check_finite(const ArrayFile& file);

}  // namespace redbench
