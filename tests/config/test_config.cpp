// Configs: what they mean, and what is said of each mistake. Messages are compared whole where they fit a
// line, so that a place or a nearest match that goes missing fails.
#include <fmt/format.h>

#include <ctime>

#include "src/config/axes.hpp"
#include "src/config/json_node.hpp"
#include "src/config/resolved.hpp"
#include "src/own_files.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ConfigFile, DefaultsAreFilledIn) {
  const Config config = load(with_axes(R"({"n": ["1Ki", "[2^11:2^12:*2]", 7]})"));
  EXPECT_EQ(config.name, "here/x");
  EXPECT_EQ(config.title, "here/x");
  EXPECT_EQ(config.seed, 1u);
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(1024, 2048, 4096, 7));
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre("i32"));
  EXPECT_THAT(axis(config.experiments[0], "operator"), ElementsAre("sum"));
  EXPECT_EQ(config.resolved["measure"]["mode"], Json({"cold"}));
  EXPECT_EQ(config.resolved["experiments"][0]["axes"]["n"], Json({1024, 2048, 4096, 7}));
}

// What a worker is told and what run.json keeps is what was read, key by key.
TEST_F(ConfigFile, EveryMeasureOptionIsReadAndWrittenAsItWas) {
  const std::string text = R"({"min_samples": 11, "max_samples": 222, "max_noise": 0.25, "timeout_s": 33.5,
      "hang_s": 44.5, "forks": 7, "mode": ["warm", "cold"], "per_launch": true, "energy": true,
      "scattered": true, "counters": true, "twice": true, "digests": 9,
      "trace": {"launch": 1, "block": 22, "warp": 3, "levels": {"harris3": [4, 5], "tb2": [0]}}})";
  const Json given = Json::parse(text);
  const Config config = load(with_measure(text));
  EXPECT_EQ(config.resolved["measure"].size(), given.size()) << "a new key is to be tested";
  for (const auto& [key, value] : given.items()) EXPECT_EQ(config.resolved["measure"][key], value) << key;
  for (const MeasureOptions& read :
       {config.measure, told_config(config.path, config.name, config.resolved).measure}) {
    EXPECT_EQ(read.min_samples, 11);
    EXPECT_EQ(read.max_samples, 222);
    EXPECT_EQ(read.max_noise, 0.25);
    EXPECT_EQ(read.timeout_s, 33.5);
    EXPECT_EQ(read.hang_s, 44.5);
    EXPECT_EQ(read.forks, 7);
    EXPECT_THAT(read.modes, ElementsAre(Mode::warm, Mode::cold));
    EXPECT_EQ(read.digests, 9);
    ASSERT_TRUE(read.trace);
    EXPECT_EQ(read.trace->warp.launch, 1);
    EXPECT_EQ(read.trace->warp.block, 22);
    EXPECT_EQ(read.trace->warp.warp, 3);
    EXPECT_EQ(read.trace->levels,
              (std::map<std::string, std::vector<Index>>{{"harris3", {4, 5}}, {"tb2", {0}}}));
  }
  for (const char* flag : {"per_launch", "energy", "scattered", "counters", "twice"}) {
    const Config alone = load(with_measure(fmt::format(R"({{"{}": true}})", flag)));
    const MeasureOptions& read = alone.measure;
    const std::map<std::string, bool> all{{"per_launch", read.per_launch},
                                          {"energy", read.energy},
                                          {"scattered", read.scattered},
                                          {"counters", read.counters},
                                          {"twice", read.twice}};
    for (const auto& [name, value] : all) {
      EXPECT_EQ(value, name == flag) << name << ", of " << flag;
      EXPECT_EQ(alone.resolved["measure"][name], name == flag) << name << ", of " << flag;
    }
  }
  EXPECT_TRUE(load(with_measure("{}")).resolved["measure"]["trace"].is_null());
}

TEST_F(ConfigFile, ValuesOfTheCommandLineEndAtCommasOutsideOfBrackets) {
  const auto values = [&](const std::string& name, const std::string& text) {
    std::vector<Json> found;
    const Overrides overrides{.axes = {name + "=" + text}, .sets = {}, .variants = ""};
    for (const Experiment& one : load(with_axes(R"({"n": 3, "type": "i32"})"), overrides).experiments)
      for (const Json& value : axis(one, name)) found.push_back(value);
    return found;
  };
  EXPECT_THAT(values("n", "[2:6:2],9,[10:20:10]"), ElementsAre(2, 4, 6, 9, 10, 20));
  EXPECT_THAT(values("type", "f32,i32"), ElementsAre("f32", "i32"));
  const std::string file = R"({"file": ")" + fixture("i32.npy") + R"("})";
  EXPECT_THAT(values("values", file + ",uniform"),
              testing::UnorderedElementsAre(Json{{"file", fixture("i32.npy")}}, "uniform"));
}

TEST_F(ConfigFile, AVariantAloneIsItsFirstPairOverAMillionValues) {
  const Variant& variant = *find_variant("reduce/harris3");
  const Config config = variant_config(variant, Target::simt, {}, record_columns());
  EXPECT_EQ(config.name, "reduce/harris3");
  EXPECT_EQ(config.title, fmt::format("reduce/harris3: {}", variant.card.title));
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_EQ(config.experiments[0].problem, "reduce");
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("harris3"));
  const Instance& first = *variant.first_taken(Target::simt);
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(1 << 20));
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre(std::string(name_of(first.type))));
  EXPECT_THAT(axis(config.experiments[0], "operator"), ElementsAre(std::string(name_of(first.op))));
  const Config other =
      variant_config(variant, Target::simt,
                     {.axes = {"n=64", "block=32"}, .sets = {"seed=9"}, .variants = ""}, record_columns());
  EXPECT_THAT(axis(other.experiments[0], "n"), ElementsAre(64));
  EXPECT_THAT(axis(other.experiments[0], "block"), ElementsAre(32));
  EXPECT_EQ(other.seed, 9u);
  EXPECT_EQ(usage_error([&] {
              variant_config(*find_variant("reduce/cpu_serial"), Target::simt, {}, record_columns());
            }),
            "reduce/cpu_serial: nothing that simt could run: it is not built for this device");
}

// A file beside the config comes before one of its name in the working directory, that before redbench's own.
TEST_F(ConfigFile, FilesAreLookedForBesideTheConfigThenHereThenWithRedbench) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string here = folder_.path() + "/here", beside = folder_.path() + "/beside";
  for (const std::string& folder : {here, beside}) std::filesystem::create_directories(folder);
  std::filesystem::current_path(here);
  const auto found = [&](const char* name) { return with_found_files({{"file", name}}, beside)["file"]; };
  const std::string own = "configs/schema.json";
  EXPECT_EQ(found("x.npy"), beside + "/x.npy") << "in no place: where it is missed first";
  EXPECT_EQ(found(own.c_str()), (own_files() / own).lexically_normal().string());
  folder_.write("here/x.npy", "");
  folder_.write("here/" + own, "");
  EXPECT_EQ(found("x.npy"), "x.npy");
  EXPECT_EQ(found(own.c_str()), own);
  folder_.write("beside/x.npy", "");
  EXPECT_EQ(found("x.npy"), beside + "/x.npy");
  EXPECT_EQ(with_found_files({{{"file", "x.npy"}}, "uniform"}, beside),
            (Json{{{"file", beside + "/x.npy"}}, "uniform"}));
  std::filesystem::current_path(before);
  EXPECT_EQ(with_found_files({{"file", 3}}, beside), (Json{{"file", 3}})) << "refused where it is read";
  EXPECT_EQ(with_found_files("x.npy", beside), "x.npy");
}

TEST_F(ConfigFile, WhatIsResolvedIsTheWholeConfig) {
  const Config config = load(R"({"title": "T", "seed": 5, "measure": {"forks": 2},
      "experiments": [{"title": "first", "problem": "reduce", "variants": ["harris3", "harris1"],
                       "axes": {"n": [8, 16], "type": "f32", "operator": "max", "values": "exact", "block": 64}},
                      {"problem": "segreduce", "variants": "cpu_serial", "axes": {"n": 1, "segments": "one"}}],
      "plots": [{"name": "p", "x": "n", "y": "time_ns", "where": {"variant": "harris3"}}]})");
  EXPECT_EQ(config.resolved["title"], "T");
  EXPECT_EQ(config.resolved["seed"], 5);
  EXPECT_EQ(config.resolved["measure"]["forks"], 2);
  EXPECT_EQ(config.resolved["plots"], config.plots);
  EXPECT_EQ(config.plots[0]["name"], "p");
  const Json& experiments = config.resolved["experiments"];
  ASSERT_EQ(experiments.size(), 2u);
  EXPECT_EQ(experiments[0]["title"], "first");
  EXPECT_EQ(experiments[0]["problem"], "reduce");
  EXPECT_EQ(experiments[0]["variants"], (Json{"harris3", "harris1"}));
  const std::map<std::string, Json> axes{{"n", {8, 16}},
                                         {"type", Json::array({"f32"})},
                                         {"operator", Json::array({"max"})},
                                         {"values", Json::array({"exact"})},
                                         {"block", Json::array({64})}};
  for (const auto& [axis, values] : axes) EXPECT_EQ(experiments[0]["axes"][axis], values) << axis;
  EXPECT_EQ(experiments[1]["problem"], "segreduce");
  const Config told = told_config(config.path, config.name, config.resolved);
  EXPECT_EQ(told.seed, 5u);
  EXPECT_EQ(told.path, config.path);
  EXPECT_EQ(told.name, config.name);
  EXPECT_EQ(told.title, "T");
  EXPECT_EQ(told.plots, config.plots);
  EXPECT_EQ(told.resolved, config.resolved);
  ASSERT_EQ(told.experiments.size(), 2u);
  const Config stored = stored_config("run.json", config.resolved, record_columns());
  EXPECT_EQ(stored.seed, 5u);
  ASSERT_EQ(stored.experiments.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(told.experiments[i].title, config.experiments[i].title);
    EXPECT_EQ(stored.experiments[i].variants, config.experiments[i].variants);
    EXPECT_EQ(stored.resolved["experiments"][i], config.resolved["experiments"][i]);
    EXPECT_EQ(told.experiments[i].problem, config.experiments[i].problem);
    EXPECT_EQ(told.experiments[i].variants, config.experiments[i].variants);
    EXPECT_EQ(told.experiments[i].axes, config.experiments[i].axes);
  }
}

TEST_F(ConfigFile, OneValueStandsForAListAndTwinsAreOne) {
  const Config config =
      load(with_axes(R"({"n": "[1Ki:2Ki:1Ki]", "type": "f32", "block": [64, "2^6", 128]})"));
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(1024, 2048));
  EXPECT_THAT(axis(config.experiments[0], "block"), ElementsAre(64, 128));
}

TEST_F(ConfigFile, GlobsGiveEachVariantOnceInOrder) {
  const Config config =
      load(experiment(R"("variants": ["harris3", "harris[1-4]", "shuffle_*_vec4"], "axes": {"n": 1})"));
  EXPECT_THAT(config.experiments[0].variants,
              ElementsAre("harris3", "harris1", "harris2", "harris4", "shuffle_block_atomic_vec4",
                          "shuffle_two_pass_vec4", "shuffle_warp_atomic_vec4"));
  const auto chosen = [&](const std::string& glob) {
    return load(experiment(R"("variants": ")" + glob + R"(", "axes": {"n": 1})")).experiments[0].variants;
  };
  EXPECT_THAT(chosen("harris[!1-5]"), ElementsAre("harris6", "harris7"));
  EXPECT_THAT(chosen("tb?"), ElementsAre("tb2"));
  EXPECT_EQ(error(experiment(R"("variants": "HARRIS?", "axes": {"n": 1})")),
            "x.json: $.experiments[0].variants: no variant of reduce matches `HARRIS?`");
}

TEST_F(ConfigFile, SyntaxErrorsSayLineAndColumn) {
  EXPECT_THAT(error("{\n  \"title\": \"x\",\n  \"seed\" ?\n}"),
              StartsWith("x.json: line 3, column 10: syntax error"));
  EXPECT_EQ(error(""), "x.json: line 1, column 1: is empty, JSON is expected");
  EXPECT_THAT(error("{\"title\": \"\xff\"}"), HasSubstr("line 1, column 12"));  // not UTF-8
  EXPECT_THAT(error("{} {}"), HasSubstr("line 1, column 4"));
}

TEST_F(ConfigFile, DuplicateKeysAreRefused) {
  EXPECT_EQ(error(R"({"seed": 1, "seed": 2})"), "x.json: $.seed: the key is there twice");
  EXPECT_EQ(error(R"({"experiments": [{}, {"axes": {"n": 1, "n": 2}}]})"),
            "x.json: $.experiments[1].axes.n: the key is there twice");
}

TEST_F(ConfigFile, NestingHasAnEnd) {
  EXPECT_THAT(error(std::string(100000, '[')), HasSubstr(": is nested deeper than 64 levels"));
}

TEST_F(ConfigFile, NumbersThatNoTypeHoldsAreNamed) {
  EXPECT_EQ(error(R"({"experiments": [], "seed": 1e400})"), "x.json: $.seed: is a number larger than any");
  EXPECT_THAT(error(with_measure("{}"), {.sets = {"measure.max_noise=1e400"}}),
              HasSubstr("$.measure.max_noise (--set measure.max_noise=1e400): expected a number above 0"));
}

// Values of --set and --axis have the limits of a file, and messages do not repeat them whole.
TEST_F(ConfigFile, ValuesOfTheCommandLineAreReadAsStrictly) {
  const std::string deep = std::string(60000, '[') + std::string(60000, ']');
  const std::string title = error(with_axes(R"({"n": 1})"), {.sets = {"title=" + deep}});
  EXPECT_THAT(title, HasSubstr("is nested deeper than 64 levels"));
  EXPECT_LT(title.size(), 500u);
  std::string object = "1";
  for (int i = 0; i < 1000; ++i) object = "{\"a\":" + object + "}";
  EXPECT_THAT(error(with_axes(R"({"n": 1})"), {.axes = {"values=" + object}}), HasSubstr("64 levels"));
  EXPECT_THAT(error(with_axes(R"({"n": 1})"), {.sets = {R"(measure={"max_noise": 1, "max_noise": 2})"}}),
              HasSubstr("$.max_noise: the key is there twice"));
  std::string path = "a";
  for (int i = 0; i < 100; ++i) path += ".a";
  EXPECT_THAT(error(with_axes(R"({"n": 1})"), {.sets = {path + "=1"}}), HasSubstr("expected KEY=VALUE"));
}

// Twins are not looked for among all values before each.
TEST_F(ConfigFile, ManyValuesAreCountedInLinearTime) {
  const auto ranges = [](int count) {
    std::string text = "n=";
    for (int i = 0; i < count; ++i)
      text += fmt::format("{}[{}:{}:1]", i ? "," : "", 10000 * i + 1, 10000 * (i + 1));
    return text;
  };
  const auto cost = [&](int count) {
    const std::clock_t start = std::clock();
    EXPECT_EQ(axis(load(with_axes(R"({"n": 1})"), {.axes = {ranges(count)}}).experiments[0], "n").size(),
              10000u * unsigned(count));
    return double(std::clock() - start);
  };
  EXPECT_LT(cost(9), 27 * cost(1));  // 81 times where each is held against all before
  EXPECT_THAT(error(with_axes(R"({"n": 1})"), {.axes = {ranges(11)}}), HasSubstr("more than 100000 values"));
}

TEST_F(ConfigFile, FilesThatAreNone) {
  EXPECT_THAT(usage_error([] { load_config("/nowhere/x.json", Target::simt, {}, record_columns()); }),
              testing::StartsWith("/nowhere/x.json: there is no such file; redbench's own configs are in "));
  EXPECT_EQ(usage_error([] { load_config("/", Target::simt, {}, record_columns()); }),
            "/: is a directory; a config is a JSON file");
  const std::string huge = folder_.write("huge.json", std::string((16 << 20) + 1, ' '));
  EXPECT_THAT(usage_error([&] { load_config(huge, Target::simt, {}, record_columns()); }),
              HasSubstr("is larger than 16 MiB"));
}

TEST_F(ConfigFile, UnknownKeysGetTheNearestOne) {
  EXPECT_THAT(error(R"({"experimets": []})"),
              testing::AllOf(StartsWith("x.json: $.experimets: unknown key; allowed are `$schema`, `title`"),
                             HasSubstr("; did you mean `experiments`?")));
  EXPECT_THAT(error(with_measure(R"({"max_nois": 1})")),
              testing::AllOf(StartsWith("x.json: $.measure.max_nois: unknown key;"),
                             HasSubstr("; did you mean `max_noise`?")));
  EXPECT_EQ(error(with_axes(R"({"n": 1, "blok": 64})")),
            "x.json: $.experiments[0].axes.blok: unknown key; allowed are `n`, `type`, `operator`, `values` "
            "or `block`; "
            "did you mean `block`?");
}

TEST_F(ConfigFile, WrongTypes) {
  EXPECT_THAT(error("[]"), StartsWith("x.json: $: expected an object, got []"));
  EXPECT_EQ(error(R"({"experiments": {}})"), "x.json: $.experiments: expected a list, got {}");
  EXPECT_EQ(error(R"({"experiments": [3]})"), "x.json: $.experiments[0]: expected an object, got 3");
  EXPECT_EQ(error(R"({"title": 3, "experiments": []})"), "x.json: $.title: expected a string, got 3");
  EXPECT_EQ(error(with_axes("7")), "x.json: $.experiments[0].axes: expected an object, got 7");
  EXPECT_EQ(error(with_axes(R"({"n": 1, "type": [1]})")),
            "x.json: $.experiments[0].axes.type[0]: expected a string, got 1");
  EXPECT_EQ(error(with_measure(R"({"min_samples": "x"})")),
            "x.json: $.measure.min_samples: expected a whole number from 1 to 1000000, got \"x\"");
  EXPECT_EQ(error(with_measure(R"({"min_samples": 2.5})")),
            "x.json: $.measure.min_samples: expected a whole number from 1 to 1000000, got 2.5");
  EXPECT_EQ(error(with_measure(R"({"max_noise": 0})")),
            "x.json: $.measure.max_noise: expected a number above 0, got 0");
  EXPECT_EQ(error(with_measure(R"({"per_launch": 1})")),
            "x.json: $.measure.per_launch: expected true or false, got 1");
  EXPECT_EQ(error(with_measure(R"({"min_samples": 9, "max_samples": 8})")),
            "x.json: $.measure.max_samples: is less than min_samples, 9");
  EXPECT_THAT(
      error(with_measure(R"({"mode": "hot"})")),
      StartsWith("x.json: $.measure.mode: unknown name `hot`; allowed are `cold`, `warm` or `graph`"));
  EXPECT_EQ(error(R"({"seed": -1, "experiments": []})"),
            "x.json: $.seed: expected a whole number from 0 to 9223372036854775807, got -1");
  EXPECT_EQ(
      error(R"({"seed": 18446744073709551615, "experiments": []})"),
      "x.json: $.seed: expected a whole number from 0 to 9223372036854775807, got 18446744073709551615");
  EXPECT_EQ(error(R"({"plots": [1], "experiments": []})"), "x.json: $.plots[0]: expected an object, got 1");
  // 60 characters with their quotes are shown whole, of more the first 57.
  const auto seed = [&](std::size_t characters) {
    const std::string text =
        error(R"({"seed": ")" + std::string(characters, 's') + R"(", "experiments": []})");
    return text.substr(text.find("got ") + 4);
  };
  EXPECT_EQ(seed(58), '"' + std::string(58, 's') + '"');
  EXPECT_EQ(seed(59), '"' + std::string(56, 's') + "...");
  EXPECT_EQ(error(with_measure(R"({"forks": ["é", {"a": 1.5, "b": null}]})")),
            "x.json: $.measure.forks: expected a whole number from 1 to 100, got "
            "[\"é\",{\"a\":1.5,\"b\":null}]")
      << "in the letters of the file, on one line";
}

TEST_F(ConfigFile, EmptyListsAndMissingKeys) {
  EXPECT_THAT(error("{}"),
              StartsWith("x.json: $: the key `experiments` is missing: a list of what to compare"));
  EXPECT_EQ(error(R"({"experiments": []})"),
            "x.json: $.experiments: the list is empty; at least one experiment is needed");
  EXPECT_EQ(
      error(R"({"experiments": [{"variants": ["harris3"]}]})"),
      "x.json: $.experiments[0]: the key `problem` is missing: what is computed, as `redbench list` names "
      "it");
  EXPECT_EQ(error(R"({"experiments": [{"problem": "reduce"}]})"),
            "x.json: $.experiments[0]: the key `variants` is missing: names without the problem, or globs: "
            "`shuffle_*_vec4`");
  EXPECT_EQ(error(experiment(R"("variants": [], "axes": {"n": 1})")),
            "x.json: $.experiments[0].variants: the list is empty; at least one value is needed");
  EXPECT_EQ(error(with_axes(R"({"n": []})")),
            "x.json: $.experiments[0].axes.n: the list is empty; at least one value is needed");
  EXPECT_THAT(error(with_axes("{}")), StartsWith("x.json: $.experiments[0].axes: the axis `n` is missing"));
  EXPECT_THAT(error(experiment(R"("variants": ["harris3"])")),
              StartsWith("x.json: $.experiments[0].axes: the axis `n` is missing"));
}

TEST_F(ConfigFile, SizesThatAreNone) {
  EXPECT_EQ(error(with_axes(R"({"n": [1, 2, -3]})")), "x.json: $.experiments[0].axes.n[2]: -3 is negative");
  EXPECT_EQ(error(with_axes(R"({"n": ["2^41"]})")),
            "x.json: $.experiments[0].axes.n[0]: 2^41 is too large: the most is 2^40");
  EXPECT_THAT(error(with_axes(R"({"n": [[1]]})")),
              StartsWith("x.json: $.experiments[0].axes.n[0]: `[1]` is not a size"));
  EXPECT_THAT(error(with_axes(R"({"n": null})")),
              StartsWith("x.json: $.experiments[0].axes.n: `null` is not a size"));
}

TEST_F(ConfigFile, UnknownNames) {
  EXPECT_THAT(
      error(R"({"experiments": [{"problem": "redcue", "variants": ["x"]}]})"),
      testing::AllOf(StartsWith("x.json: $.experiments[0].problem: unknown name `redcue`; allowed are"),
                     HasSubstr("; did you mean `reduce`?")));
  EXPECT_THAT(
      error(experiment(R"("variants": ["harris3", "haris7"], "axes": {"n": 1})")),
      StartsWith(
          "x.json: $.experiments[0].variants[1]: reduce has no variant `haris7`; did you mean `harris7`?"));
  EXPECT_THAT(
      error(experiment(R"("variants": ["reduce/harris3"], "axes": {"n": 1})")),
      StartsWith("x.json: $.experiments[0].variants[0]: reduce has no variant `reduce/harris3`; did you mean "
                 "`harris3`?"));
  EXPECT_EQ(error(experiment(R"("variants": ["x*"], "axes": {"n": 1})")),
            "x.json: $.experiments[0].variants[0]: no variant of reduce matches `x*`");
  EXPECT_EQ(error(with_axes(R"({"n": 1, "type": "f31"})")),
            "x.json: $.experiments[0].axes.type: unknown name `f31`; allowed are `i32`, `i64`, `u32`, `f32`, "
            "`f64`, `c32`, `c64` or `f16`; did you mean `f32`?");
  EXPECT_EQ(error(with_axes(R"({"n": 1, "operator": ["sum", "summ"]})")),
            "x.json: $.experiments[0].axes.operator[1]: unknown name `summ`; allowed are `sum`, `min`, "
            "`max`, `product`, "
            "`right` or `affine`; did you mean `sum`?");
  EXPECT_EQ(error(with_axes(R"({"n": 1, "values": "unifrom"})")),
            "x.json: $.experiments[0].axes.values: no distribution `unifrom`: allowed are `uniform`, "
            "`exact`, `equal` or "
            "`extreme`, and {\"file\": \"x.npy\"}; did you mean `uniform`?");
  EXPECT_THAT(error(with_axes(R"({"n": 1, "values": {"fil": "x.npy"}})")),
              StartsWith("x.json: $.experiments[0].axes.values: expected `uniform`"));
}

TEST_F(ConfigFile, ParametersThatNoVariantTakes) {
  EXPECT_EQ(error(with_axes(R"({"n": 1, "block": [64, 2048]})")),
            "x.json: $.experiments[0].axes.block[1]: no listed variant takes block = 2048: harris3 takes 32 "
            "to 1024, powers "
            "of two");
  EXPECT_THAT(error(with_axes(R"({"n": 1, "block": 96})")), HasSubstr("no listed variant takes block = 96"));
  EXPECT_THAT(
      error(experiment(R"("variants": ["diffwarps"], "axes": {"n": 1, "block": 64})")),
      StartsWith("x.json: $.experiments[0].axes.block: unknown key"));  // diffwarps has no such parameter
}

TEST_F(ConfigFile, ParametersAreToldByRange) {
  EXPECT_EQ(
      error(experiment(R"("variants": ["harris2", "harris3"], "axes": {"n": 1, "block": 96})")),
      "x.json: $.experiments[0].axes.block: no listed variant takes block = 96: harris2, harris3 take 32 to "
      "1024, powers of two");
}

TEST_F(ConfigFile, TooManyCases) {
  EXPECT_EQ(
      error(with_axes(
          R"({"n": "[1:10000:1]", "type": ["i32", "i64"], "operator": ["sum", "min", "max"], "block": [64, 128]})")),
      "x.json: means 120000 cases; the most is 100000");
}

TEST_F(ConfigFile, PatchOfTheDevice) {
  const std::string text = R"({"measure": {"max_noise": 2, "min_samples": 5},
    "experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": "2^28"}}],
    "on_simt": {"measure": {"max_noise": 3},
                "experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": "2^16"}}]}})";
  const Config simt = load(text);
  EXPECT_EQ(simt.measure.max_noise, 3);
  EXPECT_EQ(simt.measure.min_samples, 5);
  EXPECT_THAT(axis(simt.experiments[0], "n"), ElementsAre(65536));
  const Config cuda = load(text, {}, Target::cuda);
  EXPECT_EQ(cuda.measure.max_noise, 2);
  EXPECT_THAT(axis(cuda.experiments[0], "n"), ElementsAre(1 << 28));
  EXPECT_FALSE(cuda.resolved.contains("on_simt"));
}

TEST_F(ConfigFile, MistakesInAPatchAreFoundOnEveryDevice) {
  const std::string base =
      R"("experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}])";
  for (const Target target : {Target::simt, Target::host}) {
    EXPECT_THAT(error("{" + base + R"(, "on_simt": {"measure": {"max_noise": -1}}})", {}, target),
                StartsWith("x.json: $.on_simt.measure.max_noise: expected a number above 0, got -1"));
    EXPECT_THAT(error("{" + base + R"(, "on_simt": {"sed": 1}})", {}, target),
                StartsWith("x.json: $.on_simt.sed: unknown key"));
    EXPECT_THAT(error("{" + base + R"(, "on_simt": {"experiments": [{"problem": "x", "variants": ["x"]}]}})",
                      {}, target),
                StartsWith("x.json: $.on_simt.experiments[0].problem: unknown name `x`"));
    EXPECT_EQ(error("{" + base + R"(, "on_simt": 3})", {}, target),
              "x.json: $.on_simt: expected an object, got 3");
    EXPECT_EQ(error("{" + base + R"(, "on_simt": {"on_host": {}}})", {}, target),
              "x.json: $.on_simt.on_host: a patch holds no patches");
  }
}

TEST_F(ConfigFile, AxesFromTheCommandLine) {
  const std::string text = R"({"experiments": [
    {"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1, "block": 64}},
    {"problem": "reduce", "variants": ["diffwarps"], "axes": {"n": 2}}]})";
  const Config config = load(
      text, {.axes = {"n=[16Mi:18Mi:1Mi]", "type=f32,f64", "block=128,256"}, .sets = {}, .variants = {}});
  for (const Experiment& experiment : config.experiments) {
    EXPECT_THAT(axis(experiment, "n"), ElementsAre(16 << 20, 17 << 20, 18 << 20));
    EXPECT_THAT(axis(experiment, "type"), ElementsAre("f32", "f64"));
  }
  EXPECT_THAT(axis(config.experiments[0], "block"), ElementsAre(128, 256));
  EXPECT_TRUE(axis(config.experiments[1], "block").empty());  // diffwarps has no such parameter

  EXPECT_EQ(error(text, {.axes = {"blok=64"}, .sets = {}, .variants = {}}),
            "-a blok=64: no experiment of x.json has an axis `blok`; it has `n`, `type`, `operator`, "
            "`values` or `block`; did "
            "you mean `block`?");
  EXPECT_EQ(error(text, {.axes = {"n=1,x"}, .sets = {}, .variants = {}}).substr(0, 63),
            "x.json: $.experiments[0].axes.n[1] (-a n=1,x): `x` is not a siz");
  for (const char* bad : {"n", "=1", "n="})
    EXPECT_THAT(error(text, {.axes = {bad}, .sets = {}, .variants = {}}), HasSubstr("expected NAME=VALUES"));
}

TEST_F(ConfigFile, AnAxisFromTheCommandLineMendsTheFile) {
  EXPECT_THAT(axis(load(with_axes("{}"), {.axes = {"n=8"}, .sets = {}, .variants = {}}).experiments[0], "n"),
              ElementsAre(8));
}

TEST_F(ConfigFile, AnyKeyFromTheCommandLine) {
  const std::string text = with_axes(R"({"n": 1})");
  const auto set = [](const std::string& s) { return Overrides{.axes = {}, .sets = {s}, .variants = {}}; };
  EXPECT_EQ(load(text, set("measure.max_noise=1.5")).measure.max_noise, 1.5);
  EXPECT_EQ(load(text, set("title=a plain text")).title, "a plain text");
  EXPECT_THAT(load(text, set("measure.mode=cold,warm")).measure.modes, ElementsAre(Mode::cold, Mode::warm));
  EXPECT_THAT(load(text, set("measure.mode=graph,cold")).measure.modes, ElementsAre(Mode::graph, Mode::cold));
  EXPECT_THAT(load(text, set("measure.mode=warm,warm")).measure.modes, ElementsAre(Mode::warm));
  EXPECT_EQ(error(text, set("measure.mode=warm,cool")),
            "x.json: $.measure.mode (--set measure.mode=warm,cool): unknown name `cool`; allowed are `cold`, "
            "`warm` or "
            "`graph`; did you mean `cold`?");
  for (const char* path : {"experiments[0].title", "$.experiments[0].title"})
    EXPECT_EQ(load(text, set(path + std::string("=\"y\""))).experiments[0].title, "y") << path;

  EXPECT_THAT(error(text, set("measure.max_nois=1")),
              StartsWith("x.json: $.measure.max_nois (--set measure.max_nois=1): unknown key"));
  EXPECT_EQ(error(text, set("measure.max_noise=x")),
            "x.json: $.measure.max_noise (--set measure.max_noise=x): expected a number above 0, got \"x\"");
  EXPECT_EQ(error(text, set("experiments[1].title=x")),
            "--set experiments[1].title=x: $.experiments has no element 1");
  EXPECT_EQ(error(text, set("experiments.title=x")),
            "--set experiments.title=x: $.experiments is not an object");
  for (const char* patch : {"on_host=5", "on_simt.measure.nonsense=1", "on_cuda.measure.max_noise=1",
                            "$.on_host.seed=1", "on_simt[0]=1"})
    EXPECT_EQ(error(text, set(patch)), std::string("--set ") + patch +
                                           ": patches are merged before; set the key itself, as in "
                                           "measure.max_noise=1");
  for (const char* bad : {"measure", "=1", "..=1", "a[=1", "a[x]=1", "a[99999999999]=1", "measure.=1",
                          "experiments[0]title=x", "[0]=1", "$.=1", ".a=1", "a[0]]=1", "a..b=1"})
    EXPECT_THAT(error(text, set(bad)), HasSubstr("expected KEY=VALUE")) << bad;

  // A frame of the stack for each level: the second ended the process.
  std::string path = "measure";
  for (int level = 0; level < 30'000; ++level) path += ".a";
  EXPECT_THAT(error(text, set(path + "=1")), HasSubstr("expected KEY=VALUE"));
  const std::string deep = std::string(60'000, '[') + std::string(60'000, ']');
  EXPECT_THAT(error(text, set("measure=" + deep)), HasSubstr("is nested deeper than 64 levels"));
  EXPECT_THAT(error(text, {.axes = {"values={\"file\": " + deep + "}"}, .sets = {}, .variants = {}}),
              HasSubstr("is nested deeper than 64 levels"));
}

TEST_F(ConfigFile, APatternPicksVariants) {
  const std::string text = experiment(R"("variants": ["harris*", "tb2"], "axes": {"n": 1, "block": 64})");
  EXPECT_THAT(load(text, {.axes = {}, .sets = {}, .variants = "harris[12]$|tb"}).experiments[0].variants,
              ElementsAre("harris1", "harris2", "tb2"));
  EXPECT_THAT(error(text, {.axes = {}, .sets = {}, .variants = "cub"}),
              StartsWith("-b cub: fits no variant of x.json, which has"));
  EXPECT_THAT(error(text, {.axes = {}, .sets = {}, .variants = "("}),
              StartsWith("-b (: not a regular expression"));
}

TEST_F(ConfigFile, FilesOfValuesAreFoundBesideTheConfig) {
  std::filesystem::create_directories(folder_.path() + "/configs/here/data");
  std::filesystem::copy(fixture("i32_big.npy"), folder_.path() + "/configs/here/data/v.npy");
  const Config config = load(with_axes(R"({"values": {"file": "data/v.npy"}})"));
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(5));
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre("i32"));
  EXPECT_EQ(axis(config.experiments[0], "values")[0]["file"], folder_.path() + "/configs/here/data/v.npy");
}

TEST_F(ConfigFile, FilesDecideTypeAndSizeEachForItself) {
  const std::string values = R"("values": ["uniform", {"file": ")" + fixture("f32.npy") +
                             R"("}, {"file": ")" + fixture("c64.npy") + R"("}])";
  const Config config = load(with_axes("{" + values + R"(, "n": 2})"));
  ASSERT_EQ(config.experiments.size(), 3u);  // the files, then what is generated
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre("f32"));
  EXPECT_THAT(axis(config.experiments[1], "type"), ElementsAre("c64"));
  EXPECT_THAT(axis(config.experiments[2], "type"), ElementsAre("i32"));
  EXPECT_THAT(axis(config.experiments[2], "values"), ElementsAre("uniform"));
  EXPECT_THAT(error(with_axes("{" + values + "}")), HasSubstr("the axis `n` is missing"));
}

TEST_F(ConfigFile, FilesThatDoNotFit) {
  const auto file = [&](const std::string& name, const std::string& more = "") {
    return error(with_axes(R"({"values": [{"file": ")" + fixture(name) + R"("}])" + more + "}"));
  };
  const std::string place = "x.json: $.experiments[0].axes.values[0]: " + fixture("");
  EXPECT_EQ(file("none.npy"), place + "none.npy: there is no such file");
  EXPECT_THAT(file("samples/none.npy"),
              HasSubstr("none.npy: there is no such file; scripts/get_samples.py writes"));
  EXPECT_EQ(file("../fixtures"),
            "x.json: $.experiments[0].axes.values[0]: " + std::string(REDBENCH_SOURCE_DIR) +
                "/tests/fixtures: is a directory, not a NumPy file");
  EXPECT_EQ(file("nan.npy"),
            place + "nan.npy: element 1 is a NaN or an infinity: no answer could be checked");
  EXPECT_EQ(file("infinity.npy"),
            place + "infinity.npy: element 3 is a NaN or an infinity: no answer could be checked");
  EXPECT_EQ(file("u8.npy"),
            place +
                "u8.npy holds u8, of which reduce has no values; allowed are `i32`, `i64`, `u32`, `f32`, "
                "`f64`, `c32`, `c64` or `f16`");
  EXPECT_EQ(file("i32.npy", R"(, "type": "f32")"),
            place + "i32.npy holds i32, which the axis `type` does not have");
  EXPECT_EQ(file("pairs.npy"), place + "pairs.npy holds pairs, which only the operator `affine` takes");
  EXPECT_EQ(
      file("u32_version2.npy", R"(, "operator": "affine")"),
      place + "u32_version2.npy holds single values; `affine` takes pairs (a, b), an array of shape (n, 2)");
  EXPECT_NO_THROW(load(with_axes(R"({"values": [{"file": ")" + fixture("u32_version2.npy") +
                                 R"("}], "operator": ["affine", "sum"]})")))
      << "another operator takes them";
}

TEST_F(ConfigFile, EveryConfigOfTheProjectIsRight) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(REDBENCH_SOURCE_DIR "/configs")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find("/devices/") != path.npos ||
        path.find("/claims/") != path.npos || entry.path().filename() == "schema.json")
      continue;
    if (read_json_file(path).dump().find(".npy") != std::string::npos)
      continue;  // its samples may not be there
    for (const Target target : {Target::cuda, Target::simt, Target::host})
      EXPECT_NO_THROW(load_config(path, target, {}, record_columns())) << path;
    ++count;
  }
  EXPECT_GE(count, 10);
}

}  // namespace
}  // namespace redbench
