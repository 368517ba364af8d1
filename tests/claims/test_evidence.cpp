// What stands beside a run's records: what its host's caches were predicted to do, and how large they are.
#include <gtest/gtest.h>

#include "src/claims/columns.hpp"
#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

class EvidenceOfFolders : public testing::Test {
 protected:
  void write_run(const std::string& folder, const std::string& name, Json device,
                 const std::vector<Record>& records) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(folder + "/records.jsonl", lines);
    Json facts = run_of(folder, {}).facts;
    facts["name"] = name;
    facts["device"] = std::move(device);
    folder_.write(folder + "/run.json", line_of(facts));
  }
  void write_json(const std::string& name, const Json& json) { folder_.write(name, line_of(json)); }
  static Record on_host(Index n) {
    Record record = record_of("reduce/cpu_serial", n);
    record["device"] = "host";
    record["hardware"] = "a CPU";
    return record;
  }
  TemporaryFolder folder_;
};

TEST_F(EvidenceOfFolders, CachesAndPredictionsAreOfTheRunsOwnFolder) {
  write_run("host", "fig1", {{"name", "host"}}, {on_host(16), on_host(32)});
  const Json levels{{{"name", "L1"}, {"bytes", 32768}},
                    {{"name", "L2"}, {"bytes", 1 << 20}},
                    {{"name", "none"}},
                    {{"name", "L4"}, {"bytes", "64K"}},
                    {{"name", 5}, {"bytes", 4096}}};
  write_json("host/cachesim/host.json", {{"levels", levels}});
  const auto prediction = [](const std::string& key, const char* machine, const char* model, double ns) {
    return Json{{"key", key}, {"machine", machine}, {"model", model}, {"ns_per_input", ns}};
  };
  const std::string key = on_host(16)["key"];
  write_json("host/cachesim/predictions.json",
             {{"cases",
               {prediction(key, "host", "serial", 2.5), prediction(key, "host", "overlapped", 1.5),
                prediction(key, "core2_t7300", "serial", 99), prediction("another", "host", "serial", 7),
                Json{{"machine", "host"}},
                Json{{"machine", "host"}, {"key", 3}, {"model", "serial"}, {"ns_per_input", 1}}}}});
  write_run("gpu", "fig1", {{"name", "cuda:0"}, {"l2_bytes", 50 << 20}}, {record_of("reduce/harris3", 16)});
  write_run("bare", "fig2", {{"name", "host"}}, {on_host(16)});
  write_run("text", "fig4", {{"name", "cuda:0"}, {"l2_bytes", "50M"}}, {});
  write_json("bare/host.json", {{"levels", levels}});  // of nothing
  write_run("unasked", "fig3", {{"name", "host"}}, {on_host(16)});

  const Evidence evidence({folder_.path(), folder_.path() + "/gpu"}, {"fig1", "fig2", "fig4"});
  EXPECT_TRUE(evidence.damaged().empty());
  const std::vector<const EvidenceRun*> first = evidence.runs_of("fig1");
  ASSERT_EQ(first.size(), 2u) << "one that is found twice is read once";
  EXPECT_EQ(first[0]->levels, (std::map<std::string, double>{{"L2", 50 << 20}}));
  EXPECT_EQ(first[1]->levels, (std::map<std::string, double>{{"L1", 32768}, {"L2", 1 << 20}}));
  const std::vector<Record>& records = first[1]->run.records;
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0][predicted_field], (Json{{"serial", 2.5}, {"overlapped", 1.5}})) << "of the host alone";
  EXPECT_FALSE(records[1].contains(predicted_field));
  ASSERT_EQ(evidence.runs_of("fig2").size(), 1u);
  EXPECT_TRUE(evidence.runs_of("fig2")[0]->levels.empty());
  EXPECT_TRUE(evidence.runs_of("fig4").at(0)->levels.empty());
  EXPECT_TRUE(evidence.runs_of("fig3").empty());
  EXPECT_EQ(evidence.hardware(), (std::set<std::string>{"NVIDIA Test", "a CPU"}));
}

TEST_F(EvidenceOfFolders, EachGpuHasItsRunsItsHostsAndThoseOfTheModel) {
  const auto device = [](const char* name, const char* gpu = "") {
    return Json{{"name", name}, {"description", gpu}};
  };
  write_run("all/b/1", "fig1", device("cuda:0", "GPU B"), {record_of("reduce/harris3", 16)});
  write_run("all/b/2", "fig1", device("host", "a CPU"), {on_host(16)});
  write_run("all/a/1", "fig1", device("cuda:3", "GPU A"), {record_of("reduce/harris3", 16)});
  write_run("all/c/1", "fig1", device("host", "another CPU"), {on_host(16)});
  write_run("simt", "fig1", device("simt:h200", "a model"), {counted_record("reduce/harris3", {})});
  write_run("other/1", "fig2", device("cuda:0", "GPU C"), {record_of("reduce/harris3", 16)});
  const auto runs = [&](const std::vector<std::string>& below) {
    std::vector<std::string> folders, texts;
    for (const std::string& name : below) folders.push_back(folder_.path() + "/" + name);
    for (const GpuEvidence& of : evidence_by_gpu(folders, {"fig1"})) {
      std::string& text = texts.emplace_back(of.gpu + ":");
      for (const EvidenceRun* run : of.evidence.runs_of("fig1"))
        text += run->run.path.substr(folder_.path().size());
    }
    return texts;
  };
  EXPECT_EQ(runs({"all", "simt", "other"}),
            (std::vector<std::string>{"GPU A:/all/a/1/all/c/1/simt", "GPU B:/all/b/1/all/b/2/all/c/1/simt"}))
      << "no claim reads GPU C's";
  EXPECT_EQ(runs({"all/b", "simt"}), std::vector<std::string>{":/all/b/1/all/b/2/simt"}) << "of one GPU";
}

TEST_F(EvidenceOfFolders, ASelfTestThatIsStaleOrIncompleteSaysNothing) {
  const auto least_of = [&](const Record& record, Json least_within, Json least_between,
                            Json runs = Json::array({"a", "b"})) {
    write_run("st/a", "selftest", {{"name", "cuda:0"}}, {record});
    write_json("st/selftest.json", {{"runs", runs},
                                    {"within_a_run", {{"least_difference_called_percent", least_within}}},
                                    {"between_runs", {{"least_difference_called_percent", least_between}}}});
    const Evidence evidence({folder_.path()}, {"fig1"});
    EXPECT_TRUE(evidence.damaged().empty());
    const LeastDifference* const least = evidence.least_difference("NVIDIA Test");
    return least ? std::optional(*least) : std::nullopt;
  };
  const Record today = fresh("reduce/harris3", 1.0);
  const std::optional<LeastDifference> least = least_of(today, 0.5, 2);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->within_a_run, 0.005);
  EXPECT_EQ(least->between_runs, 0.02);
  EXPECT_EQ(least->folder, folder_.path() + "/st");
  EXPECT_FALSE(least_of(today, nullptr, 2));
  EXPECT_FALSE(least_of(today, 0.5, 0));
  for (const Json& runs : {Json(), Json("a"), Json::array(), Json::array({7}), Json{{"0", "a"}}})
    EXPECT_FALSE(least_of(today, 0.5, 2, runs)) << runs;
  Record stale = today;
  stale["measured_by"] = "another";
  EXPECT_FALSE(least_of(stale, 0.5, 2));
}

TEST_F(EvidenceOfFolders, ASelfTestsRunsAnswerNoClaim) {
  for (const char* folder : {"st/a", "st/b", "st/own"})
    write_run(folder, "fig1", {{"name", "cuda:0"}}, {fresh("reduce/harris3", 1.0)});
  write_json("st/selftest.json", {{"runs", {"a", "b"}}});
  const Evidence evidence({folder_.path()}, {"fig1"});
  ASSERT_EQ(evidence.runs_of("fig1").size(), 1u) << "several runs of a config and a GPU decide nothing";
  EXPECT_EQ(evidence.runs_of("fig1")[0]->run.path, folder_.path() + "/st/own");
  EXPECT_TRUE(told_apart_below({folder_.path() + "/st/a/"}).runs.empty());
}

// Of the kinds of device that are named only the named hardware stays, of the others all.
TEST(KeepHardware, ConcernsTheKindOfDeviceOfTheName) {
  Record other = fresh("reduce/harris3", 1.0), on_host = fresh("reduce/cpu_serial", 1.0);
  other["hardware"] = "NVIDIA Other";
  on_host["hardware"] = "a CPU";
  on_host["device"] = "host";
  const std::vector<Record> all{fresh("reduce/harris3", 1.0), other, on_host,
                                counted_record("reduce/harris3", Json::object())};
  const auto kept = [&](const std::vector<std::string>& names) {
    Evidence some = evidence(all);
    some.keep_hardware(names);
    return some.hardware();
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(kept({}), (Names{"NVIDIA Other", "NVIDIA Test", "a CPU", "gtx480"}));
  EXPECT_EQ(kept({"NVIDIA Test"}), (Names{"NVIDIA Test", "a CPU", "gtx480"}));
  EXPECT_EQ(kept({"a CPU"}), (Names{"NVIDIA Other", "NVIDIA Test", "a CPU", "gtx480"}));
  EXPECT_EQ(
      usage_error([&] { kept({"NVIDIA Tset"}); }),
      "--device NVIDIA Tset: no record is of it; did you mean `NVIDIA Test`?; the records are of `NVIDIA "
      "Other`, `NVIDIA Test`, `a CPU` or `gtx480`");
}

}  // namespace
}  // namespace redbench
