// Axes of the command line, names that are nearly one, and files that are named with more than their path.
#include <fmt/format.h>

#include "src/config/axes.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

Overrides with(const std::vector<std::string>& axes, const std::string& variants = {}) {
  return {.axes = axes, .sets = {}, .variants = variants};
}

// Two letters of seven are wrong: of three no variant would be told.
TEST_F(ConfigFile, TheNearestVariantIsThatOfAllLettersAfterTheProblem) {
  const std::string list = " (`redbench list` names them, without `reduce/` here)";
  for (const auto& [name, nearest] : {std::pair("reduce/haxxis3", "; did you mean `harris3`?"),
                                      {"haxxis3", "; did you mean `harris3`?"},
                                      {"reduce/haxxxs3", ""},
                                      {"haxxxs3", ""}})
    EXPECT_EQ(error(experiment(R"("variants": [")" + std::string(name) + R"("], "axes": {"n": 1})")),
              std::string("x.json: $.experiments[0].variants[0]: reduce has no variant `") + name + "`" +
                  nearest + list);
}

// A message repeats 60 characters of the option.
TEST_F(ConfigFile, AnAxisOfTheCommandLineIsNamedByItsBeginning) {
  const std::string text = with_axes(R"({"n": 1})");
  const std::string rest =
      ": no experiment of x.json has an axis `blok`; it has `n`, `type`, `operator`, `values` or `block`; "
      "did "
      "you mean `block`?";
  EXPECT_EQ(error(text, with({"blok=" + std::string(55, '6')})), "-a blok=" + std::string(55, '6') + rest)
      << "60 characters are shown whole";
  EXPECT_EQ(error(text, with({"blok=" + std::string(56, '6')})), "-a blok=" + std::string(55, '6') + rest);
  for (const char* bad : {"n", "=1", "n=", "=", ""})
    EXPECT_EQ(error(text, with({bad})),
              std::string("-a ") + bad + ": expected NAME=VALUES, as in n=[16Mi:31Mi:1Mi] or type=f32,f64");
}

// An axis that is named twice has the values of both; commas in brackets and braces part none.
TEST_F(ConfigFile, ValuesOfTheCommandLineArePartedAtCommas) {
  const std::string file = fixture("f32.npy");
  const std::string text = with_axes(R"({"n": 1, "values": "uniform", "block": 64})");
  const Config config =
      load(text, with({"n=3,[4:6:1],2^3", "block=128", "values={\"file\": \"" + file + "\"},exact", "n=9"}));
  ASSERT_EQ(config.experiments.size(), 2u) << "of the file, and of what is generated";
  for (const Experiment& one : config.experiments) {
    EXPECT_THAT(axis(one, "n"), ElementsAre(3, 4, 5, 6, 8, 9));
    EXPECT_THAT(axis(one, "block"), ElementsAre(128));
    EXPECT_THAT(axis(one, "operator"), ElementsAre("sum"));
  }
  EXPECT_THAT(axis(config.experiments[0], "values"), ElementsAre(Json{{"file", file}}));
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre("f32"));
  EXPECT_THAT(axis(config.experiments[1], "values"), ElementsAre("exact"));
  EXPECT_THAT(axis(config.experiments[1], "type"), ElementsAre("i32"));
  EXPECT_THAT(axis(load(text, with({"n=1,1,2,1"})).experiments[0], "n"), ElementsAre(1, 2)) << "each once";
}

// A member of an object that is no text names no file.
TEST_F(ConfigFile, OnlyTextsAreNamesOfFiles) {
  const std::string beside = folder_.path() + "/beside";
  folder_.write("beside/x.npy", "");
  const Json value{
      {"count", 7}, {"file", "x.npy"}, {"list", {"x.npy"}}, {"none", nullptr}, {"other", "y.npy"}};
  EXPECT_EQ(with_found_files(value, beside), (Json{{"count", 7},
                                                   {"file", beside + "/x.npy"},
                                                   {"list", {"x.npy"}},
                                                   {"none", nullptr},
                                                   {"other", beside + "/y.npy"}}));
  EXPECT_EQ(with_found_files({value, "x.npy", 3}, beside),
            (Json{with_found_files(value, beside), "x.npy", 3}));
  EXPECT_EQ(with_found_files("x.npy", beside), "x.npy");
}

// What each of several variants takes is told beside its name.
TEST_F(ConfigFile, AValueThatNoVariantTakesIsToldWithEachRange) {
  EXPECT_EQ(error(experiment(R"("variants": ["harris3"], "axes": {"n": 1, "block": [32, 16]})")),
            "x.json: $.experiments[0].axes.block[1]: no listed variant takes block = 16: harris3 takes 32 to "
            "1024, powers of two");
  EXPECT_EQ(error(experiment(R"("variants": ["harris3"], "axes": {"n": 1, "block": 1025})")),
            "x.json: $.experiments[0].axes.block: no listed variant takes block = 1025: harris3 takes 32 to "
            "1024, powers of two");
  EXPECT_EQ(error(experiment(R"("variants": ["diffwarps", "harris3"], "axes": {"n": 1, "block": 16})")),
            "x.json: $.experiments[0].axes.block: no listed variant takes block = 16: harris3 takes 32 to "
            "1024, powers of two")
      << "of diffwarps it is no parameter";
  EXPECT_EQ(axis_names(*find_problem("reduce"), {"harris3", "harris2"}),
            (std::vector<std::string>{"n", "type", "operator", "values", "block"}));
}

// An experiment without a variant that the pattern fits is none, and its cases do not count.
TEST_F(ConfigFile, APatternLeavesExperimentsOut) {
  const std::string text = R"({"experiments": [
    {"problem": "reduce", "variants": ["harris3", "tb2"], "axes": {"n": ["[1:10000:1]", "[10001:20000:1]"],
     "operator": ["sum", "min", "max"]}},
    {"problem": "segreduce", "variants": "cpu_serial", "axes": {"n": 7, "segments": "one"}}]})";
  const Config config = load(text, with({}, "^segreduce/.*serial$"));
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_EQ(config.experiments[0].problem, "segreduce");
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("cpu_serial"));
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(7));
  EXPECT_EQ(load(text, with({}, "tb2")).experiments.size(), 1u) << "60000 cases";
  EXPECT_EQ(error(text), "x.json: means 120001 cases; the most is 100000");
  EXPECT_EQ(error(text, with({}, "reduce")), "x.json: means 120001 cases; the most is 100000");
  EXPECT_EQ(error(text, with({}, "cub")),
            "-b cub: fits no variant of x.json, which has `reduce/harris3`, `reduce/tb2` or "
            "`segreduce/cpu_serial`");
  EXPECT_TRUE(fits_pattern("reduce/harris3", "arris[23]"));
  EXPECT_TRUE(fits_pattern("reduce/harris3", "^reduce/h"));
  EXPECT_FALSE(fits_pattern("reduce/harris3", "^harris3"));
  EXPECT_THAT(usage_error([] { fits_pattern("reduce/harris3", "a("); }),
              testing::StartsWith("-b a(: not a regular expression: "));
}

TEST_F(ConfigFile, AHundredThousandCasesAreTheMost) {
  const auto cases = [](const std::string& blocks) {
    return with_axes(R"({"n": "[1:10000:1]", "type": ["i32", "i64", "u32", "f32", "f64"],
      "operator": ["sum", "min"], "block": )" +
                     blocks + "}");
  };
  EXPECT_NO_THROW(load(cases("64")));
  EXPECT_EQ(error(cases("[64, 128, 256]")), "x.json: means 300000 cases; the most is 100000");
  const auto values = [](int ranges) {
    std::string text;
    for (int i = 0; i < ranges; ++i)
      text += fmt::format("{}\"[{}:{}:1]\"", i ? ", " : "", i * 10000 + 1, (i + 1) * 10000);
    return with_axes("{\"n\": [" + text + "]}");
  };
  EXPECT_NO_THROW(load(values(10)));
  EXPECT_EQ(error(values(11)),
            "x.json: $.experiments[0].axes.n: more than 100000 values, and so more cases than that");
}

}  // namespace
}  // namespace redbench
