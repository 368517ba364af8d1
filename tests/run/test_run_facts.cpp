// What run.json holds of a run and its sessions.
#include "src/run/run_facts.hpp"

#include <gmock/gmock.h>

#include <ctime>

#include "src/build_facts.hpp"
#include "src/records/stored_run.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

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
  expected["inputs"] = work_.inputs.digests();
  EXPECT_EQ(run_facts(work_), expected);
}

TEST_F(FactsOfARun, ASessionHasItsCommandOptionsBuildAndHost) {
  const std::string out = folder_.path() + "/out";
  const std::time_t before = std::time(nullptr);
  ASSERT_EQ(redbench("run -q -d simt:gtx480 " + config_ + " -o " + out + " -b 'harris3|no such'").exit_code,
            exit_fine);
  const Json facts = read_facts(out + "/run.json")["sessions"][0];
  EXPECT_EQ(facts["command_line"], (Json{"redbench", "run", "-q", "-d", "simt:gtx480", config_, "-o", out,
                                         "-b", "harris3|no such"}));
  EXPECT_EQ(facts["measure"]["max_samples"], 33);
  const std::string commit = build_commit, mark = "-dirty";
  const bool dirty = commit.ends_with(mark);
  EXPECT_EQ(facts["commit"], dirty ? commit.substr(0, commit.size() - mark.size()) : commit);
  EXPECT_EQ(facts["dirty"], commit == "unknown" ? Json() : Json(dirty));
  EXPECT_EQ(facts["build"]["flags"], build_facts.flags);
  const DeviceFacts host = make_host()->facts();
  EXPECT_EQ(facts["host"]["cpu"], host.name);
  EXPECT_EQ(facts["host"]["cores"], host.multiprocessors);
  std::tm parts{};
  const std::string started = facts["started"];
  const char* const end = ::strptime(started.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  ASSERT_TRUE(end && *end == '\0') << started;
  EXPECT_LE(before, ::timegm(&parts));
  EXPECT_LE(::timegm(&parts), std::time(nullptr));
  EXPECT_LE(started, facts["ended"].get<std::string>());
}

TEST(ShownConfig, IsWhatIsKnownOfIt) {
  EXPECT_EQ(shown_config({{"config_path", "a.json"}, {"title", "A title"}}), "a.json (A title)");
  EXPECT_EQ(shown_config({{"config_path", "a.json"}, {"title", ""}}), "a.json");
  EXPECT_EQ(shown_config({{"config_path", 5}, {"title", "A title"}}), "A title");
  EXPECT_EQ(shown_config({{"title", 5}}), "another config");
}

}  // namespace
}  // namespace redbench
