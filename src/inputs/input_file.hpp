// Files that hold inputs, opened and read with sentences about what is wrong.
#pragma once

#include <fstream>
#include <string>

namespace redbench {

/// Throws UsageError that starts with the path.
[[noreturn]] void refuse_file(const std::string& path, const std::string& sentence);

/// A regular file, at its start. `kind` is what it should be: "a NumPy file". Throws UsageError.
std::ifstream open_input(const std::string& path, const char* kind);

/// The next `bytes` bytes. Throws UsageError where there are fewer.
void read_bytes(std::ifstream& file, const std::string& path, void* to, std::size_t bytes);

}  // namespace redbench
