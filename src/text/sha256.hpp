#pragma once

#include <string>
#include <string_view>

namespace redbench {

/// The SHA-256 of the bytes in 64 hexadecimal digits, as sha256sum prints it.
std::string sha256(std::string_view bytes);

}  // namespace redbench
