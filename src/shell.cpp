#include "src/shell.hpp"

#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "src/error.hpp"

namespace redbench {

std::string first_line_of(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (!pipe) return {};
  std::string line;
  for (int c; (c = std::fgetc(pipe)) != EOF && c != '\n';) line += char(c);
  while (std::fgetc(pipe) != EOF) {
  }
  return pclose(pipe) == 0 ? line : std::string();
}

int status_of(const std::string& command) {
  std::fflush(stdout);
  const int status = std::system(command.c_str());
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
  return ended_by == SIGINT || ended_by == SIGTERM ? int(exit_interrupted) : 128 + ended_by;
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace redbench
