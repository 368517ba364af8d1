// The command line as a user meets it: its own sentences, its exit codes, and where the machine gives out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/sanitizer_support.hpp"
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
       {"run x --seed 1 --seed 2", "redbench run: --seed: is given more than once"},
       {"compare a --variants x", "redbench compare: --variants: 2 values are expected, not 1"},
       {"compare a b --threshold x", "redbench compare: --threshold: a number is expected, not x"},
       {"compare a b --threshold 'x: At least y'",
        "redbench compare: --threshold: a number is expected, not x: At least y"},
       {"compare a b --threshold 100", "--threshold 100: 0 or more, and less than 100"},
       {"list --jsn",
        "redbench list has no flag `--jsn`; did you mean `--json`?; redbench list --help lists them"},
       {"--versoin=3",
        "redbench has no flag `--versoin`; did you mean `--version`?; redbench --help lists them"},
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
       {"plan configs/quick.json -d simt --mode cold,hot",
        "configs/quick.json: $.measure.mode (--mode cold,hot): unknown name `hot`; allowed are `cold`, "
        "`warm` or `graph`"},
       {"plan configs/quick.json -d simt --seed -1",
        "configs/quick.json: $.seed (--seed -1): expected a whole number from 0 to 9223372036854775807, got "
        "-1"},
       {"list -b '('", "-b (: not a regular expression: missing ): ("},
       {"describe harris3",
        "there is no variant or problem `harris3`; did you mean `reduce/harris3`?; redbench list names them"},
       {"why reduce/harris1",
        "redbench why: one kernel is given; two kernels are compared, or those of a config"},
       {"claims", "redbench claims: the folder of a run, or one above, is missing, as results/h200"},
       {"tables", "redbench tables: the folder of a run is missing"},
       {"help worker --man", "redbench help: --man is the page of all commands, and takes none"},
       // Both ends of a range are allowed.
       {"selftest --runs 26 nowhere.json",
        "nowhere.json: there is no such file; redbench's own configs are in configs"},
       {"selftest --runs 27", "redbench selftest: --runs: 2 to 26, not 27"},
       {"verify -d simt -b '(' --schedules 1", "-b (: not a regular expression: missing ): ("},
       {"verify -d nowhere --schedules 0", "redbench verify: --schedules: 1 to 1000, not 0"},
       {"verify -d simt --schedules 99999999999", "redbench verify: --schedules: 1 to 1000, not 99999999999"},
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

TEST(CommandLine, AConfigThatIsNotThereGetsTheNearestOne) {
  const TemporaryFolder folder;
  folder.write("mine.json", "{}");
  const std::string own = REDBENCH_SOURCE_DIR "/configs";
  const auto meant = [](const std::string& config) { return "did you mean `" + config + "`?"; };
  for (const auto& [config, hint] : {std::pair<std::string, std::string>("mien.json", meant("mine.json")),
                                     {"configs/quick.json", meant(own + "/quick.json")},
                                     {"martin2012/fg4.json", meant(own + "/martin2012/fig4.json")},
                                     {"nowhere.json", "redbench's own configs are in " + own}})
    EXPECT_EQ(redbench("plan " + config, folder.path()).text,
              "redbench: " + config + ": there is no such file; " + hint + "\n");
  expect_usage("run quick", "did you mean `configs/quick.json`?");
}

// A value of a flag that may be given several times, or left out, is one word: the next is an argument.
TEST(CommandLine, AFlagTakesOneValueEachTime) {
  expect_usage("plan -a n=700 -a type=f64 --set seed=3 nowhere.json -d simt",
               "redbench: nowhere.json: there is no such file; ");
  const TemporaryFolder folder;
  EXPECT_EQ(redbench("claims --json claims.json nowhere", folder.path()).text,
            "redbench: nowhere: no such folder; `redbench run` makes results/\n");
}

TEST(CommandLine, WhereNothingCanRunNothingIsMade) {
  expect_usage("verify -d host -b '^reduce/harris3$'", "nothing can run: all ");
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

TEST(CommandLine, BytesThatAreNotUtf8AreRefusedBeforeAnythingIsTouched) {
  const TemporaryFolder folder;
  folder.write("c.json",
               R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": [1, 2]}}]})");
  const std::string run = "run " + folder.path() + "/c.json -d simt -q -o " + folder.path() + "/out";
  ASSERT_EQ(redbench(run).exit_code, exit_fine);
  const auto written = fs::last_write_time(folder.path() + "/out/records.jsonl");
  expect_usage(run + " --replace --csv " + folder.path() + "/$(printf 'a\\377b').csv",
               "argument 10 is not UTF-8: ");
  EXPECT_EQ(fs::last_write_time(folder.path() + "/out/records.jsonl"), written);
}

// What was given may be endless: of a message of more than 4000 characters the start and the end are shown.
TEST(CommandLine, AMessageIsNotEndless) {
  const auto answer = [](std::size_t letters) {
    return redbench("list -b " + std::string(letters, 'x')).text;
  };
  const std::string end = ": fits no variant\n";
  EXPECT_EQ(answer(3980), "redbench: -b " + std::string(3980, 'x') + end);
  EXPECT_EQ(answer(3981), "redbench: -b " + std::string(3497, 'x') + " ... " + std::string(483, 'x') + end);
}

// Short output is written at the end alone, and there, too, the reason is told.
TEST(CommandLine, WhatCannotBePrintedIsAMistake) {
  for (const char* arguments : {"list", "doctor", "--version", "run --help", "schema",
                                "verify -d simt -b '^reduce/harris3$' --small --json"}) {
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
                                    "commit   ([0-9a-f]{12}(-dirty)?|unknown)\n"
                                    "build    [A-Za-z]+, .+\n"
                                    "cuda     (not built in|toolkit [0-9.]+ for (sm|compute)_.+)\n"
                                    "simt     .*gtx480, .*\n"
                                    "host     .+\n"));
}

// A file of 2^28 labels, of which the disk holds none, where there are addresses of 800 MB.
TEST(CommandLine, WithoutMemoryItEndsInASentence) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer takes more addresses than there are here";
  const TemporaryFolder folder;
  std::string labels = npy_of<int>("<i4", {});
  labels.replace(labels.find("(0,), }"), 7, "(268435456,), }");
  labels[8] = char(labels[8] + 8);
  const std::string file = folder.write("l.npy", labels);
  fs::resize_file(file, labels.size() + (std::uintmax_t(4) << 28));
  folder.write("l.json", R"({"experiments": [{"problem": "multireduce", "variants": ["cpu_sequential"],
    "axes": {"n": "2^28", "m": 16, "labels": {"file": "l.npy"}}}]})");
  for (const auto& [device, sentence] :
       {std::pair("host", "the machine's memory does not suffice"),
        {"simt", "no range of addresses of at least 1 GiB for the modelled device's memory"}}) {
    const Answer answer =
        answer_of("sh", fmt::format("-c 'ulimit -v 800000; " REDBENCH_BINARY " plan l.json -d {}'", device),
                  folder.path());
    EXPECT_EQ(answer.exit_code, exit_failed);
    EXPECT_EQ(answer.text, fmt::format("redbench: {}\n", sentence));
  }
}

}  // namespace
}  // namespace redbench
