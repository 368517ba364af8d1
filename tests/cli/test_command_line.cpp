// The command line's own sentences, whole, and its exit codes where the machine gives out.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/json.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::StartsWith;

TEST(ParserSentences, AreWhole) {
  for (const auto& [arguments, sentence] :
       {std::pair("run configs/quick.json --out", "redbench run: --out: a value is missing, DIR"),
        {"verify -b", "redbench verify: --variants: a value is missing, REGEX"},
        {"run configs/quick.json --out a --out b", "redbench run: --out: is given more than once"},
        {"compare a --variants x", "redbench compare: --variants: 2 values are expected, not 1"},
        {"compare a b --threshold x", "redbench compare: --threshold: a number is expected, not x"},
        {"compare a b --threshold 'x missing'",
         "redbench compare: --threshold: a number is expected, not x missing"},
        {"compare a b --threshold 'x required y'",
         "redbench compare: --threshold: a number is expected, not x required y"},
        {"compare a b --threshold 'x: At least y'",
         "redbench compare: --threshold: a number is expected, not x: At least y"},
        {"compare a b --threshold 'a = b'", "redbench compare: --threshold: a number is expected, not a = b"},
        {"list --x=3",
         "redbench list has no flag `--x`; did you mean `-h`?; redbench list --help lists them"},
        {"list -- -x", "redbench list has no flag `-x`; did you mean `-h`?; redbench list --help lists them"},
        {"--versoin=3",
         "redbench has no flag `--versoin`; did you mean `--version`?; redbench --help lists them"},
        {"run", "redbench run: CONFIG is required"},
        {"completion bsh",
         "redbench completion bsh: there is no such shell; did you mean `bash`?; there are `bash`, `fish` or "
         "`zsh`"},
        {"run ''", "redbench run: CONFIG: a name is expected, not an empty text"},
        {"run x --out ''", "redbench run: --out: a path is expected, not an empty text"},
        {"compare a ''", "redbench compare: RUN: a name is expected, not an empty text"},
        {"new-variant reduce/mine --kernels ''",
         "redbench new-variant: --kernels: a path is expected, not an empty text"},
        {"run x --seed 1 --seed 2", "redbench run: --seed: is given more than once"},
        {"plan configs/quick.json -d simt --min-samples 0",
         "configs/quick.json: $.measure.min_samples (--min-samples 0): expected a whole number from 1 to "
         "1000000, got 0"},
        {"plan configs/quick.json -d simt --max-samples x",
         "configs/quick.json: $.measure.max_samples (--max-samples x): expected a whole number from 1 to "
         "1000000, got \"x\""},
        {"plan configs/quick.json -d simt --timeout -3",
         "configs/quick.json: $.measure.timeout_s (--timeout -3): expected a number above 0, got -3"},
        {"plan configs/quick.json -d simt --mode cold,hot",
         "configs/quick.json: $.measure.mode (--mode cold,hot): unknown name `hot`; allowed are `cold`, "
         "`warm` or "
         "`graph`"},
        {"plan configs/quick.json -d simt --seed -1",
         "configs/quick.json: $.seed (--seed -1): expected a whole number from 0 to 9223372036854775807, got "
         "-1"},
        {"-x list", "redbench list has no flag `-x`; did you mean `-h`?; redbench list --help lists them"},
        // Both ends of what is allowed are allowed.
        {"why x y --width 2147483647", "x: there is no such variant"},
        {"why x y --width 0", "x: there is no such variant"},
        {"profile x --lines 2147483647", "x: neither a variant nor a file; redbench list names the variants"},
        {"profile x --lines 0", "x: neither a variant nor a file; redbench list names the variants"},
        {"verify -d simt -b '(' --schedules 1000", "-b (: not a regular expression: missing ): ("},
        {"verify -d simt -b '(' --schedules 1", "-b (: not a regular expression: missing ): ("},
        {"selftest --runs 26 nowhere.json",
         "nowhere.json: there is no such file; redbench's own configs are in configs"},
        {"selftest --runs 2 nowhere.json",
         "nowhere.json: there is no such file; redbench's own configs are in configs"},
        {"compare a b --threshold 100", "--threshold 100: 0 or more, and less than 100"},
        {"compare a b --threshold -0.5", "--threshold -0.5: 0 or more, and less than 100"},
        {"selftest --runs 1", "redbench selftest: --runs: 2 to 26, not 1"},
        {"selftest --runs 27", "redbench selftest: --runs: 2 to 26, not 27"},
        {"verify -d nowhere --schedules 0", "redbench verify: --schedules: 1 to 1000, not 0"},
        {"verify -d nowhere --schedules 1001", "redbench verify: --schedules: 1 to 1000, not 1001"},
        {"profile x --lines -1", "redbench profile: --lines: 0 to 2147483647, not -1"},
        {"why x y --width -1", "redbench why: --width: 0 to 2147483647, not -1"},
        {"list x y", "redbench list: unexpected argument `x`"},
        {"list plan", "redbench list: unexpected argument `plan`"},
        {"\"$(printf '\\377')\" list", "argument 1 is not UTF-8: \"\uFFFD\""},
        {"why reduce/harris1",
         "redbench why: one kernel is given; two kernels are held against each other, or those of a config"},
        {"why a b c",
         "redbench why: 3 names are given; two kernels are held against each other, or those of a config"},
        {"claims", "redbench claims: the folder of a run, or one above, is missing, as results/h200"},
        {"tables", "redbench tables: the folder of a run is missing"},
        {"list -b \"$(printf '\\302\\265\\377')\"", "argument 3 is not UTF-8: \"µ\uFFFD\""}}) {
    const Answer answer = redbench(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_EQ(answer.text, fmt::format("redbench: {}\n", sentence)) << arguments;
  }
}

// All that there are, with the nearest where one is meant.
TEST(ParserSentences, NameTheSubcommands) {
  const std::string all =
      "`list`, `describe`, `plan`, `run`, `verify`, `profile`, `results`, `tables`, `compare`, `selftest`, "
      "`claims`, `cachesim`, `reproduce`, `why`, `fields`, `schema`, `new-variant`, `doctor`, `completion` "
      "or "
      "`help`";
  EXPECT_EQ(redbench("").text, "redbench: a subcommand is missing: " + all + "; --help says more\n");
  EXPECT_EQ(redbench("x y").text, "redbench: there is no subcommand `x`; there are " + all + "\n");
  EXPECT_EQ(redbench("lst -d").text,
            "redbench: there is no subcommand `lst`; did you mean `list`?; there are " + all + "\n");
}

// A flag that may be given several times takes one value each time: what follows is the config.
TEST(ParserSentences, AFlagTakesOneValueEachTime) {
  const Answer answer = redbench("plan -a n=700 -a type=f64 --set seed=3 nowhere.json -d simt");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, StartsWith("redbench: nowhere.json: there is no such file; "));
}

// What was given may be endless: of a message of more than 4000 characters the start and the end are shown.
TEST(ParserSentences, AreNotEndless) {
  const auto said = [](std::size_t letters) { return redbench("list -b " + std::string(letters, 'x')).text; };
  const std::string end = ": fits no variant\n";
  EXPECT_EQ(said(3980), "redbench: -b " + std::string(3980, 'x') + end);
  EXPECT_EQ(said(3981), "redbench: -b " + std::string(3497, 'x') + " ... " + std::string(483, 'x') + end);
}

TEST(CommandOutput, AClosedStreamIsNoOtherFile) {
  const Answer closed = redbench("list >&-");
  EXPECT_EQ(closed.exit_code, exit_fine);
  EXPECT_EQ(closed.text, "");
  EXPECT_EQ(redbench("list <&- >&- 2>&-").exit_code, exit_fine);
}

// Output that is short is written at the end alone, and there, too, the reason is told.
TEST(CommandOutput, WhatCannotBeWrittenIsSaidWithItsReason) {
  for (const char* arguments : {"list -b '^reduce/harris3$'", "doctor", "run --help", "schema", "fields"}) {
    const Answer answer = redbench(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_EQ(answer.text, "redbench: standard output: No space left on device\n") << arguments;
  }
}

TEST(CommandOutput, FieldsSchemasAndCompletionAreWhatTheyAreAskedFor) {
  const auto starts = [](const std::string& arguments, const std::string& text) {
    const Answer answer = redbench(arguments);
    EXPECT_EQ(answer.exit_code, exit_fine) << arguments;
    EXPECT_THAT(answer.text, StartsWith(text)) << arguments;
    return answer.text;
  };
  starts("fields", "| field | meaning | null where |\n| --- | --- | --- |\n| `schema` | ");
  const std::string record = starts("fields --schema", "{\n \"$schema\": ");
  EXPECT_EQ(record, Json::parse(record).dump(1) + '\n');
  const std::string draft = "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": ";
  starts("schema", draft + "\"A redbench config\",\n");
  starts("schema --claims", draft + "\"Claims of a paper\",\n");
  const std::string keys =
      "### At the top\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n| `";
  EXPECT_THAT(starts("schema --markdown", keys), HasSubstr("| `experiments` | "));
  EXPECT_THAT(starts("schema --markdown --claims", keys), HasSubstr("| `claims` | "));
  starts("completion bash", "# bash completion of redbench: ");
}

TEST(CommandOutput, TheHelpIsOnItsLines) {
  const Answer help = redbench("--help");
  EXPECT_EQ(help.exit_code, exit_fine);
  EXPECT_THAT(help.text,
              StartsWith("redbench: which GPU reduction is fastest, by how much, and why.\n"
                         "\n"
                         "Usage: redbench [OPTIONS] SUBCOMMAND\n"
                         "\n"
                         "Options:\n"
                         "  -h,--help   prints this text\n"
                         "  --version   prints version, commit, build and devices\n"
                         "\n"
                         "Subcommands:\n"
                         "  list        the variants: name, order of the operator, devices, title\n"
                         "  describe    one variant: its card, what it takes, its launches; or a problem\n"));
  EXPECT_THAT(
      help.text,
      testing::EndsWith("\n  help        what a command does, as its --help; all commands as a man page\n"
                        "\n"
                        "redbench COMMAND --help says more about one, with examples.\n"
                        "Exit codes: 0 fine, 1 a case failed or regressed, 2 usage or config, 3 a\n"
                        "comparison is undecided, 4 a wrong result, 130 interrupted and resumable.\n"));
}

// A path that may be left out takes one word: the next is an argument again.
TEST(ParserSentences, AnOptionalPathIsOneWord) {
  const TemporaryFolder folder;
  EXPECT_EQ(redbench("claims --json claims.json nowhere", folder.path()).text,
            "redbench: nowhere: no such folder; `redbench run` makes results/\n");
}

// A file of 2^28 labels, of which the disk holds none, where there are addresses of 800 MB.
TEST(OutOfMemory, EndsInASentence) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer takes more addresses than there are here";
  const TemporaryFolder folder;
  std::string labels = npy_of<int>("<i4", {});
  labels.replace(labels.find("(0,), }"), 7, "(268435456,), }");
  labels[8] = char(labels[8] + 8);
  const std::string file = folder.write("l.npy", labels);
  fs::resize_file(file, labels.size() + (std::uintmax_t(4) << 28));
  folder.write("l.json", R"({"experiments": [{"problem": "multireduce", "variants": ["cpu_sequential"],
    "axes": {"n": "2^28", "m": 16, "labels": {"file": "l.npy"}}}]})");
  const Answer host =
      answer_of("sh", "-c 'ulimit -v 800000; " REDBENCH_BINARY " plan l.json -d host'", folder.path());
  EXPECT_EQ(host.exit_code, exit_failed);
  EXPECT_EQ(host.text, "redbench: the machine's memory does not suffice\n");
  const Answer modelled =
      answer_of("sh", "-c 'ulimit -v 800000; " REDBENCH_BINARY " plan l.json -d simt'", folder.path());
  EXPECT_EQ(modelled.exit_code, exit_failed);
  EXPECT_EQ(modelled.text,
            "redbench: no range of addresses of at least 1 GiB for the modelled device's memory\n");
}

}  // namespace
}  // namespace redbench
