// The command line as a user meets it: what is printed, the exit code, and that mistakes leave nothing
// behind.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

void expect_usage(const std::string& arguments, const std::string& message) {
  const Answer answer = redbench(arguments);
  EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
  EXPECT_THAT(answer.text, StartsWith("redbench: ")) << arguments;
  EXPECT_THAT(answer.text, HasSubstr(message)) << arguments;
}

TEST(CommandLine, UnknownNamesGetTheNearestOne) {
  expect_usage("lst", "there is no subcommand `lst`; did you mean `list`?");
  expect_usage("list --jsn", "redbench list has no flag `--jsn`; did you mean `--json`?");
  expect_usage("plan configs/martin2012/fig4.json --devce=simt",
               "redbench plan has no flag `--devce`; did you mean `--device`?");
  expect_usage("--versoin", "redbench has no flag `--versoin`; did you mean `--version`?");
  expect_usage("describe reduce/haris3",
               "there is no variant or problem `reduce/haris3`; did you mean `reduce/harris3`?");
  expect_usage("plan configs/martin2012/fig4.json -d simt:gtx490", "did you mean `gtx480`?");
}

TEST(CommandLine, ANameWithoutItsProblemOrEndingIsKnown) {
  expect_usage("describe harris3", "did you mean `reduce/harris3`?");
  expect_usage("describe haris3", "did you mean `reduce/harris3`?");
  expect_usage("describe redcue", "did you mean `reduce`?");
  expect_usage("profile harris3", "did you mean `reduce/harris3`?");
  expect_usage("profile configs/quik.json", "did you mean `configs/quick.json`?");
  expect_usage("run quick", "did you mean `configs/quick.json`?");
}

TEST(CommandLine, WhereNothingCanRunItIsAMistake) {
  expect_usage("verify -d host -b '^reduce/harris3$'", "nothing can run: all ");
  expect_usage("verify -d simt --schedules 1000000 -b '^reduce/harris3$'",
               "--schedules: 1 to 1000, not 1000000");
  expect_usage("verify -d simt --schedules 99999999999", "--schedules: 1 to 1000, not 99999999999");
  expect_usage("verify -d simt --schedules 3x", "--schedules: 1 to 1000, not 3x");
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.json", R"({"experiments": [{"problem": "reduce", "variants": ["cub"], "axes": {"n": 1000}}]})");
  for (const std::string command : {"run", "profile"})
    expect_usage(command + " " + config + " -d simt -o " + folder.path() + "/out",
                 "nothing can run: the one case is refused, reduce/cub: ");
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
}

TEST(CommandLine, AnInputThatDoesNotFitEveryCaseIsAMistake) {
  const TemporaryFolder folder;
  folder.write("values.npy", npy_of<int>("<i4", {1, 2, 3}));
  folder.write("offsets.npy", npy_of<std::int64_t>("<i8", {0, 1, 3}));
  const std::string reduce =
      folder.write("reduce.json", R"({"experiments": [{"problem": "reduce", "variants": ["harris3"],
        "axes": {"n": [3, 1000], "values": {"file": "values.npy"}}}]})");
  const std::string segreduce =
      folder.write("segreduce.json", R"({"experiments": [{"problem": "segreduce", "variants": ["*"],
        "axes": {"n": [3, 1000], "segments": {"file": "offsets.npy"}}}]})");
  for (const std::string command : {"plan", "run"}) {
    expect_usage(command + " " + reduce + " -d simt",
                 "reduce.json: reduce n=1000 type=i32 operator=sum: " + folder.path() +
                     "/values.npy holds 3 values, n asks for 1000");
    expect_usage(command + " " + segreduce + " -d simt", "cuts 3 values into segments, but n is 1000");
  }
  EXPECT_EQ(redbench("plan " + reduce + " -d simt -a n=2,3").exit_code, exit_fine);
}

TEST(Results, ADamagedRunDoesNotHideItsSiblings) {
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.json", R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1000}}]})");
  for (const std::string name : {"a", "b", "c", "d"})
    ASSERT_EQ(redbench("run " + config + " -d simt -q -o " + folder.path() + "/runs/" + name).exit_code, 0);
  fs::remove(folder.path() + "/runs/a/run.json");
  fs::create_directory(folder.path() + "/runs/a/run.json");
  std::ofstream(folder.path() + "/runs/b/records.jsonl", std::ios::app) << "\xff\n";
  fs::remove(folder.path() + "/runs/c/records.jsonl");
  fs::create_directory(folder.path() + "/runs/c/records.jsonl");
  const Answer answer = redbench("results " + folder.path() + "/runs");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("runs/a/run.json: missing, or not redbench's"));
  EXPECT_THAT(answer.text, HasSubstr("; remove that line, and `--resume` makes its case again"));
  EXPECT_THAT(answer.text, HasSubstr("runs/b/records.jsonl:2: line 1, column 1: "));
  EXPECT_THAT(answer.text, HasSubstr("runs/c/records.jsonl: cannot be read: it is no file"));
  EXPECT_THAT(answer.text, HasSubstr("1 record, 0 stale; 3 of the runs cannot be read"));
  for (const char* more : {"", " --resume", " --replace"}) {
    const Answer run = redbench("run " + config + " -d simt -q -o " + folder.path() + "/runs/a" + more);
    EXPECT_EQ(run.exit_code, exit_usage);
    EXPECT_THAT(run.text, HasSubstr("run.json: not redbench's, so the folder stays as it is"));
  }
}

TEST(CommandLine, WhatCannotBePrintedIsAMistake) {
  for (const char* arguments : {"list", "describe reduce/harris3", "--version", "fields", "run --help",
                                "verify -d simt -b '^reduce/harris3$' --json"}) {
    const Answer answer = redbench(std::string(arguments) + " >/dev/full");
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_THAT(answer.text, HasSubstr("redbench: standard output: No space left on device")) << arguments;
  }
}

TEST(CommandLine, AnEmptyNameIsAMistake) {
  for (const char* arguments :
       {"run ''", "run configs/quick.json --out ''", "run configs/quick.json --csv ''", "compare a ''",
        "run configs/quick.json --json ''", "tables ''", "new-variant reduce/mine --kernels ''"})
    expect_usage(arguments, "is expected, not an empty text");
}

TEST(CommandLine, WhatTheParserSaysNamesWhatIsAllowed) {
  expect_usage("run configs/quick.json --out a --out b", "--out: is given more than once");
  expect_usage("run configs/quick.json --out", "--out: a value is missing, DIR");
  expect_usage("compare a --variants x", "--variants: 2 values are expected, not 1");
  expect_usage("run configs/quick.json --seed -1", "$.seed (--seed -1): expected a whole number");
  expect_usage("compare a b --threshold x", "--threshold: a number is expected, not x");
}

TEST(CommandLine, TooManyThreadsAreRefusedByTheNameOfTheirVariable) {
  const Answer host = answer_of("env OMP_NUM_THREADS=99999 " REDBENCH_BINARY,
                                "run configs/quick.json -d host --dry-run", REDBENCH_SOURCE_DIR);
  EXPECT_EQ(host.exit_code, exit_usage) << host.text;
  EXPECT_THAT(host.text, HasSubstr("OMP_NUM_THREADS: 99999 threads; 1 to "));
}

TEST(CommandLine, AModeThatNoCaseHasIsAMistake) {
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.json", R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1000}}]})");
  expect_usage("run " + config + " -d simt --mode graph -o " + folder.path() + "/out",
               "nothing can run: the one case is refused, reduce/harris3: mode graph: only CUDA");
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
}

TEST(CommandLine, MissingAndSurplusArguments) {
  expect_usage("", "a subcommand is missing: `list`");
  expect_usage("plan", "CONFIG is required");
  expect_usage("plan a.json b.json", "redbench plan: unexpected argument `b.json`");
  expect_usage("list -b", "redbench list: ");
  expect_usage("plan nowhere.json -d simt", "nowhere.json: there is no such file");
  expect_usage("list -b '('", "-b (: not a regular expression");
  expect_usage("list -b nothing_has_this_name", "fits no variant");
}

TEST(CommandLine, TheHelpNamesWhatIsThere) {
  const Answer help = redbench("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* name :
       {"list", "describe", "plan", "run", "verify", "results", "schema", "new-variant", "doctor"})
    EXPECT_THAT(help.text, HasSubstr(std::string("\n  ") + name + " "));
  EXPECT_THAT(help.text, Not(HasSubstr("worker")));
  for (const char* name : {"list", "describe", "plan", "run", "verify", "schema", "new-variant", "doctor"}) {
    const Answer answer = redbench(std::string(name) + " --help");
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_THAT(answer.text, HasSubstr("Examples:\n  redbench " + std::string(name))) << name;
  }
}

TEST(CommandLine, BytesThatAreNotUtf8AreRefusedBeforeAnythingIsTouched) {
  const TemporaryFolder folder;
  folder.write(
      "c.json",
      R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": [1, 2], "values": "equal"}}]})");
  const std::string run = "run " + folder.path() + "/c.json -d simt -q -o " + folder.path() + "/out";
  ASSERT_EQ(redbench(run).exit_code, exit_fine);
  const auto written = fs::last_write_time(folder.path() + "/out/records.jsonl");
  expect_usage(run + " --replace --csv " + folder.path() + "/$(printf 'a\\377b').csv",
               "argument 10 is not UTF-8: ");
  expect_usage("list -b $(printf '\\377')", "argument 3 is not UTF-8: ");
  EXPECT_EQ(fs::last_write_time(folder.path() + "/out/records.jsonl"), written);
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

TEST(CommandLine, AConfigThatIsNotThereGetsTheNearestOne) {
  const TemporaryFolder folder;
  folder.write("mine.json", "{}");
  const std::string own = REDBENCH_SOURCE_DIR "/configs";
  const auto message = [&](const std::string& config, const std::string& from) {
    const Answer answer = redbench("plan " + config, from);
    EXPECT_EQ(answer.exit_code, exit_usage) << config;
    return answer.text;
  };
  const auto sentence = [](const std::string& config, const std::string& hint) {
    return "redbench: " + config + ": there is no such file; " + hint + "\n";
  };
  const auto meant = [](const std::string& config) { return "did you mean `" + config + "`?"; };
  EXPECT_EQ(message("mien.json", folder.path()), sentence("mien.json", meant("mine.json")));
  EXPECT_EQ(message("configs/quik.json", REDBENCH_SOURCE_DIR),
            sentence("configs/quik.json", meant("configs/quick.json")));
  EXPECT_EQ(message("quick.json", REDBENCH_SOURCE_DIR), sentence("quick.json", meant("configs/quick.json")));
  EXPECT_EQ(message("configs/quick.json", folder.path()),
            sentence("configs/quick.json", meant(own + "/quick.json")));
  EXPECT_EQ(message("martin2012/fg4.json", folder.path()),
            sentence("martin2012/fg4.json", meant(own + "/martin2012/fig4.json")));
  EXPECT_EQ(message("nowhere.json", folder.path()),
            sentence("nowhere.json", "redbench's own configs are in " + own));
  std::filesystem::create_symlink("/nowhere", folder.path() + "/dangling.json");
  EXPECT_EQ(message("dangling.json", folder.path()),
            sentence("dangling.json", "redbench's own configs are in " + own));
}

TEST(List, JsonHasEveryCardByName) {
  const Answer answer = redbench("list --json");
  ASSERT_EQ(answer.exit_code, 0);
  const Json list = Json::parse(answer.text);
  for (const char* name : {"harris1",
                           "harris2",
                           "harris3",
                           "harris4",
                           "harris5",
                           "harris6",
                           "harris7",
                           "tb2",
                           "tb4_warp",
                           "matrix",
                           "persistent_matrix",
                           "diffwarps",
                           "shuffle_two_pass",
                           "shuffle_warp_atomic",
                           "shuffle_block_atomic",
                           "shuffle_two_pass_vec2",
                           "shuffle_warp_atomic_vec2",
                           "shuffle_block_atomic_vec2",
                           "shuffle_two_pass_vec4",
                           "shuffle_warp_atomic_vec4",
                           "shuffle_block_atomic_vec4",
                           "shuffle_two_pass_unrolled",
                           "shuffle_warp_atomic_unrolled",
                           "shuffle_block_atomic_unrolled",
                           "cub",
                           "thrust",
                           "cpu_serial",
                           "cpu_openmp"})
    EXPECT_TRUE(list.contains(std::string("reduce/") + name)) << name;
  EXPECT_TRUE(list.contains("triple_reduce/one_by_one"));
  EXPECT_TRUE(list.contains("triple_reduce/interleaved"));
  EXPECT_TRUE(list.contains("triple_reduce/one_by_one_unrolled"));
  EXPECT_TRUE(list.contains("triple_reduce/interleaved_unrolled"));

  const Json& card = list["reduce/harris3"];
  EXPECT_EQ(card["order"], "commutative");
  EXPECT_EQ(card["file"], "kernels/reduce/harris3.cu");
  EXPECT_EQ(card["source_hash"]["simt"].get<std::string>().size(), 16u);
  EXPECT_EQ(card["parameters"][0]["name"], "block");
  EXPECT_EQ(card["maximum_n"], Index(1) << 31);
  EXPECT_EQ(card["devices"]["simt"]["takes"]["f32"], Json({"sum", "min", "max", "product"}));
  EXPECT_EQ(card["devices"]["simt"]["refuses"]["u32"]["affine"], "needs a commutative operator");
}

TEST(List, JsonIsIndentedForReaders) {
  EXPECT_THAT(redbench("list -b '^reduce/harris3$' --json").text,
              StartsWith("{\n  \"reduce/harris3\": {\n    \"problem\": \"reduce\",\n"));
}

TEST(List, ALineHasNameOrderDevicesAndTitle) {
  EXPECT_THAT(redbench("list -b '^reduce/cpu_serial$'").text,
              StartsWith("reduce/cpu_serial  any          host       one loop on one core"));
  EXPECT_THAT(
      redbench("list -b '^reduce/harris3$'").text,  // with CUDA built in and without
      testing::MatchesRegex("reduce/harris3  commutative  (simt     |cuda simt)  sequential addressing\n"));
}

TEST(List, OrderIsNaturalAndPicked) {
  const Answer answer = redbench("list -b '^reduce/harris'");
  std::size_t at = 0;
  for (int i = 1; i <= 7; ++i) {
    const std::size_t next = answer.text.find("reduce/harris" + std::to_string(i));
    ASSERT_NE(next, std::string::npos);
    EXPECT_GE(next, at);
    at = next;
  }
  EXPECT_THAT(answer.text, Not(HasSubstr("tb2")));
}

TEST(Describe, SaysWhatTheCardSays) {
  const Answer answer = redbench("describe reduce/harris3 -d simt:gtx480 --n 1Mi");
  EXPECT_EQ(answer.exit_code, 0);
  for (const char* part :
       {"reduce/harris3: sequential addressing", "kernels/reduce/harris3.cu", "a commutative operator",
        "block = 256 (32 to 1024, powers of two)", "needs a commutative operator", "4096, 16, 1"})
    EXPECT_THAT(answer.text, HasSubstr(part));
  EXPECT_THAT(answer.text, HasSubstr("\n  needs       a commutative operator, n up to 2147483648\n"));
  EXPECT_THAT(redbench("describe segreduce/tb2").text,
              HasSubstr("\n  needs       nothing: any associative operator, kept in input order\n"));
}

// Of its first pair, which a variant may refuse, the example would have no launches.
TEST(Describe, TheExampleIsOfAPairThatItTakes) {
  const Answer trish = redbench("describe histogram/trish -d simt:gtx480 --n 4Ki");
  EXPECT_THAT(trish.text, HasSubstr("\n  needs       a commutative operator, m up to 256\n"));
  EXPECT_THAT(trish.text, HasSubstr("\nhistogram/trish  4Ki  u8    sum "));
  EXPECT_THAT(trish.text, HasSubstr("1 case in 1 cell, 0 refused"));
  // Of one that takes none, it shows why.
  const Answer cub = redbench("describe histogram/cub -d simt:gtx480 --n 4Ki");
  EXPECT_EQ(cub.exit_code, 0);
  EXPECT_THAT(cub.text, HasSubstr("refused: `sum` of u32: only a library call"));
  EXPECT_THAT(cub.text, HasSubstr("1 case in 1 cell, 1 refused"));
}

TEST(PlanCommand, JsonAgreesWithTheTable) {
  const Answer answer = redbench("plan configs/martin2012/fig4.json -d simt:gtx480 -a n=1Mi,2Mi --json");
  ASSERT_EQ(answer.exit_code, 0);
  const Json plan = Json::parse(answer.text);
  EXPECT_EQ(plan["cases"], 10);
  EXPECT_EQ(plan["runnable"], 10);
  EXPECT_EQ(plan["device"], "simt:gtx480");
  EXPECT_EQ(plan["cells"][0]["n"], 1 << 20);
  const Json& diffwarps = plan["cells"][0]["cases"][4];
  EXPECT_EQ(diffwarps["variant"], "reduce/diffwarps");
  EXPECT_EQ(diffwarps["launches"][0]["blocks"], 75);
  EXPECT_EQ(diffwarps["launches"][0]["threads"], 288);
  EXPECT_TRUE(diffwarps["refusal"].is_null());
  EXPECT_EQ(plan["config"]["experiments"][0]["axes"]["n"], Json({1 << 20, 1 << 21}));
}

TEST(PlanCommand, ConfigMistakesEndInExitCodeTwo) {
  const TemporaryFolder folder;
  const auto plan = [&](const std::string& text) { return "plan -d simt " + folder.write("x.json", text); };
  expect_usage(plan("{"), "x.json: line 1, column 2");
  expect_usage(plan(R"({"experimets": []})"), "$.experimets: unknown key");
  expect_usage(
      plan(R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": "2^50"}}]})"),
      "$.experiments[0].axes.n: 2^50 is too large");
  expect_usage("plan configs/martin2012/fig4.json -d simt -a blok=3", "-a blok=3: no experiment");
  expect_usage("plan configs/martin2012/fig4.json -d simt --max-noise=-1",
               "$.measure.max_noise (--max-noise -1)");
}

TEST(Doctor, EveryLineIsAVerdict) {
  const Answer answer = redbench("doctor");
  EXPECT_EQ(answer.exit_code, 0);
  std::istringstream lines(answer.text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_TRUE(line.starts_with("ok       ") ||
                (line.starts_with("missing  ") && line.find(": ") != line.npos))
        << line;
  EXPECT_GE(count, 9);
  for (const char* device : {" CUDA ", " GPU", " simt:gtx480 ", " host "})
    EXPECT_THAT(answer.text, HasSubstr(device));
  EXPECT_THAT(answer.text, Not(HasSubstr("simt symbols"))) << "the program of the tests is not stripped";
}

TEST(Doctor, TheBuildIsThatOfTheVersion) {
  const std::string doctor = redbench("doctor").text, version = redbench("--version").text;
  const std::size_t at = version.find("\ncommit   ") + 10;
  const std::string commit = version.substr(at, version.find('\n', at) - at);
  EXPECT_THAT(doctor,
              HasSubstr(commit == "unknown" ? "\nmissing  commit       records do not name their source: "
                                            : "\nok       commit       " + commit + "\n"));
  const bool has_cuda = version.find("\ncuda     not built in\n") == version.npos;
  EXPECT_THAT(doctor, HasSubstr(has_cuda ? "\nok       CUDA         toolkit "
                                         : "\nmissing  CUDA         not built in, so no times from a GPU: "));
}

TEST(Doctor, AFolderThatCannotBeWrittenIsSaid) {
  EXPECT_THAT(redbench("doctor", "/proc").text,  // root may, but there is no room
              testing::ContainsRegex(
                  "\nmissing  disk +(/proc cannot be written|0.0 GiB free in /proc): .*--out DIR"));
  EXPECT_THAT(redbench("doctor", testing::TempDir()).text, HasSubstr("\nok       disk "));
}

}  // namespace
}  // namespace redbench
