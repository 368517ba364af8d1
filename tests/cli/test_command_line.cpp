// The command line as a user meets it: its own sentences, its exit codes, and where the machine gives out.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::StartsWith;

void expect_usage(const std::string& arguments, const std::string& message) {
  const Answer answer = redbench(arguments);
  EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
  EXPECT_THAT(answer.text, StartsWith("redbench: ")) << arguments;
  EXPECT_THAT(answer.text, HasSubstr(message)) << arguments;
}

TEST(CommandLine, AMistakeIsASentence) {
  std::string text;
  for (
      const std::string arguments :
      {"run configs/quick.json --out", "run configs/quick.json --out a --out b", "compare a --variants x",
       "compare a b --threshold x", "compare a b --threshold ''", "compare a b --threshold 0x10",
       "run x --out --replace", "compare a b --json --md x", "why reduce/harris1 reduce/harris2 --n ''",
       "list --jsn", "list x y", "run", "completion bsh", "run ''", "run x --out ''",
       "plan configs/quick.json -d simt --min-samples 0", "describe harris3", "why reduce/harris1",
       // The value of a flag that may be given several times, or left out, is one word: the next is an argument.
       "plan -a n=700 -a type=f64 --set seed=3 nowhere.json -d simt", "claims --json claims.json nowhere",
       "tables", "help worker --man", "verify -d simt -b '(' --schedules 1",
       "verify -d nowhere --schedules 0", "verify -d simt --schedules 3x",
       "list -b \"$(printf '\\302\\265\\377')\""}) {
    const Answer answer = redbench(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    text += "$ redbench " + arguments + "\n" + answer.text;
  }
  expect_golden("cli/mistakes.txt", text);
}

TEST(CommandLine, AnUnknownCommandGetsTheNearestOne) {
  expect_usage("", "redbench: a subcommand is missing: `list`, `describe`, ");
  expect_usage("lst -d", "there is no subcommand `lst`; did you mean `list`?; there are `list`, ");
  expect_usage("help cmpare", "there is no command `cmpare`; did you mean `compare`?; there are `list`, ");
  expect_usage("worke", "there is no subcommand `worke`; there are `list`");  // the worker is for no user
}

TEST(CommandLine, WhereNothingCanRunNothingIsMade) {
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.json", R"({"experiments": [{"problem": "reduce", "variants": ["cub"], "axes": {"n": 1000}}]})");
  for (const std::string command : {"run", "profile"})
    expect_usage(command + " " + config + " -d simt -o " + folder.path() + "/out",
                 "nothing can run: the one case is refused, reduce/cub: ");
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
  const Answer host = answer_of("env OMP_NUM_THREADS=99999 " REDBENCH_BINARY,
                                "run configs/quick.json -d host --dry-run", REDBENCH_SOURCE_DIR);
  EXPECT_EQ(host.exit_code, exit_usage) << host.text;
  EXPECT_THAT(host.text, HasSubstr("OMP_NUM_THREADS: 99999 threads; 1 to "));
  const Answer read = answer_of("env OMP_NUM_THREADS=999999 " REDBENCH_BINARY,
                                "results results/h200/slides/table", REDBENCH_SOURCE_DIR);
  EXPECT_EQ(read.exit_code, exit_fine) << "records are read by as many threads as there are cores";
}

// Short output is written at the end alone, and there, too, the reason is printed.
TEST(CommandLine, WhatCannotBePrintedIsAMistake) {
  for (const char* arguments : {"list", "--version", "run --help"}) {
    const Answer answer = redbench(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_EQ(answer.text, "redbench: standard output: No space left on device\n") << arguments;
  }
}

// Else the next file that is opened would have its number, and what is printed would land there.
TEST(CommandLine, AClosedStreamIsNoOtherFile) {
  const Answer closed = redbench("list >&-");
  EXPECT_EQ(closed.exit_code, exit_fine);
  EXPECT_EQ(closed.text, "");
  EXPECT_EQ(redbench("list <&- >&- 2>&-").exit_code, exit_fine);
}

TEST(CommandLine, VersionHasCommitBuildAndDevices) {
  const Answer answer = redbench("--version");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.text,
              testing::MatchesRegex("redbench [0-9.]+\n"
                                    "commit   ([0-9a-f]{12,40}(-dirty)?|unknown)\n"
                                    "build    [A-Za-z]+, .+\n"
                                    "cuda     (not built in|toolkit [0-9.]+ for (sm|compute)_.+)\n"
                                    "simt     .*gtx480, .*\n"
                                    "host     .+\n"));
}

}  // namespace
}  // namespace redbench
