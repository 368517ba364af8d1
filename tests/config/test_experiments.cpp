// Experiments that become several by the files of their axes, and what is said of options of the command line
// that mean none.
#include <fmt/format.h>

#include "src/config/experiment.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

Overrides axes_of(const std::vector<std::string>& axes) { return {.axes = axes, .sets = {}, .variants = {}}; }
Overrides only(const std::string& variants) { return {.axes = {}, .sets = {}, .variants = variants}; }

// An image has as many labels as pixels, so that no other n is needed; what is drawn has any number of them.
TEST_F(ConfigFile, ImagesOfLabelsSayHowManyInputsThereAre) {
  const Json wide{{"file", folder_.write("wide.pgm", "P5\n3 2\n255\nabcdef")}},
      flat{{"file", folder_.write("flat.pgm", "P5\n5 1\n255\nabcde")}};
  const auto with = [&](const Json& labels, const std::string& more) {
    return R"({"experiments": [{"title": "images", "problem": "multireduce",
               "variants": ["cpu_sequential", "minimal"], "axes": {"labels": )" +
           labels.dump() + R"(, "m": 256)" + more + "}}]}";
  };
  const auto experiment = [](const Json& labels, int n, const char* type) {
    return Json{
        {"title", "images"},
        {"problem", "multireduce"},
        {"variants", {"cpu_sequential", "minimal"}},
        {"axes",
         {{"labels", Json(labels)}, {"m", {256}}, {"n", {n}}, {"type", {type}}, {"operator", {"sum"}}}}};
  };
  const Json all = load(with({wide, flat}, "")).resolved["experiments"];
  EXPECT_EQ(all, Json::array(
                     {experiment(Json::array({wide}), 6, "i32"), experiment(Json::array({flat}), 5, "i32")}))
      << all;
  const Json cut = load(with({wide, flat}, R"(, "n": 4, "type": "f32")")).resolved["experiments"];
  EXPECT_EQ(cut, Json::array({experiment(Json::array({wide, flat}), 4, "f32")})) << cut;
  EXPECT_EQ(error(with({wide, "uniform"}, "")),
            "x.json: $.experiments[0].axes: the axis `n` is missing: the sizes of the input, as in \"n\": "
            "[\"1Mi\", \"2^24\"]");
}

// Each file has its type and size, and the operator that is usual; then comes what is drawn.
TEST_F(ConfigFile, FilesOfValuesAreExperimentsOfTheirOwn) {
  const auto file = [](const char* name) { return Json{{"file", fixture(name)}}; };
  const auto axes_of_all = [&](const std::string& more) {
    const Config config =
        load(with_axes(R"({"values": [{"file": ")" + fixture("f32.npy") + R"("}, "equal", {"file": ")" +
                       fixture("c64.npy") + R"("}, "exact"])" + more + "}"));
    Json axes = Json::array();
    for (const Json& one : config.resolved["experiments"]) axes.push_back(one["axes"]);
    return axes;
  };
  const auto axes = [](const Json& values, const Json& n, const char* type, const char* op) {
    return Json{{"values", values}, {"n", n}, {"type", {type}}, {"operator", {op}}};
  };
  const Json all = axes_of_all(R"(, "n": [2, 3])");
  const Json n{2, 3}, drawn{"equal", "exact"};
  EXPECT_EQ(
      all, Json::array({axes(Json::array({file("f32.npy")}), n, "f32", "sum"),
                        axes(Json::array({file("c64.npy")}), n, "c64", "sum"), axes(drawn, n, "i32", "sum")}))
      << all;
}

TEST_F(ConfigFile, OptionsThatMeanNothingAreToldWhole) {
  const std::string text = with_axes(R"({"n": 1, "block": 64})");
  for (const std::string bad : {"n", "=1", "n="})
    EXPECT_EQ(error(text, axes_of({bad})),
              "-a " + bad + ": expected NAME=VALUES, as in n=[16Mi:31Mi:1Mi] or type=f32,f64");
  // Of a long one 60 characters are repeated.
  EXPECT_EQ(error(text, axes_of({"blok=" + std::string(70, '4')})),
            "-a blok=" + std::string(55, '4') +
                ": no experiment of x.json has an axis `blok`; it has `n`, `type`, `operator`, `values` or "
                "`block`; did you mean `block`?");
  EXPECT_EQ(error(text, axes_of({"n=" + std::string(50, '4') + ",12345678,x"})),
            "x.json: $.experiments[0].axes.n[0] (-a n=" + std::string(50, '4') +
                ",1234567): " + std::string(50, '4') + " is too large: the most is 2^40");
  EXPECT_EQ(error(text, only("cub")), "-b cub: fits no variant of x.json, which has `reduce/harris3`");
  EXPECT_EQ(error(text, only("(")), "-b (: not a regular expression: missing ): (");
  EXPECT_EQ(
      error(experiment(R"("variants": "reduce/marriz", "axes": {"n": 1})")),
      "x.json: $.experiments[0].variants: reduce has no variant `reduce/marriz`; did you mean `matrix`? "
      "(`redbench list` names them, without `reduce/` here)");
  EXPECT_TRUE(fits_pattern("reduce/harris3", "ris[1-3]$"));
  EXPECT_FALSE(fits_pattern("reduce/harris3", "^harris"));
}

// An axis that is given twice has the values of both; -a takes the place of the file's.
TEST_F(ConfigFile, OptionsOfOneAxisAreOneList) {
  const Config config =
      load(with_axes(R"({"type": "f64", "n": [7, 8]})"), axes_of({"n=3,[10:30:10]", "block=64", "n=1,3"}));
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_EQ(config.resolved["experiments"][0]["axes"], (Json{{"type", {"f64"}},
                                                             {"n", {3, 10, 20, 30, 1}},
                                                             {"block", Json::array({64})},
                                                             {"operator", {"sum"}}}));
}

TEST_F(ConfigFile, KeysThatThereAreNotAreToldWithAllThatThereAre) {
  EXPECT_EQ(error(R"({"experiments": [{"problem": "reduce", "variant": ["x"]}]})"),
            "x.json: $.experiments[0].variant: unknown key; allowed are `title`, `problem`, `variants` or "
            "`axes`; did you mean `variants`?");
  EXPECT_EQ(error(R"([1])"), "x.json: $: expected an object, got [1]");
  EXPECT_EQ(error(R"({"experiments": 5})"), "x.json: $.experiments: expected a list, got 5");
  EXPECT_EQ(error(R"({"experiments": [{"problem": "reduce", "variants": [3]}]})"),
            "x.json: $.experiments[0].variants[0]: expected a string, got 3");
  EXPECT_EQ(error(with_measure(R"({"trace": {"launch": 1}})")),
            "x.json: $.measure.trace: needs `counters`, true, beside it");
  // A path has as many steps as what it names may have levels.
  const auto set = [](int steps) {
    std::string path = "measure";
    for (int step = 1; step < steps; ++step) path += ".a";
    return Overrides{.axes = {}, .sets = {path + "=1"}, .variants = {}};
  };
  const std::string text = with_axes(R"({"n": 1})");
  std::string shown = "--set measure";  // 60 characters of it
  for (int step = 0; step < 26; ++step) shown += ".a";
  EXPECT_EQ(error(text, set(65)), shown + ".: expected KEY=VALUE, as in measure.max_noise=1");
  EXPECT_THAT(error(text, set(64)), testing::StartsWith("x.json: $.measure.a: unknown key; allowed are"));
  EXPECT_EQ(error(text, {.axes = {}, .sets = {"experiments[999999].title=x"}, .variants = {}}),
            "--set experiments[999999].title=x: $.experiments has no element 999999");
  const MeasureOptions many = load(with_measure(R"({"min_samples": 300})")).measure;
  EXPECT_EQ(many.min_samples, 300);
  EXPECT_EQ(many.max_samples, 300) << "as many, where no more are asked for";
}

}  // namespace
}  // namespace redbench
