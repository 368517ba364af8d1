// redbench cachesim: what it writes and prints, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cachesim/prediction.hpp"
#include "src/json/strict.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

const std::string small_machine = R"({"title": "t", "source": "s", "memory_ns": 100,
  "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 1}]})";

class Cachesim : public testing::Test {
 protected:
  /// A config of one experiment on the host.
  std::string config(const std::string& axes, const std::string& caches) const {
    return folder_.write(
        "c.json", R"({"experiments": [{"problem": "multireduce", "variants": "cpu_sequential", "axes": {)" +
                      axes + "}}]" + caches + "}");
  }
  Answer run(const std::string& more) const {
    return redbench("cachesim " + folder_.path() + "/c.json -m " + folder_.path() + "/m.json -o " +
                    folder_.path() + "/out " + more);
  }

  TemporaryFolder folder_;
  const std::string machine_ = folder_.write("m.json", small_machine);
  const std::string simple_ = R"(, "caches": {"loops": {"cpu_sequential": "simple"}})";
};

// A machine that is called `host` is kept with its predictions, for claims of this machine's caches.
TEST_F(Cachesim, WritesTablesAFigureAndTheHost) {
  config(R"("n": [1000], "m": [16])", simple_);
  const auto exists = [&](const std::string& file) {
    return std::filesystem::exists(folder_.path() + "/out/" + file);
  };
  const Answer answer = run("");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  for (const std::string ending : {"csv", "md", "svg", "png", "json"})
    EXPECT_TRUE(exists("predictions." + ending)) << ending;
  EXPECT_FALSE(exists("host.json"));
  EXPECT_THAT(run("").text, HasSubstr("--replace writes predictions again"));
  EXPECT_EQ(run("").exit_code, exit_usage);
  const std::string host = folder_.write("host.json", small_machine);
  EXPECT_EQ(run("--replace --no-plot -m " + host).exit_code, exit_fine);
  EXPECT_FALSE(exists("predictions.svg")) << "of the predictions before";
  std::ifstream file(folder_.path() + "/out/host.json");
  EXPECT_EQ(Json::parse(file), serialize_machine(parse_machine("host", small_machine, "")));
}

TEST_F(Cachesim, ComparesWithARunOfTheConfig) {
  const std::string path = config(R"("n": 5000, "m": 16)", simple_);
  const std::string made = folder_.path() + "/run";
  ASSERT_EQ(redbench("run " + path + " -d host -q --mode warm --max-samples 10 -o " + made).exit_code,
            exit_fine);
  const Answer answer = run("--no-plot --run " + made);
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("m, serial: mean absolute error"));
  const Json case_ = read_json_file(folder_.path() + "/out/predictions.json")["cases"].at(0);
  const double ratio = case_["ns_per_input"].get<double>() / case_["measured_ns_per_input"].get<double>();
  EXPECT_NEAR(case_["error_percent"].get<double>(), 100 * (ratio - 1), 1e-6);
}

TEST_F(Cachesim, RefusesBeforeItWrites) {
  const auto refused = [&](const std::string& more, const std::string& why) {
    const Answer answer = run(more);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out")) << more;
  };
  config(R"("n": 1000, "m": 16)", "");
  refused("", "c.json: the key `caches` is missing");
  config(R"("n": 1000, "m": 16)", simple_);
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
  const auto read = [&](const std::string& name) { return text_in(out + "/" + name); };
  const Answer answer = run("--no-plot");
  EXPECT_EQ(answer.exit_code, exit_fine);
  std::string text = answer.text;
  text.replace(text.find(out), out.size(), "OUT");
  expect_golden("cachesim/command.txt", text);
  expect_golden("cachesim/predictions.md", read("predictions.md"));
  const std::string json = read("predictions.json");
  const Json predictions = Json::parse(json);
  EXPECT_EQ(json, predictions.dump(1) + '\n');
  EXPECT_EQ(predictions["schema"], 1) << "scripts read it";
  EXPECT_NEAR(predictions["cases"][0]["ns_per_input"].get<double>(), (4 * 1000 + 16 + 3 * 99) / 1000.0, 1e-9);
  EXPECT_NEAR(predictions["cases"][0]["misses_per_input"][0].get<double>(), 0.003, 1e-9);
}

TEST_F(Cachesim, WithoutAFigureTheTablesAreThere) {
  config(R"("n": 1000, "m": 16)", simple_);
  const std::string out = folder_.path() + "/out";
  const Answer answer =
      answer_of("env PYTHONHOME=/nowhere " REDBENCH_BINARY,
                "cachesim " + folder_.path() + "/c.json -m " + machine_ + " -o " + out + " 2>/dev/null",
                folder_.path());
  EXPECT_EQ(answer.exit_code, exit_failed);
  EXPECT_THAT(answer.text, testing::EndsWith("the table is in " + out + "/predictions.md\n"));
}

}  // namespace
}  // namespace redbench
