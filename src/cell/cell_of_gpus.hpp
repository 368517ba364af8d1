// A cell whose inputs are spread over several GPUs.
#pragma once

#include "src/cell/cell.hpp"

namespace redbench {

/// As run_cell of cases that can run, whose device is the first of the GPUs. The inputs are made, spread and reduced
/// exactly in blocks, of which the host has one at a time. Where processes are joined each calls it with its own device,
/// and the first has the records; those whose GPUs the cell does not need do nothing.
void run_cell_of_gpus(const Cell& cell, const std::vector<const Case*>& cases, Device& own,
                      const CellOptions& options, const CellEvents& events);

}  // namespace redbench
