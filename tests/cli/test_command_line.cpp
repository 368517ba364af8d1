// The command line as a user meets it: its own sentences, its exit codes, and where the machine gives out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

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

TEST(CommandLine, AMistakeIsSaidInASentence) {
  for (
      const auto& [arguments, sentence] :
      {std::pair("run configs/quick.json --out", "redbench run: --out: a value is missing, DIR"),
       {"run configs/quick.json --out a --out b", "redbench run: --out: is given more than once"},
       {"compare a --variants x", "redbench compare: --variants: 2 values are expected, not 1"},
       {"compare a b --threshold x", "redbench compare: --threshold: a number is expected, not x"},
       {"list --jsn",
        "redbench list has no flag `--jsn`; did you mean `--json`?; redbench list --help lists them"},
       {"list x y", "redbench list: unexpected argument `x`"},
       {"run", "redbench run: CONFIG is required"},
       {"completion bsh",
        "redbench completion bsh: there is no such shell; did you mean `bash`?; there are `bash`, `fish` or "
        "`zsh`"},
       {"run ''", "redbench run: CONFIG: a name is expected, not an empty text"},
       {"run x --out ''", "redbench run: --out: a path is expected, not an empty text"},
       {"plan configs/quick.json -d simt --min-samples 0",
        "configs/quick.json: $.measure.min_samples (--min-samples 0): expected a whole number from 1 to "
        "1000000, got 0"},
       {"describe harris3",
        "there is no variant or problem `harris3`; did you mean `reduce/harris3`?; redbench list names them"},
       {"why reduce/harris1",
        "redbench why: one kernel is given; two kernels are compared, or those of a config"},
       // The value of a flag that may be given several times, or left out, is one word: the next is an argument.
       {"plan -a n=700 -a type=f64 --set seed=3 nowhere.json -d simt",
        "nowhere.json: there is no such file; redbench's own configs are in configs"},
       {"claims --json claims.json nowhere", "nowhere: no such folder; `redbench run` makes results/"},
       {"tables", "redbench tables: the folder of a run is missing"},
       {"help worker --man", "redbench help: --man is the page of all commands, and takes none"},
       {"verify -d simt -b '(' --schedules 1", "-b (: not a regular expression: missing ): ("},
       {"verify -d nowhere --schedules 0", "redbench verify: --schedules: 1 to 1000, not 0"},
       {"verify -d simt --schedules 3x", "redbench verify: --schedules: 1 to 1000, not 3x"},
       {"list -b \"$(printf '\\302\\265\\377')\"", "argument 3 is not UTF-8: \"µ\uFFFD\""}}) {
    const Answer answer = redbench(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_EQ(answer.text, fmt::format("redbench: {}\n", sentence)) << arguments;
  }
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
}

// Short output is written at the end alone, and there, too, the reason is told.
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
