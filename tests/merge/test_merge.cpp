// Runs of one config as one: what is joined, kept apart, refused, and what a failure leaves.
#include <gmock/gmock.h>

#include <filesystem>

#include "src/error.hpp"
#include "src/merge/join.hpp"
#include "src/records/folder_lock.hpp"
#include "src/records/stored_run.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Merge : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.path() + "/" + name; }
  /// A part of the config that goes to the folder `name`.
  void run(const std::string& name, const std::string& more,
           const std::string& sizes = "[1000, 1001, 1002]") const {
    folder_.write("config.json", config_text(sizes));
    const Answer answer =
        redbench("run " + at("config.json") + " -d simt:gtx480 -q -o " + at(name) + " " + more);
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  }
  void run_shards(const std::string& count) const {
    for (int k = 1; k <= std::stoi(count); ++k)
      run("part" + std::to_string(k), "--shard " + std::to_string(k) + "/" + count);
  }
  Answer merge(const std::string& names, const std::string& out, const std::string& more = "") const {
    return redbench("merge " + names + " --out " + out + " " + more, folder_.path());
  }
  void expect_merged(const std::string& names, const std::string& out, const std::string& more = "") const {
    const Answer answer = merge(names, out, more);
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  }
  void expect_refused(const std::string& names, const std::string& message) const {
    const Answer answer = merge(names, "refused");
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(message));
    EXPECT_FALSE(fs::exists(at("refused")));
  }
  StoredRun stored(const std::string& name) const { return read_stored_run(at(name)); }
  /// The records without what each session decides.
  std::vector<Record> plain_records(const std::string& name) const {
    std::vector<Record> records = stored(name).records;
    for (Record& record : records) record.erase("session");
    return records;
  }
  /// Of one session of a run, as if another machine had made it.
  void change_facts(const std::string& name, const std::function<void(Json&)>& change) const {
    Json facts = Json::parse(folder_.read(name + "/run.json"));
    change(facts);
    folder_.write(name + "/run.json", facts.dump(2));
  }
  void change_records(const std::string& name, const std::function<void(Record&)>& change) const {
    std::vector<Record> records = read_records(at(name + "/records.jsonl"));
    for (Record& record : records) change(record);
    const RecordFile file(at(name + "/records.jsonl"), records);
  }

  TemporaryFolder folder_;
};

TEST_F(Merge, PartsOfAPlanAreTheRunInOnePieceHoweverTheyAreGrouped) {
  run("whole", "");
  run_shards("3");
  fs::create_directory(at("without_a_cell"));  // as reproduce --shard leaves it
  expect_merged("without_a_cell part1 part2 part3", "flat");
  expect_merged("part1 part2", "left");
  expect_merged("left part3", "from_left");
  expect_merged("part2 part3", "right");
  expect_merged("part1 right right", "from_right");
  EXPECT_EQ(plain_records("flat"), plain_records("whole"));
  EXPECT_EQ(stored("flat").facts["config"], stored("whole").facts["config"]);
  for (const char* file :
       {"/run.json", "/records.jsonl", "/tables/config.csv", "/tables/config.md", "/tables/report.json"}) {
    EXPECT_EQ(folder_.read(std::string("flat") + file), folder_.read(std::string("from_left") + file))
        << file;
    EXPECT_EQ(folder_.read(std::string("flat") + file), folder_.read(std::string("from_right") + file))
        << file;
  }
  const Json sessions = stored("flat").facts["sessions"];
  ASSERT_EQ(sessions.size(), 3u);
  for (const Json& session : sessions)
    EXPECT_TRUE(session["shard"].is_string() && session["host"]["cpu"].is_string());
}

TEST_F(Merge, AMergedRunResumesOnAnyMachine) {
  run_shards("2");
  for (const char* part : {"part1", "part2"})
    change_facts(part, [&](Json& facts) { facts["sessions"][0]["board"] = {{"uuid_hash", part}}; });
  expect_merged("part1", "half");
  EXPECT_THAT(merge("part1", "half2").text, HasSubstr("cases have none: redbench run"));
  run("half", "--resume");
  EXPECT_EQ(stored("half").records.size(), 6u);
}

// As a job of a cluster does that goes from one machine to another: no ratio is of two machines.
TEST_F(Merge, APartThatGoesOnElsewhereMakesItsCellAgain) {
  folder_.write("config.json",
                R"({"title": "test", "measure": {"mode": "warm", "min_samples": 3, "max_samples": 3},
      "experiments": [{"problem": "reduce", "variants": ["cpu_serial", "cpu_openmp"], "axes": {"n": 64}}]})");
  const std::string command = "run config.json -d host -q --shard 1/1 -o part";
  ASSERT_EQ(redbench(command, folder_.path()).exit_code, exit_fine);
  if (stored("part").facts["sessions"][0]["host"]["machine_hash"].is_null())
    GTEST_SKIP() << "a machine without an id";
  const auto lines_after_loss = [&] {
    folder_.write("part/records.jsonl", lines_of(at("part/records.jsonl"))[0] + '\n');
    EXPECT_EQ(redbench(command + " --resume", folder_.path()).exit_code, exit_fine);
    return lines_of(at("part/records.jsonl")).size();
  };
  EXPECT_EQ(lines_after_loss(), 2u);
  change_facts("part", [](Json& facts) { facts["sessions"][0]["host"]["machine_hash"] = "another"; });
  EXPECT_EQ(lines_after_loss(), 3u) << "the other's record, and two of this machine";
}

// What people do: a GPU's variants on its machine, the CPU's on another.
TEST_F(Merge, VariantsThatWereMeasuredApartAreOneTable) {
  const std::string config =
      R"({"title": "test", "measure": {"max_samples": 3, "min_samples": 3}, "experiments": [
      {"title": "both", "problem": "reduce", "variants": ["harris1", "cpu_serial", "harris3"], "axes": {"n": [64, 65]}}]})";
  folder_.write("config.json", config);
  const auto run_on = [&](const std::string& device, const std::string& pattern) {
    const Answer answer =
        redbench("run config.json -q -b " + pattern + " -d " + device + " -o " + device, folder_.path());
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  };
  run_on("simt", "harris");
  run_on("host", "cpu");
  change_facts("host", [](Json& facts) { facts["sessions"][0]["host"]["machine_hash"] = "another"; });
  change_records("host", [](Record& record) {
    record["hardware"] = "Another CPU";
    record["openmp_threads"] = 777;
  });
  expect_merged("host simt", "both");
  const StoredRun both = stored("both");
  EXPECT_EQ(both.facts["device"]["name"], "simt:h200");
  EXPECT_EQ(both.facts["config"]["experiments"][0]["variants"], Json({"cpu_serial", "harris1", "harris3"}));
  ASSERT_EQ(both.records.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(both.records[i]["case"], i);
    EXPECT_EQ(both.facts["sessions"][both.records[i]["session"].get<std::size_t>()]["host"]["machine_hash"] ==
                  "another",
              both.records[i]["device"] == "host");
  }
  const Answer resumed = redbench("run config.json -d simt --resume -o both", folder_.path());
  EXPECT_EQ(resumed.exit_code, exit_fine) << resumed.text;
  EXPECT_THAT(resumed.text, HasSubstr("6 of 6 records are there, 0 are to be made"));
  const Answer compared = redbench("compare both host", folder_.path());
  EXPECT_EQ(compared.exit_code, exit_undecided) << compared.text;
  EXPECT_THAT(compared.text, HasSubstr("cpu_serial"));
}

TEST_F(Merge, ACaseThatWasMadeTwiceAlikeKeepsBothAndShowsTheOneWithAResult) {
  run("a", "");
  run("b", "");
  change_records("b", [](Record& record) {
    record["outcome"] = "failed";
    record["reason"] = "by this test";
  });
  change_facts("b", [](Json& facts) { facts["sessions"][0]["started"] = "2999-01-01T00:00:00Z"; });
  expect_merged("a b", "both");
  EXPECT_EQ(lines_of(at("both/records.jsonl")).size(), 12u);
  for (const Record& record : stored("both").records) EXPECT_EQ(record["outcome"], "passed");
}

TEST_F(Merge, WhatDoesNotBelongTogetherIsRefusedByName) {
  run("a", "--shard 1/2");
  run("other_config", "--shard 2/2", "[1000, 1001, 7]");
  expect_refused("a other_config",
                 "a and other_config are parts of two plans: experiments[0].axes.n[2] is 1002 in "
                 "a, 7 in other_config");
  run("seed", "--seed 2");
  expect_refused("a seed", "are not of one config: seed is 1 in a, 2 in seed");
  run("forks", "--set measure.forks=3");
  expect_refused("a forks", "were measured otherwise: measure.forks is 1 in a, 3 in forks");
  run("whole", "");
  const auto expect_refused_as = [&](const char* message, const std::function<void(Json&)>& change) {
    fs::remove_all(at("changed"));
    fs::copy(at("whole"), at("changed"), fs::copy_options::recursive);
    change_facts("changed", change);
    expect_refused("a changed", message);
  };
  expect_refused_as("title is \"test\" in a", [](Json& facts) { facts["config"]["title"] = "x"; });
  expect_refused_as("name is \"config\" in a, \"x\" in changed", [](Json& facts) { facts["name"] = "x"; });
  expect_refused_as("are of two devices: device.multiprocessors is",
                    [](Json& facts) { facts["device"]["multiprocessors"] = 1; });
  expect_refused_as("changed/run.json, its config: $.experiments: expected a list, got null",
                    [](Json& facts) { facts["config"].erase("experiments"); });
  change_facts("a", [](Json& facts) { facts["inputs"] = {{"in/x.npy", "abc"}}; });
  expect_refused_as("inputs.in/x.npy is \"abc\" in a, \"abd\" in changed",
                    [](Json& facts) { facts["inputs"] = {{"in/x.npy", "abd"}}; });
  change_records("whole", [](Record& record) { record["source_hash"] = "of another kernel"; });
  expect_refused("a whole", "and not made alike, so leave one out: source_hash is");
}

TEST_F(Merge, NothingIsReplacedUnaskedNorAFolderMergedIntoItself) {
  run_shards("2");
  expect_merged("part1", "out");
  const std::string before = folder_.read("out/records.jsonl");
  EXPECT_THAT(merge("part1 part2", "out").text, HasSubstr("out: holds a run of"));
  EXPECT_THAT(merge("part1 part2", "part1", "--replace").text,
              HasSubstr("is one of the runs that are merged"));
  EXPECT_THAT(merge("part1 part2", ".").text, HasSubstr("no run.json"));
  EXPECT_EQ(folder_.read("out/records.jsonl"), before);
  expect_merged("part1 part2", "out", "--replace");
  EXPECT_NE(folder_.read("out/records.jsonl"), before);
  EXPECT_FALSE(fs::exists(at("out/replaced")));
  const FolderLock lock(at("out"));  // of another merge
  EXPECT_THAT(merge("part1 part2", "out", "--replace").text, HasSubstr("is writing to it"));
}

TEST_F(Merge, ABadLineCostsItsOwnCase) {
  run("a", "");
  const std::vector<std::string> lines = lines_of(at("a/records.jsonl"));
  std::string damaged = "{\"schema\": 1}\n";
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) damaged += lines[i] + '\n';
  folder_.write("a/records.jsonl", damaged + lines.back().substr(0, 100));
  const Answer answer = merge("a", "out");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("records.jsonl:1:"));
  EXPECT_THAT(answer.text, HasSubstr("its last line is not finished"));
  EXPECT_EQ(stored("out").records.size(), lines.size() - 2);
}

TEST_F(Merge, ACompressedPartGivesWhatItsTextGives) {
  run_shards("2");
  expect_merged("part1 part2", "plain");
  ASSERT_EQ(std::system(("gzip -n " + at("part1") + "/records.jsonl").c_str()), 0);
  expect_merged("part1 part2", "out");
  EXPECT_EQ(folder_.read("out/records.jsonl"), folder_.read("plain/records.jsonl"));
}

// The bug: lines were taken from the places that they had when the part was read first.
TEST_F(Merge, APartThatIsWrittenMeanwhileIsRefused) {
  run("a", "");
  const auto joined = [&] { return JoinedRun({RunPart(at("a"))}); };
  const JoinedRun before = joined();
  change_records("a", [](Record& record) { record["time_ns"] = nullptr; });
  EXPECT_THROW(before.give_records([](std::string_view) {}), UsageError);
  EXPECT_EQ(joined().give_records([](std::string_view) {}), 6u);
}

// A limit on a file's size stands in for a full disk.
TEST_F(Merge, AFullDiskLeavesWhatWasThere) {
  run_shards("2");
  expect_merged("part1", "out");
  const std::string records = folder_.read("out/records.jsonl"), facts = folder_.read("out/run.json");
  const std::string limited = "bash -c \"trap '' XFSZ; ulimit -f 4; cd " + folder_.path() +
                              "; " REDBENCH_BINARY " merge part1 part2 --out ";
  EXPECT_NE(std::system((limited + "out --replace 2> failed\"").c_str()), 0);
  EXPECT_THAT(folder_.read("failed"), HasSubstr("cannot be written: File too large"));
  EXPECT_EQ(folder_.read("out/records.jsonl"), records);
  EXPECT_EQ(folder_.read("out/run.json"), facts);
  EXPECT_NE(std::system((limited + "new 2> failed\"").c_str()), 0);
  EXPECT_TRUE(fs::is_empty(at("new")));
}

TEST_F(Merge, ADiskThatIsFullForOneOfSeveralRunsLeavesAll) {
  run("one/a", "", "[1000]");
  run("one/b", "", R"("[1000:1064:1]")");
  fs::copy(at("one"), at("two"), fs::copy_options::recursive);
  expect_merged("one two", "out");
  const std::string marked = folder_.read("out/a/run.json") + "\n";
  folder_.write("out/a/run.json", marked);
  const auto kib = [&](const std::string& run) {
    return fs::file_size(at("out/" + run + "/records.jsonl")) >> 10;
  };
  const std::string limit = std::to_string((kib("a") + kib("b")) / 2);
  EXPECT_NE(std::system(("bash -c \"trap '' XFSZ; ulimit -f " + limit + "; cd " + folder_.path() +
                         "; " REDBENCH_BINARY " merge one two --out out --replace 2> failed\"")
                            .c_str()),
            0);
  EXPECT_THAT(folder_.read("failed"), HasSubstr("out/b/records.jsonl"));
  EXPECT_EQ(folder_.read("out/a/run.json"), marked);
}

}  // namespace
}  // namespace redbench
