// Writes to a descriptor.
#pragma once

#include <string>

namespace redbench {

/// Writes the whole text, also after short writes and signals. False, with errno, where it cannot.
bool write_all(int file, const std::string& text);

}  // namespace redbench
