// Configs: what they mean, and the messages about mistakes (tests/golden/config).
#include <fmt/format.h>

#include "src/config/config.hpp"
#include "src/json/node.hpp"
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
  EXPECT_TRUE(config.resolved["measure"]["trace"].is_null());
  EXPECT_EQ(load(with_measure(R"({"min_samples": 300})")).measure.max_samples, 300)
      << "no less than the fewest";
}

TEST_F(ConfigFile, IsNamedByItsPathBelowTheLastConfigs) {
  for (const auto& [path, name] :
       {std::pair("elsewhere/x.json", "x"), {"configs/a/configs/b/x.json", "b/x"}}) {
    folder_.write(path, with_axes(R"({"n": 1})"));
    const Config config = load_config(folder_.path() + "/" + path, Target::simt, {}, record_columns());
    EXPECT_EQ(config.name, name) << path;
    EXPECT_EQ(config.title, name) << path;
    EXPECT_EQ(config.path, folder_.path() + "/" + path);
  }
}

TEST_F(ConfigFile, OptionsOfATraceAndOfTheCacheSimulatorAreReadAsTheyAre) {
  const TraceOptions trace = *load(with_measure(R"({"counters": true, "trace": {"launch": 2147483647,
      "block": 22, "warp": 31, "levels": {"harris3": [0, 65535], "tb2": [0]}}})"))
                                  .measure.trace;
  EXPECT_EQ(trace.warp.launch, 2147483647);
  EXPECT_EQ(trace.warp.block, 22);
  EXPECT_EQ(trace.warp.warp, 31);
  EXPECT_EQ(trace.levels, (std::map<std::string, std::vector<Index>>{{"harris3", {0, 65535}}, {"tb2", {0}}}));

  const auto caches = [&](const std::string& members) {
    return *load(R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}],
                     "caches": )" +
                 members + "}")
                .caches;
  };
  const CachesOptions all =
      caches(R"({"machines": ["core2_t7300", "./mine.json"], "models": ["overlapped", "serial"],
                 "loops": {"cpu_sequential": "dependent", "cpu_presorted": "presorted"}, "steps": 77})");
  EXPECT_THAT(all.machines, ElementsAre("core2_t7300", "./mine.json"));
  EXPECT_THAT(all.models, ElementsAre(CacheModel::overlapped, CacheModel::serial));
  EXPECT_EQ(all.loops, (std::map<std::string, LoopKind>{{"cpu_sequential", LoopKind::dependent},
                                                        {"cpu_presorted", LoopKind::presorted}}));
  EXPECT_EQ(all.steps, 77);
}

TEST_F(ConfigFile, WhatIsResolvedIsTheWholeConfig) {
  const Config config = load(R"({"title": "T", "seed": 9223372036854775807, "measure": {"forks": 2},
      "experiments": [{"title": "first", "problem": "reduce", "variants": ["harris3", "harris1"],
                       "axes": {"n": [8, 16], "type": "f32", "operator": "max", "values": "exact",
                                "block": 64}},
                      {"problem": "segreduce", "variants": "cpu_serial",
                       "axes": {"n": 1, "segments": "one"}}],
      "plots": [{"name": "p", "x": "n", "y": "time_ns", "where": {"variant": "harris3"}}]})");
  const Json first =
      Json::parse(R"({"title": "first", "problem": "reduce", "variants": ["harris3", "harris1"],
      "axes": {"n": [8, 16], "type": ["f32"], "operator": ["max"], "values": ["exact"], "block": [64]}})");
  EXPECT_EQ(config.resolved["title"], "T");
  EXPECT_EQ(config.resolved["seed"], 9223372036854775807);
  EXPECT_EQ(config.resolved["measure"]["forks"], 2);
  EXPECT_EQ(config.resolved["plots"], config.plots);
  EXPECT_EQ(config.plots[0]["name"], "p");
  EXPECT_EQ(config.resolved["experiments"][0], first);
  EXPECT_EQ(config.resolved["experiments"][1]["problem"], "segreduce");
  // What a worker process reads, and what a run that is resumed keeps of run.json.
  const Config worker = deserialize_config(config.path, config.name, config.resolved);
  EXPECT_EQ(worker.seed, 9223372036854775807u);
  EXPECT_EQ(worker.measure.forks, 2);
  EXPECT_EQ(worker.resolved, config.resolved);
  const Config stored = stored_config("run.json", config.resolved, record_columns());
  EXPECT_EQ(stored.seed, config.seed);
  for (const Config& again : {worker, stored}) {
    ASSERT_EQ(again.experiments.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again.experiments[i].title, config.experiments[i].title);
      EXPECT_EQ(again.experiments[i].problem, config.experiments[i].problem);
      EXPECT_EQ(again.experiments[i].variants, config.experiments[i].variants);
      EXPECT_EQ(Json(again.experiments[i].axes), Json(config.experiments[i].axes));
    }
  }
}

// What another redbench could run and this one cannot is left out of its config.
TEST(StoredConfig, IsWithoutTheVariantsThatThereAreNone) {
  const auto experiment = [](const Json& variants) {
    return Json{{"problem", "reduce"}, {"variants", variants}, {"axes", {{"n", {8}}}}};
  };
  const auto stored = [](const Json& experiments) {
    return stored_config("run.json", {{"title", "not read"}, {"seed", 5}, {"experiments", experiments}},
                         record_columns());
  };
  const Config config = stored({experiment({"gone", "harris3", "old"}), experiment(Json::array({"gone"})),
                                experiment({"harris1", "harris2"})});
  EXPECT_EQ(config.seed, 5u);
  EXPECT_EQ(config.name, "run");
  ASSERT_EQ(config.experiments.size(), 2u);
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("harris3"));
  EXPECT_THAT(config.experiments[1].variants, ElementsAre("harris1", "harris2"));
  const auto mistake = [&](const Json& experiments) { return usage_error([&] { stored(experiments); }); };
  EXPECT_EQ(mistake(Json::array({7})), "run.json: $.experiments[0]: expected an object, got 7");
  EXPECT_THAT(mistake(Json::array({experiment(Json::array({"gone"}))})), HasSubstr("--kernels"));
  EXPECT_THAT(mistake(Json::array()), HasSubstr("at least one experiment is needed"));
}

TEST_F(ConfigFile, AVariantAloneIsItsFirstPairOverAMillionValues) {
  const Variant& variant = *find_variant("reduce/harris3");
  const Config config = variant_config(variant, Target::simt, {}, record_columns());
  ASSERT_EQ(config.experiments.size(), 1u);
  EXPECT_THAT(config.experiments[0].variants, ElementsAre("harris3"));
  const Instance& first = *variant.first_taken(Target::simt);
  EXPECT_THAT(axis(config.experiments[0], "n"), ElementsAre(1 << 20));
  EXPECT_THAT(axis(config.experiments[0], "type"), ElementsAre(std::string(name_of(first.type))));
  EXPECT_THAT(axis(config.experiments[0], "operator"), ElementsAre(std::string(name_of(first.op))));
  EXPECT_EQ(usage_error([] {
              variant_config(*find_variant("reduce/cpu_serial"), Target::simt, {}, record_columns());
            }),
            "reduce/cpu_serial: nothing that simt could run: it is not built for this device");
}

TEST_F(ConfigFile, SyntaxErrorsSayLineAndColumn) {
  EXPECT_THAT(error("{\n  \"title\": \"x\",\n  \"seed\" ?\n}"),
              StartsWith("x.json: line 3, column 10: syntax error"));
  EXPECT_EQ(error(""), "x.json: line 1, column 1: is empty, JSON is expected");
  EXPECT_THAT(error("{\"title\": \"\xff\"}"), HasSubstr("line 1, column 12"));  // not UTF-8
  EXPECT_THAT(error(std::string(100000, '[')), HasSubstr(": is nested deeper than 64 levels"));
  EXPECT_EQ(error(R"({"experiments": [{}, {"axes": {"n": 1, "n": 2}}]})"),
            "x.json: $.experiments[1].axes.n: the key is there twice");
}

TEST_F(ConfigFile, MistakesOfAFileAreNamedByPlaceWithWhatIsAllowed) {
  const std::string base =
      R"("experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}])";
  const std::string levels = R"({"counters": true, "trace": {"levels": {"harris3": )";
  const std::string patch =
      R"(, "on_simt": {"measure": {"max_noise": 3}, "seed": 9, "caches": {"loops": {}, "steps": 0}}})";
  for (const std::string& text : std::vector<std::string>{
           // Keys and types.
           R"({"experimets": []})", "[1]", "{}", R"({"experiments": {}})", R"({"experiments": [3]})",
           R"({"experiments": []})", R"({"title": 3, "experiments": []})",
           R"({"experiments": [], "seed": 1e400})",
           R"({"seed": [")" + std::string(54, 's') + R"("], "experiments": []})",
           with_measure(R"({"max_nois": 1})"), with_measure(R"({"min_samples": 9, "max_samples": 8})"),
           with_measure(R"({"mode": "hot"})"), with_measure(R"({"trace": {"launch": 1}})"),
           with_measure(levels + "[0, 65536]}}}"), with_measure(levels + "[4, 4]}}}"),
           with_measure(R"({"counters": true, "trace": {"levels": {"haris3": [1]}}})"),
           "{" + base + R"(, "caches": {"loops": {"cpu_sequentia": "simple"}}})",
           // Experiments.
           R"({"experiments": [{"variants": ["harris3"]}]})", R"({"experiments": [{"problem": "reduce"}]})",
           R"({"experiments": [{"problem": "redcue", "variants": ["x"]}]})",
           R"({"experiments": [{"problem": "reduce", "variant": ["x"]}]})", experiment(R"("variants": [3])"),
           experiment(R"("variants": ["harris3", "haris7"], "axes": {"n": 1})"),
           experiment(R"("variants": "reduce/tb22", "axes": {"n": 1})"),
           experiment(R"("variants": ["x*"], "axes": {"n": 1})"),
           experiment(R"("variants": "HARRIS?", "axes": {"n": 1})"), experiment(R"("variants": ["harris3"])"),
           // Axes.
           with_axes("{}"), with_axes(R"({"n": []})"), with_axes(R"({"n": 1, "blok": 64})"),
           with_axes(R"({"n": [1, 2, -3]})"), with_axes(R"({"n": [[1]]})"),
           with_axes(R"({"n": 1, "type": "f31"})"), with_axes(R"({"n": 1, "operator": ["sum", "summ"]})"),
           with_axes(R"({"n": 1, "values": "unifrom"})"),
           with_axes(R"({"n": 1, "values": {"fil": "x.npy"}})"),
           with_axes(R"({"n": 1, "block": [64, 2048]})"), with_axes(R"({"n": 1, "block": 96})"),
           experiment(R"("variants": ["diffwarps"], "axes": {"n": 1, "block": 64})"),
           experiment(R"("variants": ["diffwarps", "harris2", "harris3"], "axes": {"n": 1, "block": 16})"),
           // Patches, which are checked on every device: a mistake is in the patch where the patch has the
           // key.
           "{" + base + R"(, "on_simt": {"measure": {"max_noise": -1}}})",
           "{" + base + R"(, "on_cuda": {"sed": 1}})",
           "{" + base + R"(, "on_cuda": {"experiments": [{"problem": "x", "variants": ["x"]}]}})",
           "{" + base + R"(, "on_simt": 3})", "{" + base + R"(, "on_simt": {"on_host": {}}})",
           "{\"title\": 7, " + base + patch, "{\"measure\": {\"forks\": 0}, " + base + patch,
           "{\"title\": \"t\", " + base + patch})
    add(text, error(text));
  expect_golden("config/mistakes.txt", mistakes_);
}

TEST_F(ConfigFile, MistakesOfTheCommandLineNameTheOption) {
  const std::string text = with_axes(R"({"n": 1, "block": 64})");
  const std::string x40(40, 'x'), x41(41, 'x'), deep = std::string(60'000, '[') + std::string(60'000, ']');
  std::string long_path = "measure", path64 = "caches";
  for (int level = 1; level < 30'000; ++level)
    long_path += ".a";  // a frame of the stack for each ended the process
  for (int level = 1; level < 64; ++level) path64 += ".a";
  for (const std::string& set_ :
       {std::string("measure.max_noise=x"), std::string("measure.mode=warm,cool"),
        "measure.max_noise=\"" + x40 + '"', "measure.max_noise=\"" + x41 + '"',
        std::string("measure.max_noise=1e400"), std::string(R"(measure={"max_noise": 1, "max_noise": 2})"),
        std::string("experiments[1].title=x"), std::string("experiments.title=x"), std::string("on_host=5"),
        std::string("on_simt.measure.nonsense=1"), std::string("$.on_host.seed=1"),
        "ab" + std::string(70, 'k'), path64 + "=1", path64 + ".a=1", long_path + "=1", "measure=" + deep})
    add("--set " + set_.substr(0, 80), error(text, set(set_)));
  for (const char* bad :
       {"measure", "=1", "a[]=1", "a[1000000]=1", "measure.=1", "experiments[0]title=x", "[0]=1", "a..b=1"})
    EXPECT_EQ(error(text, set(bad)),
              std::string("--set ") + bad + ": expected KEY=VALUE, as in measure.max_noise=1");
  for (const std::string& axis_ :
       {std::string("blok=64"), std::string("n=1,x"), std::string("n"), std::string("=1"), std::string("n="),
        std::string(""), "blok=" + std::string(56, '6'), "n=" + std::string(50, '4') + ",12345678,x",
        "values={\"file\": " + deep + "}"})
    add("-a " + axis_.substr(0, 80), error(text, axes({axis_})));
  for (const char* pattern : {"cub", "("}) add(std::string("-b ") + pattern, error(text, only(pattern)));
  // The bug: what follows a bracket was left out, were it another bracket.
  const std::string element = "experiments[0].axes.n[0][2]=3";
  add("--set " + element, error(with_axes(R"({"n": [[1, 2]]})"), set(element)));
  expect_golden("config/command_line.txt", mistakes_);
}

TEST_F(ConfigFile, AnyKeyIsSetFromTheCommandLine) {
  const std::string text = with_axes(R"({"n": 1})");
  EXPECT_EQ(load(text, set("measure.max_noise=1.5")).measure.max_noise, 1.5);
  EXPECT_EQ(load(text, set("title=a plain text")).title, "a plain text");
  EXPECT_EQ(load(text, set("$.seed=3")).seed, 3u) << "as messages name it";
  EXPECT_THAT(load(text, set("measure.mode=graph,cold")).measure.modes, ElementsAre(Mode::graph, Mode::cold));
  EXPECT_THAT(load(text, set("measure.mode=warm,warm")).measure.modes, ElementsAre(Mode::warm));
  EXPECT_EQ(load(text, set("experiments[0].title=\"y\"")).experiments[0].title, "y");
}

TEST_F(ConfigFile, ThePatchOfTheDeviceIsMerged) {
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

TEST_F(ConfigFile, FilesThatAreNoConfigs) {
  const auto mistake = [](const std::string& path) {
    return usage_error([&] { load_config(path, Target::simt, {}, record_columns()); });
  };
  EXPECT_THAT(mistake("/nowhere/x.json"),
              StartsWith("/nowhere/x.json: there is no such file; redbench's own configs are in "));
  EXPECT_EQ(mistake("/"), "/: is a directory; a config is a JSON file");
  EXPECT_THAT(mistake(folder_.write("huge.json", std::string((16 << 20) + 1, ' '))),
              HasSubstr("is larger than 16 MiB"));
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
