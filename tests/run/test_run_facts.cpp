// What run.json says of a run and its sessions, all of it.
#include "src/run/run_facts.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <memory>

#include "src/build_facts.hpp"
#include "src/records/output_folder.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::MatchesRegex;

/// What a program prints, without the end of its line.
std::string printed_by(const std::string& command) {
  std::string text = answer_of("/bin/sh", "-c '" + command + "'", ".").text;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class FactsOfARun : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string input_ = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  const std::string config_ = folder_.write(
      "mine.json", R"({"title": "Mine", "seed": 5, "measure": {"max_samples": 33}, "experiments": [
          {"problem": "reduce", "variants": ["harris3"], "axes": {"n": 3, "values": {"file": "x.npy"}}}]})");
  const Work work_ =
      make_work({.kind = Job::Kind::run, .request = {.config = config_, .device = "simt:gtx480"}});
};

// Each number of the device is another one, from configs/devices/gtx480.json.
TEST_F(FactsOfARun, AreOfItsConfigDeviceAndInputs) {
  Json expected = Json::parse(R"({
    "schema": 0, "name": "mine", "title": "Mine", "config_path": "", "config": {},
    "device": {"name": "simt:gtx480", "slug": "simt-gtx480", "description": "gtx480", "capability": 2.0,
               "multiprocessors": 15, "max_threads_per_block": 1024, "max_blocks": 8, "max_warps": 48,
               "shared_bytes": 49152, "shared_bytes_per_block": 49152, "shared_bytes_reserved": 0,
               "shared_granularity": 128, "registers": 32768, "register_granularity": 64, "banks": 32,
               "l2_bytes": 786432, "memory_bytes": 1610612736},
    "inputs": {}, "sessions": []})");
  expected["schema"] = record_schema;
  expected["config_path"] = config_;
  expected["config"] = work_.config.resolved;
  expected["config"].erase("measure");
  expected["inputs"] = {{input_, printed_by("sha256sum < " + input_ + " | cut -c -64")}};
  EXPECT_EQ(run_facts(work_), expected);
  EXPECT_EQ(work_.config.resolved["measure"]["max_samples"], 33) << "a session's";
}

TEST_F(FactsOfARun, ASessionSaysHowItMeasuredOnWhat) {
  const std::string commit = build_commit, mark = "-dirty";
  const bool dirty = commit.ends_with(mark);
  const std::unique_ptr<Device> device = make_host();
  const DeviceFacts& host = device->facts();
  Json expected{{"ended", nullptr},
                {"measure", work_.config.resolved["measure"]},
                {"driver", printed_by("head -n 1 /proc/driver/nvidia/version 2>/dev/null")},
                {"build",
                 {{"version", build_facts.version},
                  {"type", build_facts.build_type},
                  {"compiler", build_facts.compiler},
                  {"flags", build_facts.flags},
                  {"cuda_toolkit", build_facts.cuda_compiler},
                  {"cuda_flags", build_facts.cuda_flags},
                  {"cuda_architectures", build_facts.cuda_architectures}}},
                {"host",
                 {{"cpu", host.name},
                  {"cores", host.multiprocessors},
                  {"last_level_cache_bytes", host.l2_bytes},
                  {"memory_bytes", host.memory_bytes},
                  {"system", printed_by("uname -sr")}}},
                {"dirty", commit == "unknown" ? Json() : Json(dirty)},
                {"commit", dirty ? commit.substr(0, commit.size() - mark.size()) : commit}};
  Json facts = session_facts(work_);
  EXPECT_THAT(facts["started"].get<std::string>(),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"));
  ASSERT_FALSE(facts["command_line"].empty());
  EXPECT_EQ(facts["command_line"][0], "redbench_tests");
  for (const char* own : {"started", "command_line"}) facts.erase(own);
  EXPECT_EQ(facts, expected);
}

// The bug: only the program's name, or its folder, too.
TEST_F(FactsOfARun, TheCommandLineIsAsItWasGiven) {
  const std::string out = folder_.path() + "/out";
  ASSERT_EQ(redbench("run -q -d simt:gtx480 " + config_ + " -o " + out + " -b 'harris3|no such'").exit_code,
            exit_fine);
  EXPECT_EQ(
      read_facts(out + "/run.json")["sessions"][0]["command_line"],
      (Json{"redbench", "run", "-q", "-d", "simt:gtx480", config_, "-o", out, "-b", "harris3|no such"}));
}

TEST(ShownConfig, IsWhatIsKnownOfIt) {
  EXPECT_EQ(shown_config({{"config_path", "a.json"}, {"title", "A title"}}), "a.json (A title)");
  EXPECT_EQ(shown_config({{"config_path", "a.json"}, {"title", ""}}), "a.json");
  EXPECT_EQ(shown_config({{"config_path", "a.json"}}), "a.json");
  EXPECT_EQ(shown_config({{"config_path", ""}, {"title", "A title"}}), "A title");
  EXPECT_EQ(shown_config({{"config_path", 5}, {"title", "A title"}}), "A title");
  EXPECT_EQ(shown_config({{"title", 5}}), "another config");
  EXPECT_EQ(shown_config(Json::object()), "another config");
}

TEST(UtcNow, IsTheSecondThatItIs) {
  const std::time_t before = std::time(nullptr);
  const std::string text = utc_now();
  const std::time_t after = std::time(nullptr);
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  ASSERT_TRUE(end && *end == '\0') << text;
  EXPECT_EQ(text.size(), 20u);
  const std::time_t told = ::timegm(&parts);
  EXPECT_LE(before, told);
  EXPECT_LE(told, after);
}

TEST(TextOfFacts, IsIndentedAndSaysWhatItCanOfBytesThatAreNoText) {
  EXPECT_EQ(text_of_facts({{"a", {1, "x\xff"}}}), "{\n  \"a\": [\n    1,\n    \"x\xEF\xBF\xBD\"\n  ]\n}\n");
}

}  // namespace
}  // namespace redbench
