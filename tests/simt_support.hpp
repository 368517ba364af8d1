// What the tests of the modelled GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "src/error.hpp"
#include "tests/simt/kernels.hpp"

namespace redbench {

/// A device whose blocks run on so many OS threads.
inline std::unique_ptr<Device> modelled(const char* model = "gtx480", std::uint64_t seed = 0,
                                        int os_threads = 1) {
  setenv("REDBENCH_SIMT_THREADS", std::to_string(os_threads).c_str(), 1);
  auto device = make_simt(model, {.seed = seed});
  unsetenv("REDBENCH_SIMT_THREADS");
  return device;
}

inline std::vector<int> iota(int count, int first = 0) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = first + i;
  return values;
}

/// Runs a test kernel under the schedules of several seeds; all must give the same.
inline std::vector<int> run_shuffled(const std::string& name, const Grid& grid, const std::vector<int>& in,
                                     int outputs) {
  const std::vector<int> in_order = run_kernel(*modelled(), name, grid, in, outputs);
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(in_order, run_kernel(*modelled("gtx480", seed), name, grid, in, outputs)) << "seed " << seed;
  return in_order;
}

/// The sentence that a test kernel ends with; empty where it ends well.
inline std::string error_of(const std::string& name, const Grid& grid, const std::vector<int>& in = {0},
                            std::uint64_t seed = 0) {
  try {
    run_kernel(*modelled("gtx480", seed), name, grid, in, 4096);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

/// Whether `text` has all of `parts`, in any order.
inline testing::AssertionResult has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) == text.npos)
      return testing::AssertionFailure() << "\"" << text << "\" lacks \"" << part << '"';
  return testing::AssertionSuccess();
}

/// `text` with "tests/simt/races.cu:17" and the like replaced by what stands there: the comment that the line
/// ends in, else all of the line. So golden files stay as they are where lines move.
inline std::string with_lines(const std::string& text) {
  static const std::regex place(R"((tests|kernels)/[a-z_/.0-9]+\.(cu|hpp):(\d+))");
  std::string all;
  auto rest = text.cbegin();
  for (std::sregex_iterator found(text.begin(), text.end(), place), end; found != end; ++found) {
    const std::string name = found->str();
    std::ifstream file(REDBENCH_SOURCE_DIR "/" + name.substr(0, name.find(':')));
    std::string line;
    for (int number = std::stoi((*found)[3]); number > 0; --number) std::getline(file, line);
    const std::size_t comment = line.find("// ");
    all.append(rest, found->prefix().second);
    const std::size_t code = std::min(line.find_first_not_of(' '), line.size());
    all += '"' + line.substr(comment != line.npos ? comment + 3 : code) + '"';
    rest = text.cbegin() + found->position() + found->length();
  }
  return all.append(rest, text.cend());
}

/// Line of a file of the repository that has `text`, which must be unique in it.
inline int line_with(const std::string& path, const std::string& text) {
  std::ifstream file(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
  int number = 0, found = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find(text) == line.npos) continue;
    EXPECT_EQ(found, 0) << text << " is there twice";
    found = number;
  }
  EXPECT_NE(found, 0) << text << " is not in " << path;
  return found;
}

}  // namespace redbench
