// Files of NumPy, written by hand.
#pragma once

#include <string>

namespace redbench {

/// A file of version 1.0 with this dictionary, and so many bytes of data.
inline std::string npy(const std::string& dictionary, std::size_t data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(dictionary.size() & 255);
  text += char(dictionary.size() >> 8);
  return text + dictionary + std::string(data, '\0');
}

}  // namespace redbench
