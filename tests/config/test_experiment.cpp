// Experiments: variants by name and glob, axes from the file and the command line, files of inputs, and how
// many cases there may be.
#include "src/config/experiment.hpp"

#include <fmt/format.h>

#include "src/config/axes.hpp"
#include "src/own_files.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ConfigFile, GlobsGiveEachVariantOnceInOrder) {
  const auto chosen = [&](const std::string& list) {
    return load(experiment(R"("variants": )" + list + R"(, "axes": {"n": 1})")).experiments[0].variants;
  };
  EXPECT_THAT(chosen(R"(["harris3", "harris[1-4]", "shuffle_*_vec4"])"),
              ElementsAre("harris3", "harris1", "harris2", "harris4", "shuffle_block_atomic_vec4",
                          "shuffle_two_pass_vec4", "shuffle_warp_atomic_vec4"));
  EXPECT_THAT(chosen(R"("harris[!1-5]")"), ElementsAre("harris6", "harris7"));
  EXPECT_THAT(chosen(R"("tb?")"), ElementsAre("tb2"));
}

// -a takes the place of the file's values, and mends a file without. An axis that is given twice has the
// values of both; commas in brackets and braces part none.
TEST_F(ConfigFile, AxesFromTheCommandLine) {
  const Config config = load(R"({"experiments": [
    {"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1, "block": 64}},
    {"problem": "reduce", "variants": ["diffwarps"], "axes": {}}]})",
                             axes({"n=3,[4:6:1],2^3", "type=f32,f64", "block=128,256", "n=9,3"}));
  for (const Experiment& experiment : config.experiments) {
    EXPECT_THAT(axis(experiment, "n"), ElementsAre(3, 4, 5, 6, 8, 9));
    EXPECT_THAT(axis(experiment, "type"), ElementsAre("f32", "f64"));
  }
  EXPECT_THAT(axis(config.experiments[0], "block"), ElementsAre(128, 256));
  EXPECT_TRUE(axis(config.experiments[1], "block").empty()) << "diffwarps has no such parameter";
  const std::string file = fixture("f32.npy");
  const Config values = load(with_axes(R"({"n": 3})"), axes({"values={\"file\": \"" + file + "\"},exact"}));
  ASSERT_EQ(values.experiments.size(), 2u) << "of the file, and of what is generated";
  EXPECT_THAT(axis(values.experiments[0], "values"), ElementsAre(Json{{"file", file}}));
  EXPECT_THAT(axis(values.experiments[1], "values"), ElementsAre("exact"));
}

// An experiment without a variant that the pattern fits is none, and its cases do not count.
TEST_F(ConfigFile, APatternPicksVariants) {
  const std::string text = R"({"experiments": [
    {"problem": "reduce", "variants": ["harris1", "harris3", "tb2"], 
     "axes": {"n": ["[1:10000:1]", "[10001:20000:1]"], "operator": ["sum", "min"]}},
    {"problem": "segreduce", "variants": "cpu_serial", "axes": {"n": 7, "segments": "one"}}]})";
  const Config config = load(text, only("^segreduce/.*serial$"));
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_EQ(config.experiments[0].problem, "segreduce");
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("cpu_serial"));
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(7));
  EXPECT_THAT(load(text, only("harris[12]$|tb")).experiments[0].variants, ElementsAre("harris1", "tb2"));
  EXPECT_EQ(error(text), "x.json: means 120001 cases; the most is 100000");
}

TEST_F(ConfigFile, AHundredThousandCasesAreTheMost) {
  const std::string cases = R"({"n": "[1:10000:1]", "type": ["i32", "i64", "u32", "f32", "f64"],
                                "operator": ["sum", "min"], "block": )";
  EXPECT_NO_THROW(load(with_axes(cases + "64}")));
  EXPECT_EQ(error(with_axes(cases + "[64, 128]}")), "x.json: means 200000 cases; the most is 100000");
}

TEST(Parameters, TakeTheirEndsAndSaySo) {
  struct {
    Parameter parameter;
    std::vector<Index> taken;
    const char* range;
  } const rows[] = {{{"p", 64, 32, 256, Step::power_of_two}, {32, 64, 128, 256}, "32 to 256, powers of two"},
                    {{"w", 64, 32, 96, Step::multiple_of_warp}, {32, 64, 96}, "32 to 96, multiples of 32"},
                    {{"o", 7, 7, 7, Step::one}, {7}, "7 only"},
                    {{"a", 1, 0, 3, Step::one}, {0, 1, 2, 3}, "0 to 3"}};
  for (const auto& row : rows) {
    std::vector<Index> taken;
    for (Index value = -1; value <= 300; ++value)
      if (takes(row.parameter, value)) taken.push_back(value);
    EXPECT_EQ(taken, row.taken) << row.range;
    EXPECT_EQ(range_of(row.parameter), row.range);
  }
}

// A file next to the config comes before one of its name in the working directory, that before redbench's
// own.
TEST_F(ConfigFile, FilesAreLookedForNextToTheConfigThenHereThenWithRedbench) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string here = folder_.path() + "/here", config = folder_.path() + "/config";
  for (const std::string& folder : {here, config}) std::filesystem::create_directories(folder);
  std::filesystem::current_path(here);
  const auto found = [&](const std::string& name) {
    return with_found_files({{"file", name}}, config)["file"];
  };
  const std::string own = "configs/schema.json";
  EXPECT_EQ(found("x.npy"), config + "/x.npy") << "in no place: where it is missed first";
  EXPECT_EQ(found(own), (own_files() / own).lexically_normal().string());
  folder_.write("here/x.npy", "");
  folder_.write("here/" + own, "");
  EXPECT_EQ(found("x.npy"), "x.npy");
  EXPECT_EQ(found(own), own);
  folder_.write("config/x.npy", "");
  EXPECT_EQ(found("x.npy"), config + "/x.npy");
  std::filesystem::current_path(before);
}

// Each file has its type and size, and the operator that is usual; then comes what is generated.
TEST_F(ConfigFile, FilesOfValuesAreExperimentsOfTheirOwn) {
  std::filesystem::create_directories(folder_.path() + "/configs/here/data");
  std::filesystem::copy(fixture("i32_big.npy"), folder_.path() + "/configs/here/data/v.npy");
  const Json found = {{"file", folder_.path() + "/configs/here/data/v.npy"}},
             c64 = {{"file", fixture("c64.npy")}};
  const auto axes_of_all = [&](const std::string& values, const std::string& more) {
    return axes_of(load(with_axes(R"({"values": )" + values + more + "}")));
  };
  const auto expected = [](const Json& values, const Json& n, const char* type) {
    return Json{{"values", values}, {"n", n}, {"type", {type}}, {"operator", {"sum"}}};
  };
  EXPECT_EQ(axes_of_all(R"({"file": "data/v.npy"})", ""),
            Json::array({expected(Json::array({found}), Json::array({5}), "i32")}));
  const std::string mixed = R"([{"file": "data/v.npy"}, "equal", )" + c64.dump() + R"(, "exact"])";
  const Json n{2, 3};
  EXPECT_EQ(axes_of_all(mixed, R"(, "n": [2, 3])"),
            Json::array({expected(Json::array({found}), n, "i32"), expected(Json::array({c64}), n, "c64"),
                         expected({"equal", "exact"}, n, "i32")}));
  EXPECT_THAT(error(with_axes(R"({"values": )" + mixed + "}")), HasSubstr("the axis `n` is missing"));
}

// An image has as many labels as pixels, so that no other n is needed; what is generated has any number of
// them.
TEST_F(ConfigFile, ImagesOfLabelsSayHowManyInputsThereAre) {
  const Json wide{{"file", folder_.write("wide.pgm", "P5\n3 2\n255\nabcdef")}},
      flat{{"file", folder_.write("flat.pgm", "P5\n5 1\n255\nabcde")}};
  const auto with = [&](const Json& labels, const std::string& more) {
    return R"({"experiments": [{"problem": "multireduce", "variants": "minimal", "axes": {"labels": )" +
           labels.dump() + R"(, "m": 256)" + more + "}}]}";
  };
  const auto expected = [](const Json& labels, int n, const char* type) {
    return Json{{"labels", labels}, {"m", {256}}, {"n", {n}}, {"type", {type}}, {"operator", {"sum"}}};
  };
  EXPECT_EQ(axes_of(load(with({wide, flat}, ""))),
            Json::array({expected(Json::array({wide}), 6, "i32"), expected(Json::array({flat}), 5, "i32")}));
  EXPECT_EQ(axes_of(load(with({wide, flat}, R"(, "n": 4, "type": "f32")"))),
            Json::array({expected(Json::array({wide, flat}), 4, "f32")}));
  EXPECT_THAT(error(with({wide, "uniform"}, "")), HasSubstr("the axis `n` is missing"));
}

TEST_F(ConfigFile, FilesThatDoNotFit) {
  const auto of = [&](const std::string& name, const std::string& more = "") {
    const std::string text = R"({"values": [{"file": ")" + name + R"("}])" + more + "}";
    add(text, error(with_axes(R"({"values": [{"file": ")" + fixture(name) + R"("}])" + more + "}")));
  };
  of("none.npy");
  of("nan.npy");
  add("u8.npy for segreduce",
      error(
          R"({"experiments": [{"problem": "segreduce", "variants": "matrix", "axes": {"values": {"file": ")" +
          fixture("u8.npy") + R"("}}}]})"));
  of("i32.npy", R"(, "type": "f32")");
  of("f32.npy", R"(, "type": "bf16")");
  of("pairs.npy");
  of("u32_version2.npy", R"(, "operator": "affine")");
  expect_golden("config/files.txt", mistakes_);
  EXPECT_NO_THROW(load(with_axes(R"({"values": [{"file": ")" + fixture("u32_version2.npy") +
                                 R"("}], "operator": ["affine", "sum"]})")))
      << "another operator takes them";
  // What -a says of a config is for those of its experiments that take it: the plan refuses the others' cases.
  EXPECT_EQ(load(with_axes(R"({"values": {"file": ")" + fixture("i32.npy") + R"("}, "type": "i32"})"),
                 axes({"type=f32"}))
                .experiments.size(),
            1u);
}

}  // namespace
}  // namespace redbench
