// redbench doctor, line by line: what is there, what that which is not costs, and how to get it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/cachesim/cachesim.hpp"
#include "src/device/device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The line of `redbench --version` that begins so, without its label.
std::string version_line(const std::string& label) {
  const std::string text = '\n' + redbench("--version").text, start = '\n' + label;
  const std::size_t at = text.find(start) + start.size();
  return text.substr(at, text.find('\n', at) - at);
}

TEST(DoctorLines, TheBuild) {
  const std::string text = redbench("doctor").text, build = version_line("build    ");
  const std::string flags = build.substr(build.find(", ") + 2);
  EXPECT_THAT(text,
              StartsWith(build.starts_with("Release, ")
                             ? "ok       redbench     " + version_line("redbench ") + ", " + flags + "\n"
                             : "missing  redbench     " + flags +
                                   ": times of this build cannot be compared; configure with "
                                   "-DCMAKE_BUILD_TYPE=Release\n"));
  EXPECT_THAT(text, HasSubstr("\nok       files        " REDBENCH_SOURCE_DIR "\n"));
  std::string models = version_line("simt     ");
  for (std::size_t at; (at = models.find(", ")) != models.npos;) models.replace(at, 2, " simt:");
  EXPECT_THAT(text, HasSubstr("\nok       simt         simt:" + models + "\n"));
}

TEST(DoctorLines, TheMachine) {
  const TemporaryFolder folder;
  const std::string text = answer_of("env OMP_NUM_THREADS=1 " REDBENCH_BINARY, "doctor", folder.path()).text;
  const DeviceFacts facts = make_host()->facts();
  EXPECT_THAT(text, HasSubstr("\nok       host         " + facts.name + ", 1 OpenMP threads, "));
  EXPECT_THAT(text, HasSubstr(fmt::format(" of {:.1f} GiB free\n", double(facts.memory_bytes) / (1 << 30))));
  EXPECT_THAT(text,
              ContainsRegex("\nok       disk         [0-9]+\\.[0-9] GiB free in " + folder.path() + "\n"));
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

// What the system tells, in MiB where it is whole ones.
TEST(DoctorLines, TheCachesThatTheSystemTells) {
  std::string caches;
  for (const ReportedCache& cache : reported_caches()) {
    const bool is_whole = cache.bytes % 1048576 == 0;
    caches += fmt::format("{}L{} {} {}", caches.empty() ? "" : ", ", cache.level,
                          cache.bytes / (is_whole ? 1048576 : 1024), is_whole ? "MiB" : "KiB");
  }
  EXPECT_THAT(redbench("doctor").text,
              HasSubstr(caches.empty() ? "\nmissing  caches       the system tells no sizes: doctor --caches "
                                         "measures what it can\n"
                                       : "\nok       caches       " + caches +
                                             ", as the system tells; doctor --caches measures\n"));
}

TEST(DoctorLines, ProgramsAreThoseOfThePath) {
  const TemporaryFolder folder;
  const auto doctor = [&] {
    return answer_of("env PATH=" + folder.path() + " PYTHONHOME=/nowhere " REDBENCH_BINARY,
                     "doctor 2>/dev/null", folder.path());
  };
  const Answer without = doctor();
  EXPECT_EQ(without.exit_code, exit_fine);
  EXPECT_THAT(without.text,
              testing::EndsWith("\nmissing  ncu          no counters from a GPU: Nsight Compute "
                                "brings it; simt counts without\n"));
  for (const char* name : {"ncu", "nvcc"})
    fs::permissions(folder.write(name, "#!/bin/sh\n"), fs::perms::owner_all);
  const std::string with = doctor().text;
  EXPECT_THAT(with, testing::EndsWith("\nok       ncu          " + folder.path() + "/ncu\n"));
  if (version_line("cuda     ") == "not built in") {
    EXPECT_THAT(with, HasSubstr("\nmissing  CUDA         not built in, so no times from a GPU: in redbench's "
                                "source, make CUDA=ON builds it in with " +
                                folder.path() + "/nvcc\n"));
  }
  // A Python that does not begin.
  EXPECT_THAT(with, ContainsRegex("\nmissing  plots        no [^ ]*python3?: make tools sets up .venv from "
                                  "scripts/requirements.txt\n"));
}

// The symbols tell where shared variables are, the debug information which lines: each alone is not enough.
TEST(DoctorLines, AStrippedProgramHasNoLines) {
  const TemporaryFolder folder;
  folder.write("share/redbench/kernels/variant.hpp", "");
  fs::create_directory(folder.path() + "/bin");
  const std::string program = folder.path() + "/bin/redbench";
  const Answer stripped = answer_of("strip", "--strip-debug -o " + program + " " REDBENCH_BINARY, ".");
  if (stripped.exit_code != 0) GTEST_SKIP() << stripped.text;
  const std::string text =
      answer_of("env PYTHONHOME=/nowhere " + program, "doctor 2>/dev/null", folder.path()).text;
  EXPECT_THAT(text,
              HasSubstr("\nmissing  simt symbols no source lines, and static shared memory is not counted: "
                        "this program is stripped; take build/redbench, or install it without --strip\n"));
  EXPECT_THAT(text, HasSubstr("\nok       files        " + folder.path() + "/share/redbench\n"));
  EXPECT_THAT(text,
              HasSubstr("\nmissing  plots        no python3: python3 -m venv plots && plots/bin/pip install "
                        "-r '" +
                        folder.path() + "/share/redbench/scripts/requirements.txt'\n"));
  const Answer races = answer_of(program, "verify -d simt --races -b '^reduce/harris3$'", folder.path());
  EXPECT_EQ(races.exit_code, exit_usage);
  EXPECT_EQ(races.text,
            "redbench: --races: this program is stripped, so shared variables are not known; take "
            "build/redbench, or install it without --strip\n");
}

// A folder that was removed while somebody stood in it has no name any more, whatever the system lets one do
// there.
TEST(DoctorLines, AFolderThatIsGoneCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string text =
      answer_of("sh",
                "-c 'mkdir gone && cd gone && rmdir ../gone && exec " REDBENCH_BINARY " doctor' 2>/dev/null",
                folder.path())
          .text;
  EXPECT_THAT(text, testing::HasSubstr(
                        "\nmissing  disk          cannot be written: run elsewhere, or with --out DIR\n"));
}

}  // namespace
}  // namespace redbench
