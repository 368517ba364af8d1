// What is written to a terminal.
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>

namespace redbench {

/// What `f`, in a process of its own, writes to a terminal of so many columns; none where the machine gives
/// no terminal.
template <class F>
std::optional<std::string> on_terminal(const F& f, unsigned short columns = 200) {
  int terminal = -1;
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child < 0) return std::nullopt;
  if (child == 0) {
    ::unsetenv("NO_COLOR");
    ::setenv("TERM", "xterm", 1);
    f();
    ::_exit(0);
  }
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(terminal, part.data(), part.size())) > 0;)
    text.append(part.data(), std::size_t(count));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace redbench
