#include "src/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace redbench {

bool takes_control_bytes(int descriptor) {
  const auto is = [](const char* variable, std::string_view value) {
    const char* const text = std::getenv(variable);
    return (text ? text : std::string_view()) == value;
  };
  return ::isatty(descriptor) && !is("TERM", "dumb") && is("NO_COLOR", "");
}

std::size_t terminal_width(int descriptor) {
  if (!::isatty(descriptor)) return 0;
  if (winsize size{}; ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const columns = std::getenv("COLUMNS");
  const int told = columns ? std::atoi(columns) : 0;
  return told > 0 ? std::size_t(told) : 80;
}

}  // namespace redbench
