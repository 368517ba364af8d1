// redbench cachesim: machines from files, the loops that cases are, its tables, and its refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/predict/prediction.hpp"
#include "src/predict/prediction_table.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string small_machine = R"({"title": "t", "source": "s", "memory_ns": 100,
  "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 1}]})";

std::string changed(const std::string& pointer, const Json& value) {
  Json machine = Json::parse(small_machine);
  if (value.is_discarded()) machine.erase(pointer.substr(1));
  else machine[Json::json_pointer(pointer)] = value;
  return machine.dump();
}

std::string mistake(const std::string& pointer, const Json& value) {
  return usage_error([&] { parse_machine("m", changed(pointer, value), "m.json"); });
}

TEST(MachineFile, IsRefusedByFileAndPath) {
  EXPECT_NO_THROW(parse_machine("m", small_machine, "m.json"));
  EXPECT_EQ(mistake("/memroy_ns", 1).substr(0, 50), "m.json: $.memroy_ns: unknown key; allowed are `tit");
  EXPECT_THAT(mistake("/memroy_ns", 1), HasSubstr("did you mean `memory_ns`?"));
  EXPECT_THAT(mistake("/levels", Json(Json::value_t::discarded)),
              HasSubstr("$: the key `levels` is missing"));
  EXPECT_THAT(mistake("/levels", Json::array()), HasSubstr("$.levels: the list is empty"));
  EXPECT_EQ(mistake("/levels/0/bytes", 4000),
            "m.json: $.levels[0].bytes: 4000 is no multiple of 4 ways of lines of 64 bytes");
  EXPECT_THAT(mistake("/levels/0/ways", 0), HasSubstr("$.levels[0].ways: expected a whole number from 1"));
  EXPECT_THAT(mistake("/levels/0/ns", -1), HasSubstr("$.levels[0].ns: expected a number of nanoseconds"));
  EXPECT_THAT(mistake("/memory_ns", "1"), HasSubstr("$.memory_ns: expected a number of nanoseconds"));
  EXPECT_THAT(mistake("/line_bytes", 96), HasSubstr("$.line_bytes: is no power of two"));
  EXPECT_THAT(mistake("/prefetch", "next_lien"), HasSubstr("did you mean `next_line`?"));
  EXPECT_THAT(usage_error([] { parse_machine("m", "[]", "m.json"); }),
              HasSubstr("m.json: $: expected an object"));
  const Json three{{"name", "L1"}, {"bytes", 3 * 64 * 4}, {"ways", 3}, {"ns", 1}};
  EXPECT_EQ(mistake("/levels/0", three),
            "m.json: $.levels[0].ways: `tree_plru` takes a power of two up to 64, not 3; `lru` takes any");
  Json lru = three;
  lru["replacement"] = "lru";
  EXPECT_NO_THROW(parse_machine("m", changed("/levels/0", lru), "m.json"));
  const auto pages = [](std::int64_t bytes, int entries) {
    return Json{{"page_bytes", bytes}, {"levels", {{{"name", "T"}, {"entries", entries}, {"ways", 4}}}}};
  };
  EXPECT_THAT(mistake("/translations", Json::array({pages(4096, 6)})),
              HasSubstr("levels[0].entries: 6 is no multiple of 4 ways"));
  EXPECT_THAT(mistake("/translations", Json::array({pages(5000, 4)})),
              HasSubstr("[0].page_bytes: is no power of two"));
  EXPECT_THAT(mistake("/translations", Json::array({pages(8192, 4), pages(4096, 4)})),
              HasSubstr("[1].page_bytes: is not above that of the entry before"));
}

TEST(MachineFile, IsReadAsItIsWritten) {
  caches::Machine machine =
      load_machine(REDBENCH_SOURCE_DIR "/configs/devices/caches/core2_t7300.json").machine;
  machine.core = {.input_ns = 1,
                  .forward_ns = 2,
                  .misses = 3,
                  .store_misses = 3,
                  .window = 4,
                  .stores = 5,
                  .walks = 6,
                  .line_ns = 7};
  machine.scattered_frames = true;
  machine.prefetch = caches::Prefetch::stride;
  machine.levels[0].replacement = caches::Replacement::lru;
  const Json written = written_machine(machine);
  EXPECT_EQ(written_machine(parse_machine("x", written.dump(), "x").machine), written);
}

TEST(MachineFile, ACoreIsToldByEitherOfItsTimes) {
  caches::Machine machine = parse_machine("m", small_machine, "m.json").machine;
  EXPECT_FALSE(has_core(machine));
  EXPECT_FALSE(written_machine(machine).contains("core"));
  machine.core.input_ns = 2;
  EXPECT_TRUE(has_core(machine));
  EXPECT_EQ(written_machine(machine).at("core").at("input_ns"), 2);
  machine.core.input_ns = 0;
  machine.core.line_ns = 3;
  EXPECT_TRUE(has_core(machine));
  EXPECT_EQ(written_machine(machine).at("core").at("line_ns"), 3);
}

TEST(MachineFile, UnknownNamesGetTheNearestOne) {
  const std::string message = usage_error([] { load_machine("core2_t7200"); });
  EXPECT_THAT(message, HasSubstr("there are `host`"));
  EXPECT_THAT(message, HasSubstr("did you mean `core2_t7300`?"));
  EXPECT_THAT(usage_error([] { load_machine("./nowhere.json"); }), HasSubstr("./nowhere.json"));
}

class Cachesim : public testing::Test {
 protected:
  /// A config of one experiment on the host.
  std::string config(const std::string& variants, const std::string& axes, const std::string& caches,
                     const std::string& problem = "multireduce") const {
    return folder_.write("c.json", R"({"experiments": [{"problem": ")" + problem + R"(", "variants": )" +
                                       variants + R"(, "axes": {)" + axes + "}}]" + caches + "}");
  }
  Config loaded(const std::string& path) const {
    return load_config(path, Target::host, {}, record_columns());
  }
  Plan planned(const std::string& path) { return make_plan(loaded(path), open_.devices()); }
  Answer run(const std::string& more) const {
    return redbench("cachesim " + folder_.path() + "/c.json -m " + folder_.path() + "/m.json -o " +
                    folder_.path() + "/out " + more);
  }

  TemporaryFolder folder_;
  OpenDevices open_{"host"};
  const std::string machine_ = folder_.write("m.json", small_machine);
  const std::string simple_ = R"(, "caches": {"loops": {"cpu_sequential": "simple"}})";
};

TEST_F(Cachesim, KeysOfTheConfigAreChecked) {
  const auto refused = [&](const std::string& caches) {
    return usage_error([&] { loaded(config(R"("cpu_sequential")", R"("n": 10, "m": 3)", caches)); });
  };
  EXPECT_THAT(refused(R"(, "caches": {})"), HasSubstr("$.caches: the key `loops` is missing"));
  EXPECT_THAT(refused(R"(, "caches": {"loops": {"cpu_sequental": "simple"}})"),
              HasSubstr("$.caches.loops.cpu_sequental: there is no variant of this name; did you mean"));
  EXPECT_THAT(refused(R"(, "caches": {"loops": {"cpu_sequential": "simpel"}})"),
              HasSubstr("$.caches.loops.cpu_sequential: unknown name `simpel`"));
  EXPECT_THAT(refused(R"(, "caches": {"loops": {}, "models": ["serail"]})"),
              HasSubstr("did you mean `serial`?"));
  EXPECT_THAT(refused(R"(, "caches": {"loops": {}, "steps": 0})"),
              HasSubstr("$.caches.steps: expected a whole number"));
}

TEST_F(Cachesim, ACaseSortsByTheBitsOfItsVariant) {
  const auto loop = [&](const std::string& axes, LoopKind kind = LoopKind::presorted) {
    const Plan plan = planned(config(R"("cpu_presorted")", R"("n": 100, )" + axes, ""));
    return loop_of(plan.cells.at(0).cases.at(0), kind);
  };
  EXPECT_EQ(loop(R"("m": "2^20")").sort_bits, 0);
  EXPECT_EQ(loop(R"("m": "2^21")").sort_bits, 3);
  EXPECT_EQ(loop(R"("m": 2097153)").sort_bits, 4) << "labels of 22 bits";
  EXPECT_EQ(loop(R"("m": "2^20", "threshold_log2": 20)").sort_bits, 2);
  EXPECT_EQ(loop(R"("m": 5, "sort_bits": 7)").sort_bits, 3) << "no more than labels have";
  EXPECT_EQ(loop(R"("m": 1, "sort_bits": 7)").sort_bits, 0);
  EXPECT_EQ(loop(R"("m": "2^21", "digit_bits": 2)").digit_bits, 2);
  EXPECT_EQ(loop(R"("m": "2^21")", LoopKind::simple).sort_bits, 0);
  const caches::Loop wide =
      loop(R"("m": "2^21", "type": "i64", "labels": "sorted")", LoopKind::dependent_presorted);
  EXPECT_EQ(wide.value_bytes, 8u);
  EXPECT_TRUE(wide.dependent);
  EXPECT_EQ(wide.labels, caches::Labels::sorted);
}

TEST_F(Cachesim, WhatIsNotPredictedIsSaid) {
  config(R"(["cpu_sequential", "cpu_presorted", "global_atomic"])",
         R"("n": 1000, "m": 64, "labels": ["uniform", "reversed"])", simple_);
  const Answer answer = run("--no-plot");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("cpu_presorted: not among the config's `loops`"));
  EXPECT_THAT(answer.text, HasSubstr("labels=reversed m=64: the simulator has no labels"));
}

// The probe is said to begin before its half minute; where that cannot be said, the command ends, so that no
// cache is measured here.
TEST_F(Cachesim, ThisMachineIsProbedWhereItIsAskedForAlone) {
  config(R"("cpu_sequential")", R"("n": 1000, "m": 16)", simple_);
  ASSERT_EQ(run("--no-plot").exit_code, exit_fine);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out/host.json")) << "that is this machine's";
  const std::string host = folder_.path() + "/host";
  EXPECT_EQ(redbench("cachesim " + folder_.path() + "/c.json -m host -o " + host + " 2>/dev/full").exit_code,
            exit_failed);
  EXPECT_FALSE(std::filesystem::exists(host));
}

// What is told of a machine called so is kept beside its predictions, for claims of this machine's caches.
TEST_F(Cachesim, TheMachineThatIsCalledHostIsWritten) {
  config(R"("cpu_sequential")", R"("n": 1000, "m": 16)", simple_);
  const std::string out = folder_.path() + "/out";
  const Answer answer = redbench("cachesim " + folder_.path() + "/c.json -m " + machine_ + " -m " +
                                 folder_.write("host.json", small_machine) + " --no-plot -o " + out);
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  std::ifstream file(out + "/host.json");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "{\n \"title\": \"t\",\n \"source\": \"s\",\n \"line_bytes\": 64,\n \"levels\": [\n  {\n"
            "   \"name\": \"L1\",\n   \"bytes\": 4096,\n   \"ways\": 4,\n   \"ns\": 1.0,\n"
            "   \"replacement\": \"tree_plru\"\n  }\n ],\n \"memory_ns\": 100.0,\n"
            " \"prefetch\": \"next_line\",\n \"scattered_frames\": false,\n \"translations\": [],\n"
            " \"unsure\": []\n}\n");
}

// Labels, values, buckets and their clearing by hand: 3 accesses of memory, all others of the first level.
TEST_F(Cachesim, WritesTablesAndAFigure) {
  config(R"("cpu_sequential")", R"("n": [1000], "m": [16])", simple_);
  const Answer answer = run("");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const Json told = read_json_file(folder_.path() + "/out/predictions.json");
  EXPECT_EQ(told["schema"], 1) << "scripts read it";
  ASSERT_EQ(told["cases"].size(), 1u);
  const Json& one = told["cases"][0];
  EXPECT_NEAR(one["ns_per_input"].get<double>(), (4 * 1000 + 16 + 3 * 99) / 1000.0, 1e-9);
  EXPECT_NEAR(one["misses_per_input"][0].get<double>(), 0.003, 1e-9);
  for (const char* file : {"csv", "md", "svg", "png"})
    EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/out/predictions." + file)) << file;
  EXPECT_THAT(run("").text, HasSubstr("holds predictions; --replace writes them again"));
  EXPECT_EQ(run("").exit_code, exit_usage);
  EXPECT_EQ(run("--replace --no-plot").exit_code, exit_fine);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out/predictions.svg"))
      << "of the predictions before";
}

TEST_F(Cachesim, StandsBesideARunOfTheConfig) {
  const std::string path = config(R"("cpu_sequential")", R"("n": 5000, "m": [16, 64])", simple_);
  const std::string made = folder_.path() + "/run";
  ASSERT_EQ(redbench("run " + path + " -d host -q --mode warm --max-samples 10 -o " + made).exit_code,
            exit_fine);
  const Answer answer = run("--no-plot --run " + made);
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("m, serial: mean absolute error"));
  const Json told = read_json_file(folder_.path() + "/out/predictions.json");
  double sum = 0;
  for (const Json& one : told["cases"]) {
    const double ratio = one["ns_per_input"].get<double>() / one["measured_ns_per_input"].get<double>();
    EXPECT_NEAR(one["error_percent"].get<double>(), 100 * (ratio - 1), 1e-6);
    sum += std::abs(100 * (ratio - 1));
  }
  EXPECT_NEAR(told["errors"][0]["mean_absolute_percent"].get<double>(), sum / 2, 1e-6);
}

TEST_F(Cachesim, ThePapersMachineHasThePapersNumbers) {
  const std::string out = folder_.path() + "/paper";
  const Answer answer = redbench(
      "cachesim configs/eilers2014/fig2.7.json -m core2_t7300 -b cpu_sequential -a m=2^27 "
      "--set caches.steps=4096 --no-plot -o " +
      out);
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const Json told = read_json_file(out + "/predictions.json");
  EXPECT_EQ(told["cases"][0]["measured_ns_per_input"], 63.0) << "not 111, which is a simulated one";
}

TEST_F(Cachesim, RefusesBeforeItWrites) {
  const auto refused = [&](const std::string& more, const std::string& why) {
    const Answer answer = run(more);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out")) << more;
  };
  config(R"("cpu_sequential")", R"("n": 1000, "m": 16)", "");
  refused("", "c.json: the key `caches` is missing");
  config(R"("cpu_sequential")", R"("n": 1000, "m": 16)", simple_);
  refused("-m nowhere", "no machine is called `nowhere`");
  refused("-m " + folder_.path() + "/m.json", "two machines are called `m`");
  refused("--run " + folder_.path() + "/nothing", "nothing");
  refused("-a labels=reversed", "no case that could be predicted");
  refused("--set caches.models=translated", "`translated` needs its `translations`");
  refused("--set caches.stepz=1", "did you mean `steps`?");
  const auto into = [&](const std::string& out) {
    const Answer answer = redbench("cachesim c.json -m m.json --no-plot -o " + out, folder_.path());
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    return answer.text;
  };
  EXPECT_EQ(into("m.json"), "redbench: --out m.json: is no folder\n");
  EXPECT_EQ(into("m.json/out"), "redbench: m.json/out: Not a directory\n");
}

// By hand: 16 buckets of 4 bytes are cleared, which is one line from memory for the first; then labels,
// values and buckets, whose lines the prefetcher brings but for the first of each array.
TEST_F(Cachesim, FilesAndTextAreWhole) {
  folder_.write("m.json", R"({"title": "t", "source": "s", "memory_ns": 100, "unsure": ["its latency"],
    "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 1}]})");
  folder_.write("c.json", R"({"title": "in µs", "experiments": [{"problem": "multireduce", "variants":
    ["cpu_sequential", "cpu_presorted"], "axes": {"n": 1000, "m": 16}}])" +
                              simple_ + "}");
  const std::string out = folder_.path() + "/out";
  const auto read = [&](const std::string& name) {
    std::ifstream file(out + "/" + name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string notes = "misses: per input, all phases together\n",
                    left_out = "left out: multireduce/cpu_presorted: not among the config's `loops`\n";
  const Answer answer = run("--no-plot");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_EQ(answer.text,
            "in µs\n"
            "                                                                predicted  measured  error  "
            "misses of    "
            "TLB misses\n"
            "variant                        n   m  labels   machine  model        (ns)      (ns)    (%)    "
            "level 1  "
            "(% of loads)\n"
            "--------------------------  ----  --  -------  -------  ------  ---------  --------  -----  "
            "---------  "
            "------------\n"
            "multireduce/cpu_sequential  1000  16  uniform  m        serial       4.31                      "
            "0.0030\n" +
                notes + left_out + "\nthe table is in " + out + "/predictions.md\n");
  EXPECT_EQ(
      read("predictions.md"),
      "# in µs: predicted\n\n"
      "| variant | n | m | labels | machine | model | predicted (ns) | measured (ns) | error (%) | misses of "
      "level 1 | TLB misses (% of loads) |\n"
      "| --- | ---: | ---: | --- | --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
      "| multireduce/cpu_sequential | 1000 | 16 | uniform | m | serial | 4.31 |  |  | 0.0030 |  |\n\n" +
          notes + "\n" + left_out + "\n\nm: t. s\n- not sure: its latency\n");
  const std::string json = read("predictions.json");
  EXPECT_THAT(json, testing::StartsWith("{\n \"schema\": 1,\n \"name\": \"c\",\n \"title\": \"in µs\",\n"));
  EXPECT_EQ(json, Json::parse(json).dump(1) + '\n');
  // A narrower table has fewer columns, and the files are not narrower.
  const std::string narrow = run("--replace --no-plot --width 40").text;
  EXPECT_THAT(narrow, HasSubstr("\nleft out: multireduce/cpu_presorted: not\namong the config's `loops`\n"));
  EXPECT_EQ(read("predictions.json"), json);
}

TEST_F(Cachesim, WithoutAFigureTheTablesAreThere) {
  config(R"("cpu_sequential")", R"("n": 1000, "m": 16)", simple_);
  const std::string out = folder_.path() + "/out";
  const Answer answer = answer_of("env PYTHONHOME=/nowhere " REDBENCH_BINARY,
                                  "cachesim " + folder_.path() + "/c.json -m " + machine_ + " -o " + out +
                                      " 2>" + folder_.path() + "/said",
                                  folder_.path());
  EXPECT_EQ(answer.exit_code, exit_failed);
  EXPECT_THAT(answer.text, testing::EndsWith("the table is in " + out + "/predictions.md\n"));
  std::ifstream said(folder_.path() + "/said");
  EXPECT_THAT(
      std::string(std::istreambuf_iterator<char>(said), {}),
      testing::EndsWith("redbench: no figure: `redbench doctor` says whether Python has what it takes; then "
                        "scripts/plot_cachesim.py " +
                        out + "/predictions.json\n"));
}

}  // namespace
}  // namespace redbench
