// The digest by which a changed input file is noticed.
#pragma once

#include <string>

namespace redbench {

/// The SHA-256 of a file in 64 hexadecimal digits, as sha256sum prints it. Throws UsageError that starts with
/// the path.
std::string sha256_of_file(const std::string& path);

}  // namespace redbench
