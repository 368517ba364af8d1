// What several tests need: a folder of their own, files in it, and the program's answer to a command line.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"

namespace redbench {

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

 private:
  std::string path_;
};

inline std::string fixture(const std::string& name) {
  return std::string(REDBENCH_SOURCE_DIR) + "/tests/fixtures/" + name;
}

/// The text of a NumPy file of these numbers in one dimension.
template <class T>
std::string npy_of(const std::string& descr, const std::vector<T>& numbers) {
  const std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                 std::to_string(numbers.size()) + ",), }\n";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(dictionary.size());
  text += '\0';
  return text + dictionary +
         std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

/// The pair of the problem `reduce`.
inline const Pair& reduction(Type type, Operator op) { return *find_problem("reduce")->pair(type, op); }

/// Calls f with a value of each operator of a list.
template <class F, class... Ops>
void for_each_operator(OperatorList<Ops...>, const F& f) {
  (f(Ops{}), ...);
}

struct Answer {
  int exit_code = -1;
  std::string text;  // standard output and error together
};

/// Runs a program by a shell, in `folder`.
inline Answer answer_of(const std::string& program, const std::string& arguments, const std::string& folder) {
  const std::string command = "cd '" + folder + "' && " + program + " " + arguments + " 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  Answer answer;
  std::array<char, 4096> part;
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    answer.text.append(part.data(), got);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.exit_code = WEXITSTATUS(status);
  return answer;
}

/// Runs `redbench ARGUMENTS`.
inline Answer redbench(const std::string& arguments, const std::string& folder = REDBENCH_SOURCE_DIR) {
  return answer_of(REDBENCH_BINARY, arguments, folder);
}

/// The message of the UsageError that `f` throws; the test fails where it throws none.
template <class F>
std::string usage_error(const F& f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no UsageError was thrown";
  return {};
}

}  // namespace redbench
