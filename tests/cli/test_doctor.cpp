// redbench doctor, line by line: what is there, what that which is not costs, and how to get it.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::ContainsRegex;
using testing::HasSubstr;

// Each line is a verdict: what was found, or what its absence costs and how to get it.
TEST(DoctorLines, AreOkOrMissing) {
  const Answer answer = redbench("doctor");
  EXPECT_EQ(answer.exit_code, 0);
  std::istringstream lines(answer.text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("ok       ") ||
                (line.starts_with("missing  ") && line.find(": ") != line.npos))
        << line;
  for (const char* device : {" CUDA ", " GPU", " NCCL ", " simt:gtx480 ", " host "})
    EXPECT_THAT(answer.text, HasSubstr(device));
}

TEST(DoctorLines, WhatIsTooOldToBuildWith) {
  const TemporaryFolder folder;
  const auto install = [&](const std::string& name, const std::string& script) {
    fs::permissions(folder.write(name, "#!/bin/sh\n" + script), fs::perms::owner_all);
  };
  const auto doctor = [&] {
    return answer_of("env PATH=" + folder.path() + ":$PATH " REDBENCH_BINARY, "doctor", folder.path()).text;
  };
  EXPECT_THAT(doctor(), ContainsRegex("\nok       to build     g\\+\\+ [0-9.]+, cmake [0-9.]+, python3 "));
  install("g++", "echo 9.4.0\n");
  install("cmake", "echo cmake version 3.100.1\n");
  install("pkg-config", "test $2 != fmt && echo 99\n");
  EXPECT_THAT(doctor(), HasSubstr("\nmissing  to build     g++ 9.4.0, older than 12, no fmt: make tools "));
}

}  // namespace
}  // namespace redbench
