#include "src/shell.hpp"

#include <sys/wait.h>

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
  return WIFEXITED(status) ? WEXITSTATUS(status) : int(exit_interrupted);
}

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace redbench
