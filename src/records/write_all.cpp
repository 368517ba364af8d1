#include "src/records/write_all.hpp"

#include <unistd.h>

#include <cerrno>

namespace redbench {

bool write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) at += std::size_t(written);
  }
  return true;
}

}  // namespace redbench
