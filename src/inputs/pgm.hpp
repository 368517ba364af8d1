// A grey image of 8 bits as PGM (netpbm's pgm(5), the binary form "P5"): each pixel is a label.
#pragma once

#include <string>

#include "src/inputs/problem.hpp"

namespace redbench {

struct PgmHeader {
  std::string path;
  Index width = 0, height = 0;
  std::size_t data_offset = 0;

  Index pixels() const { return width * height; }
};

/// Reads and checks the header, and that the file holds one image of that size. Throws UsageError that starts
/// with the path.
PgmHeader read_pgm_header(const std::string& path);

/// The first `pixels` pixels, row by row, a byte each. Throws UsageError.
HostBuffer read_pgm(const PgmHeader& header, Index pixels);

}  // namespace redbench
