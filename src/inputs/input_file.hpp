// Files that hold inputs, opened and read with sentences about what is wrong.
#pragma once

#include <fstream>
#include <string>

#include "src/json/json.hpp"

namespace redbench {

/// Throws UsageError that starts with the path.
[[noreturn]] void refuse_file(const std::string& path, const std::string& sentence);

/// A regular file, at its start. `kind` is what it should be: "a NumPy file". Throws UsageError.
std::ifstream open_input(const std::string& path, const char* kind);

/// The next `bytes` bytes. Throws UsageError where there are fewer.
void read_bytes(std::ifstream& file, const std::string& path, void* to, std::size_t bytes);

/// Throws UsageError where the file does not hold `expected` bytes from `offset` on; `promise` is why it
/// should.
void check_size(const std::string& path, std::size_t offset, std::size_t expected,
                const std::string& promise);

/// Whether a value of an axis is {"file": "x.npy"}, or has another `key` in its place.
bool names_file(const Json& value, const char* key = "file");

/// The SHA-256 of a file in 64 hexadecimal digits, as sha256sum prints it. Throws UsageError that starts with
/// the path.
std::string sha256_of_file(const std::string& path);

}  // namespace redbench
