// Parts of a config to their ends: its name by its path, the options of the cache simulator, what a stored
// run keeps of it, and the first value that is too large.
#include <fmt/format.h>

#include <algorithm>

#include "src/config/json_node.hpp"
#include "src/config/resolved.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

TEST_F(ConfigFile, IsNamedByItsPathBelowTheLastConfigs) {
  for (const auto& [path, name] : {std::pair("elsewhere/x.json", "x"),
                                   {"configs/y.json", "y"},
                                   {"configs/a/configs/b/x.json", "b/x"},
                                   {"configs/a/../b/fig4.1.json", "b/fig4.1"},
                                   {"my_configs/a/z.json", "z"}}) {
    folder_.write("configs/a/none", "");
    folder_.write(path, with_axes(R"({"n": 1})"));
    const Config config = load_config(folder_.path() + "/" + path, Target::simt, {}, record_columns());
    EXPECT_EQ(config.name, name) << path;
    EXPECT_EQ(config.title, name) << path;
    EXPECT_EQ(config.path, folder_.path() + "/" + path);
  }
}

TEST_F(ConfigFile, OptionsOfTheCacheSimulatorAreReadAsTheyAre) {
  const auto caches = [&](const std::string& members) {
    return load(R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}],
                    "caches": )" +
                members + "}")
        .caches;
  };
  const auto told = caches(R"({"machines": ["core2_t7300", "./mine.json"], "models": ["overlapped", "serial"],
                               "loops": {"cpu_sequential": "dependent", "cpu_presorted": "presorted"}, "steps": 77})");
  ASSERT_TRUE(told);
  EXPECT_THAT(told->machines, ElementsAre("core2_t7300", "./mine.json"));
  EXPECT_THAT(told->models, ElementsAre(CacheModel::overlapped, CacheModel::serial));
  EXPECT_EQ(told->loops, (std::map<std::string, LoopKind>{{"cpu_sequential", LoopKind::dependent},
                                                          {"cpu_presorted", LoopKind::presorted}}));
  EXPECT_EQ(told->steps, 77);
  const auto one =
      caches(R"({"machines": "old", "models": "translated", "loops": {}, "steps": 1099511627776})");
  EXPECT_THAT(one->machines, ElementsAre("old"));
  EXPECT_THAT(one->models, ElementsAre(CacheModel::translated));
  EXPECT_EQ(one->steps, 1099511627776);
  const auto plain = caches(R"({"loops": {}})");
  EXPECT_THAT(plain->machines, ElementsAre("host"));
  EXPECT_THAT(plain->models, ElementsAre(CacheModel::serial));
  EXPECT_TRUE(plain->loops.empty());
  EXPECT_EQ(plain->steps, 1048576);
  EXPECT_EQ(
      usage_error([&] { caches(R"({"loops": {"cpu_sequentia": "simple"}})"); }),
      path_ +
          ": $.caches.loops.cpu_sequentia: there is no variant of this name; did you mean `cpu_sequential`?");
}

// What another redbench could run and this one cannot is left out of its config; what is no config is refused
// as where it is read from a file.
TEST(StoredConfig, IsWithoutTheVariantsThatThereAreNone) {
  const auto stored = [](const Json& experiments) {
    return stored_config("run.json", {{"title", "not read"}, {"seed", 5}, {"experiments", experiments}},
                         record_columns());
  };
  const auto experiment = [](const Json& variants) {
    return Json{{"problem", "reduce"}, {"variants", variants}, {"axes", {{"n", {8}}}}};
  };
  const Config config = stored({experiment({"gone", "harris3", "old"}), experiment(Json::array({"gone"})),
                                experiment({"harris1", "harris2"})});
  EXPECT_EQ(config.seed, 5u);
  EXPECT_EQ(config.name, "run");
  ASSERT_EQ(config.experiments.size(), 2u);
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("harris3"));
  EXPECT_THAT(config.experiments[1].variants, ElementsAre("harris1", "harris2"));

  const auto mistake = [&](const Json& experiments) { return usage_error([&] { stored(experiments); }); };
  const std::string place = "run.json: $.experiments";
  EXPECT_EQ(mistake(Json::array({7})), place + "[0]: expected an object, got 7");
  EXPECT_EQ(mistake(Json::array({{{"variants", {"harris3"}}}})),
            place + "[0]: the key `problem` is missing: what is computed, as `redbench list` names it");
  EXPECT_EQ(mistake(Json::array({{{"problem", 3}, {"variants", {"harris3"}}}})),
            place + "[0].problem: expected a string, got 3");
  EXPECT_EQ(
      mistake(Json::array({{{"problem", "reduce"}}})),
      place + "[0]: the key `variants` is missing: names without the problem, or globs: `shuffle_*_vec4`");
  EXPECT_EQ(
      mistake(Json::array({experiment("haris3")})),
      place +
          "[0].variants: reduce has no variant `haris3`; did you mean `harris3`? (`redbench list` names "
          "them, without `reduce/` here)");
  EXPECT_EQ(mistake(Json::array({experiment(Json::array({"gone"}))})),
            place + ": the list is empty; at least one experiment is needed");
  EXPECT_EQ(mistake(Json::object()), place + ": expected a list, got {}");
  EXPECT_EQ(usage_error([] { stored_config("run.json", 7, record_columns()); }),
            "run.json: $: expected an object, got 7");
}

TEST(VariantConfig, OfAVariantThatRefusesAllSaysWhyTheFirstIs) {
  Variant variant = *find_variant("reduce/harris3");
  std::vector<Instance>& instances = variant.instances[std::size_t(Target::simt)];
  ASSERT_GT(instances.size(), 1u);
  for (Instance& instance : instances) {
    instance.run = nullptr;
    instance.refusal = "needs what no other does";
  }
  instances[0].refusal = "needs what it alone does";
  EXPECT_EQ(usage_error([&] { variant_config(variant, Target::simt, {}, record_columns()); }),
            "reduce/harris3: nothing that simt could run: needs what it alone does");
}

// A config of as many cases as may be is one.
TEST_F(ConfigFile, LimitsAreThemselvesAllowed) {
  const Config most = load(with_axes(R"({"n": "[1:10000:1]", "type": ["i32", "i64", "u32", "f32", "f64"],
                                         "operator": ["sum", "min"]})"));
  EXPECT_EQ(axis(most.experiments[0], "n").size(), 10000u) << "100000 cases";
  const auto values_of = [](const std::string& last) {
    std::string list;
    for (int i = 0; i < 9; ++i) list += fmt::format("\"[{}:{}:1]\", ", 10000 * i + 1, 10000 * (i + 1));
    return with_axes(R"({"n": [)" + list + last + "]}");
  };
  EXPECT_EQ(axis(load(values_of("\"[90001:100000:1]\"")).experiments[0], "n").size(), 100000u);
  EXPECT_EQ(error(values_of("\"[90001:100000:1]\", 100001, 100002")),
            "x.json: $.experiments[0].axes.n: more than 100000 values, and so more cases than that");
  EXPECT_EQ(
      load(R"({"seed": 9223372036854775807, "experiments": [{"problem": "reduce", "variants": ["harris3"],
                     "axes": {"n": 1}}]})")
          .seed,
      9223372036854775807u);
  const MeasureOptions measure =
      load(with_measure(R"({"min_samples": 1000000, "max_samples": 1000000, "forks": 100, "digests": 1000,
                            "counters": true, "trace": {"launch": 2147483647, "block": 2147483647, "warp": 31,
                                                        "levels": {"harris3": [0, 65535]}}})"))
          .measure;
  EXPECT_EQ(measure.min_samples, 1000000);
  EXPECT_EQ(measure.max_samples, 1000000);
  EXPECT_EQ(measure.forks, 100);
  EXPECT_EQ(measure.digests, 1000);
  EXPECT_EQ(measure.trace->warp.launch, 2147483647);
  EXPECT_EQ(measure.trace->warp.block, 2147483647);
  EXPECT_EQ(measure.trace->warp.warp, 31);
  EXPECT_THAT(measure.trace->levels.at("harris3"), ElementsAre(0, 65535));
  const auto stores = [&](const std::string& list) {
    return error(with_measure(R"({"counters": true, "trace": {"levels": {"harris3": )" + list + "}}}"));
  };
  const std::string place = "x.json: $.measure.trace.levels.harris3";
  EXPECT_EQ(stores("[0, 65536]"), place + "[1]: expected a whole number from 0 to 65535, got 65536");
  EXPECT_EQ(stores("[4, 4]"), place + ": expected stores in the order in which they are made, each once");
  EXPECT_EQ(stores("[5, 4]"), place + ": expected stores in the order in which they are made, each once");
}

// The nearest name is that of the variant, whatever stands before it.
TEST_F(ConfigFile, AVariantWithItsProblemIsNamedByWhatFollowsIt) {
  EXPECT_EQ(error(experiment(R"("variants": "reduce/tb22", "axes": {"n": 1})")),
            "x.json: $.experiments[0].variants: reduce has no variant `reduce/tb22`; did you mean `tb2`? "
            "(`redbench "
            "list` names them, without `reduce/` here)");
}

}  // namespace
}  // namespace redbench
