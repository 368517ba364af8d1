// Programs as a test runs them: a folder of their own, and their answer to a command line.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace redbench {

/// The contents of a file.
inline std::string text_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder that ends with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "redbench-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  std::string read(const std::string& name) const { return text_in(path_ + "/" + name); }

 private:
  std::string path_;
};

struct Answer {
  int exit_code = -1;
  std::string text;  // standard output and error together
};

/// Starts `program arguments` by a shell, with its output and errors going to the descriptor `output`. It
/// ends with this process, so that a test that is killed leaves nothing behind.
inline pid_t start(const std::string& program, const std::string& arguments, int output,
                   const std::string& folder = ".") {
  const std::string command = "cd '" + folder + "' && exec " + program + " " + arguments;
  const pid_t parent = getpid(), child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
  _exit(127);
}

/// Runs a program by a shell, in `folder`.
inline Answer answer_of(const std::string& program, const std::string& arguments, const std::string& folder) {
  std::array<int, 2> ends;
  Answer answer;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return answer;
  const pid_t child = start(program, arguments, ends[1], folder);
  close(ends[1]);
  std::array<char, 4096> part;
  for (ssize_t got; (got = read(ends[0], part.data(), part.size())) > 0;)
    answer.text.append(part.data(), std::size_t(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) answer.exit_code = WEXITSTATUS(status);
  return answer;
}

}  // namespace redbench
