// An installed program's own files: what of them is missing.
#include <gmock/gmock.h>

#include "src/own_files.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

// The bug: a Python without the packages that the scripts import was said to be fine.
TEST(OwnFiles, WhatTheirPythonLacksIsSaid) {
  const TemporaryFolder folder;
  folder.write("share/redbench/kernels/variant.hpp", "");
  const std::string program = folder.path() + "/bin/redbench";
  fs::create_directory(folder.path() + "/bin");
  fs::copy_file(REDBENCH_BINARY, program);
  const auto said_of_python = [&](const std::string& script) {
    const std::string python = folder.write("share/redbench/.venv/bin/python", "#!/bin/sh\n" + script + "\n");
    fs::permissions(python, fs::perms::owner_all);
    const std::string text = answer_of(program, "doctor", folder.path()).text;
    const std::size_t at = text.find(" plots "), line = text.rfind('\n', at) + 1;
    return text.substr(line, text.find_first_of(":\n", at) - line);
  };
  const std::string python = folder.path() + "/share/redbench/.venv/bin/python";
  EXPECT_EQ(said_of_python("echo nothing"), "ok       plots        " + python);
  EXPECT_EQ(said_of_python("echo numpy, PIL"), "missing  plots        " + python + " has no numpy, PIL");
  EXPECT_EQ(said_of_python("exit 1"), "missing  plots        no " + python);
}

TEST(OwnFiles, PlacesOfAPathAreRedbenchsAndTheWorkingDirectory) {
  EXPECT_EQ(own_files(), REDBENCH_SOURCE_DIR);
  EXPECT_EQ(places_of("configs/quick.json"),
            (std::vector<fs::path>{REDBENCH_SOURCE_DIR "/configs/quick.json", "configs/quick.json"}));
  EXPECT_TRUE(has_debug_information()) << "the program of the tests is not stripped";
}

}  // namespace
}  // namespace redbench
