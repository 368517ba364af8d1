// What an output goes to.
#pragma once

#include <cstddef>

namespace redbench {

/// Whether a descriptor is a terminal that understands escape sequences: not where TERM is dumb or NO_COLOR
/// is set.
bool takes_control_bytes(int descriptor);

/// The columns of a terminal: as it says, else COLUMNS, else 80; 0 where the descriptor is none.
std::size_t terminal_width(int descriptor);

}  // namespace redbench
