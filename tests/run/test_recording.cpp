// A run's folder: what is refused before anything is touched, how many records are to be made and where they
// come from.
#include "src/run/recording.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "src/run/run_facts.hpp"
#include "src/run/shared_cells.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

class ARunsFolder : public testing::Test {
 protected:
  Work work(Json config, const std::string& device = "simt:gtx480", Job::Kind kind = Job::Kind::run) const {
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("mine.json", config.dump()), .device = device}});
  }
  static Json config(const std::string& sizes) { return Json::parse(config_text(sizes)); }
  /// A run of this work that has made its first records, as --resume finds it.
  void leave_run(const Work& work, std::size_t records, const std::function<void(Json&)>& change = {}) const {
    Json facts = run_facts(work);
    facts["sessions"].push_back(session_facts(work));
    facts["sessions"][0]["started"] = "2020-02-20T20:20:20Z";
    if (change) change(facts);
    folder_.write("out/run.json", text_of_facts(facts));
    std::vector<Record> made;
    for (const Cell& cell : work.plan.cells)
      for (const Case& one : cell.cases) {
        const Device& device = work.devices->devices().of(*one.variant);
        Record record = case_record(cell, one, device, modes_of(one, work)[0], Outcome::passed);
        record["session"] = 0;
        record["input_files"] = work.inputs.digests_of(one.input.axes);
        if (made.size() < records) made.push_back(record);
      }
    change_records(made);
  }
  void change_records(const std::vector<Record>& records) const {
    fs::remove(out_ + "/records.jsonl");
    const RecordFile file(out_ + "/records.jsonl", records);
  }
  std::string refusal(const Work& work, Destination to = {.resume = true}) const {
    to.folder = out_;
    return usage_error([&] { Recording(work, to); });
  }

  TemporaryFolder folder_;
  const std::string out_ = folder_.path() + "/out";
  const std::string remedy_ = "; --replace removes that run, --out chooses another folder";
};

TEST_F(ARunsFolder, IsNotTakenByAnotherRunUnasked) {
  const Work mine = work(config("[10, 20]"));
  leave_run(mine, 2);
  EXPECT_EQ(refusal(mine, {}), out_ + ": holds a run of " + folder_.path() +
                                   "/mine.json (test); --resume goes on with it, --replace removes it, --out "
                                   "chooses another folder");
  EXPECT_EQ(refusal(mine, {.resume = true, .replace = true}),
            "--resume goes on with a run and --replace removes it: give one of them");
  const Recording resumed(mine, {.folder = out_ + "/../out/", .resume = true});
  EXPECT_EQ(resumed.folder(), out_ + "/");
  EXPECT_EQ(resumed.name(), "mine");
  EXPECT_EQ(resumed.planned(), 4u);
  EXPECT_EQ(resumed.missing(), 2u);
  EXPECT_EQ(resumed.shared(), 0u);
}

TEST_F(ARunsFolder, MayBeNewOrReplaced) {
  const Work mine = work(config("[10, 20, 30]"));
  const Destination to{.folder = out_, .replace = true};
  {
    const Recording made(mine, to);
    EXPECT_EQ(made.planned(), 6u);
    EXPECT_EQ(made.missing(), 6u);
  }
  leave_run(mine, 5);
  const Recording again(mine, to);
  EXPECT_EQ(again.missing(), 6u) << "nothing of the other is taken over";
  EXPECT_EQ(folder_of(mine, {}), "results/simt-gtx480/mine");
  EXPECT_EQ(folder_of(mine, {.folder = "a/./b/../c"}), "a/c");
}

// The first places that differ are told, long values by their beginning.
TEST_F(ARunsFolder, IsRefusedToARunThatGoesOnWithNoneOfItsCases) {
  leave_run(work(config("[10, 20, 30]")), 1);
  const auto refusal_of = [&](const std::string& changes, const std::string& sizes = "[10, 20, 30]") {
    Json other = config(sizes);
    other["experiments"][0].merge_patch(Json::parse(changes));
    return refusal(work(other));
  };
  const std::string begin =
      out_ + ": holds a run of " + folder_.path() +
      "/mine.json (test), and --resume goes on with its cases, a part of them, or more, but "
      "each of the two has some that the other lacks: ";
  EXPECT_EQ(refusal_of("{}", "[10, 21, 30]"),
            begin + "experiments[0].axes.n[1] is 20 there, 21 here" + remedy_);
  EXPECT_EQ(refusal_of("{}", "[11, 21, 31]"), begin +
                                                  "experiments[0].axes.n[0] is 10 there, 11 here; "
                                                  "experiments[0].axes.n[1] is 20 there, 21 here; "
                                                  "experiments[0].axes.n[2] is 30 there, 31 here" +
                                                  remedy_);
  EXPECT_EQ(refusal_of(R"({"variants": ["harris2", "harris4"]})", "[11, 21, 31]"),
            begin +
                R"(experiments[0].variants[0] is "harris1" there, "harris2" here; )"
                R"(experiments[0].variants[1] is "harris3" there, "harris4" here; )"
                "experiments[0].axes.n[0] is 10 there, 11 here; and 2 more" +
                remedy_);
  EXPECT_EQ(refusal_of("{}", "[10, 40]"), begin +
                                              "experiments[0].axes.n[1] is 20 there, 40 here; "
                                              "experiments[0].axes.n[2] is 30 there, nothing here" +
                                              remedy_);
  EXPECT_EQ(refusal_of(R"({"axes": {"values": "exact"}})"),
            begin + "experiments[0].axes.values is nothing there, [\"exact\"] here" + remedy_);
  const std::string fits(58, 't');  // 60 with its quotes
  EXPECT_EQ(refusal_of(R"({"title": ")" + fits + R"("})", "[10, 20, 31]"),
            begin + "experiments[0].title is \"\" there, \"" + fits +
                "\" here; experiments[0].axes.n[2] is 30 there, 31 here" + remedy_);
  const std::string title = "A title of an experiment that is longer than what a message has";
  EXPECT_EQ(refusal_of(R"({"title": ")" + title + R"("})", "[10, 20, 31]"),
            begin + "experiments[0].title is \"\" there, \"" + title.substr(0, 56) +
                "... here; experiments[0].axes.n[2] is 30 there, 31 here" + remedy_);
}

TEST_F(ARunsFolder, IsOfOneDeviceSeedAndInput) {
  const std::string input = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  Json of_file = config("[3]");
  of_file["experiments"][0]["axes"]["values"] = {{"file", "x.npy"}};
  const Work mine = work(of_file);
  const std::string digest = mine.inputs.digests()[input];
  const auto refusal_after = [&](const std::function<void(Json&)>& change) {
    leave_run(mine, 0, change);
    return refusal(mine);
  };
  EXPECT_EQ(refusal_after([](Json& facts) { facts["config"]["seed"] = 5; }),
            out_ + ": its inputs are of another seed: 5 there, 1 here" + remedy_);
  EXPECT_EQ(refusal_after([](Json& facts) { facts["config"].erase("seed"); }),
            out_ + ": its inputs are of another seed: null there, 1 here" + remedy_);
  const std::string other(64, 'a');
  EXPECT_EQ(refusal_after([&](Json& facts) { facts["inputs"][input] = other; }),
            out_ + ": " + input + " has changed since that run began: its SHA-256 is \"" +
                other.substr(0, 56) + "... there, \"" + digest.substr(0, 56) + "... here" + remedy_);
  EXPECT_EQ(refusal_after([](Json& facts) {
              facts["device"]["banks"] = 16;
              facts["device"]["memory_bytes"] = 5;
              facts["device"].erase("max_warps");
            }),
            out_ + ": its records are of another device: banks is 16 there, 32 here" + remedy_);
  leave_run(mine, 0, [](Json& facts) {
    facts["device"]["memory_bytes"] = 5;
    facts["device"].erase("max_warps");
    facts["device"]["more"] = 7;
  });
  EXPECT_EQ(Recording(mine, {.folder = out_, .resume = true}).missing(), 2u);
}

TEST_F(ARunsFolder, HasNoRecordsOfAnotherCpuOrOfNoSession) {
  Json both = config("[10]");
  both["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  const Work mine = work(both);
  leave_run(mine, 2);
  const std::vector<Record> records = read_records(out_ + "/records.jsonl");
  std::vector<Record> changed = records;
  changed[1]["hardware"] = "An abacus";
  change_records(changed);
  const std::string cpu = mine.devices->host->facts().name;
  EXPECT_EQ(refusal(mine),
            out_ + ": it has records of another CPU: An abacus there, " + cpu + " here" + remedy_);
  changed = records;
  changed[0]["session"] = 1;
  change_records(changed);
  EXPECT_EQ(refusal(mine),
            out_ + "/records.jsonl: " + records[0]["key"].get<std::string>() +
                ": session 1: run.json tells of 1, from 0 on, so it is not known how this record "
                "was made");
}

// As runs were written before they had sessions, or inputs of files.
TEST_F(ARunsFolder, OfAnEarlierFormGetsTheOneOfToday) {
  const std::string input = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  Json of_file = config("[3]");
  of_file["experiments"][0]["axes"]["values"] = {{"file", "x.npy"}};
  const Work mine = work(of_file);
  Json session, whole;
  leave_run(mine, 2, [&](Json& facts) {
    whole = facts;
    session = facts["sessions"][0];
    facts.erase("sessions");
    facts.erase("inputs");
    facts.update(session);
    facts.erase("measure");
    facts["config"]["measure"] = session["measure"];
  });
  Recording resumed(mine, {.folder = out_, .resume = true});
  EXPECT_EQ(resumed.missing(), 0u);
  EXPECT_TRUE(resumed.make(false));
  const Json now = read_facts(out_ + "/run.json");
  EXPECT_EQ(Json::diff(whole, now), Json::array()) << "but for the order";
  EXPECT_EQ(now["inputs"], mine.inputs.digests());
  EXPECT_EQ(now["sessions"].size(), 1u) << "nothing was made, so there is no other";
  EXPECT_FALSE(now["config"].contains("measure"));
}

// What no part of the plan of today asks for is no less an input of the run.
TEST_F(ARunsFolder, OfMoreCasesKeepsItsConfigAndInputs) {
  const std::string input = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  Json of_file = config("[3]");
  of_file["experiments"][0]["axes"]["values"] = {{"file", "x.npy"}};
  const Work mine = work(of_file);
  Json whole;
  leave_run(mine, 2, [&](Json& facts) {
    facts["inputs"]["older.npy"] = "ab";
    whole = facts;
    facts["config"]["measure"] = facts["sessions"][0]["measure"];
  });
  of_file["experiments"][0]["variants"] = {"harris3"};
  const Work part = work(of_file);
  Recording resumed(part, {.folder = out_, .resume = true});
  EXPECT_EQ(resumed.planned(), 1u);
  EXPECT_EQ(resumed.missing(), 0u);
  EXPECT_TRUE(resumed.make(false));
  EXPECT_EQ(Json::diff(whole, read_facts(out_ + "/run.json")), Json::array());
  std::vector<std::string> order;
  for (const Record& record : read_records(out_ + "/records.jsonl"))
    order.push_back(record["variant"].get<std::string>() + " " + record["case"].dump());
  EXPECT_EQ(order, (std::vector<std::string>{"reduce/harris1 0", "reduce/harris3 1"}));
}

// Of two cells the first has a record already: the other's rounds would be mixed with its own. One that was
// made otherwise is no beginning.
TEST_F(ARunsFolder, TakesFromAnotherTheCellsThatItHasNotBegun) {
  const Work mine = work(config("[10, 20]"));
  leave_run(mine, 4);
  StoredRun other{"elsewhere", run_facts(mine), read_records(out_ + "/records.jsonl")};
  other.facts["sessions"].push_back(session_facts(mine));
  other.facts["sessions"][0]["started"] = "2021-01-01T01:01:01Z";
  other.facts["name"] = "theirs";
  const Destination to{.folder = out_, .resume = true};
  leave_run(mine, 1);
  {
    const Recording begun(mine, to, {other});
    EXPECT_EQ(begun.planned(), 4u);
    EXPECT_EQ(begun.missing(), 1u);
    EXPECT_EQ(begun.shared(), 2u);
  }

  Record stale = other.records.at(0);
  stale["source_hash"] = "another";
  change_records({stale});
  Recording otherwise(mine, to, {other});
  ASSERT_EQ(otherwise.missing(), 0u) << "to make them would take processes";
  EXPECT_EQ(otherwise.shared(), 4u);
  EXPECT_TRUE(otherwise.make(false));
  std::string sessions, records;
  const Json facts = read_facts(out_ + "/run.json");
  for (const Json& one : facts["sessions"])
    sessions += one["started"].get<std::string>() + " " + one.value("shared_from", "own") + ", ";
  for (const std::string& line : lines_of(out_ + "/records.jsonl")) {
    const Json one = Json::parse(line);
    records += fmt::format("{} {}: case {} of session {}\n", one["variant"].get<std::string>(),
                           one["n"].dump(), one["case"].dump(), one["session"].dump());
  }
  EXPECT_EQ(sessions, "2020-02-20T20:20:20Z own, 2021-01-01T01:01:01Z theirs, ");
  EXPECT_EQ(records,
            "reduce/harris1 10: case 0 of session 0\n"
            "reduce/harris1 10: case 0 of session 1\n"
            "reduce/harris3 10: case 1 of session 1\n"
            "reduce/harris1 20: case 2 of session 1\n"
            "reduce/harris3 20: case 3 of session 1\n")
      << "what was there stays, before what replaces it";
}

// A part of a run leaves its config, more of it is the config from now on.
TEST_F(ARunsFolder, HasTheConfigOfTheMostCases) {
  Json larger = config("[10, 20]"), smaller = config("[20]");
  smaller["title"] = "A part";
  const auto title_after = [&](const Json& first, const Json& then, std::size_t missing) {
    fs::remove_all(out_);
    leave_run(work(first), 4);
    const Work other = work(then);
    Recording resumed(other, {.folder = out_, .resume = true});
    EXPECT_EQ(resumed.missing(), missing);
    EXPECT_EQ(resumed.planned(), other.plan.cases());
    return resumed.missing() ? std::string("to be made") : (resumed.make(false), [&] {
      const Json facts = read_facts(out_ + "/run.json");
      EXPECT_EQ(facts["title"], facts["config"]["title"]);
      return facts["title"].get<std::string>();
    }());
  };
  EXPECT_EQ(title_after(larger, smaller, 0), "test");
  EXPECT_EQ(title_after(larger, larger, 0), "test");
  EXPECT_EQ(title_after(smaller, larger, 2), "to be made");
}

// What a case is refused in one mode it may do in another.
TEST_F(ARunsFolder, NeedsACaseThatCanRunInSomeMode) {
  Json graphs = config("[10]");
  graphs["experiments"][0]["variants"] = {"cpu_serial", "cpu_openmp"};
  graphs["measure"]["mode"] = {"graph", "cold"};
  EXPECT_NO_THROW(check_runnable(work(graphs, "host")));
  graphs["measure"]["mode"] = {"cold", "graph"};
  EXPECT_NO_THROW(check_runnable(work(graphs, "host")));
  graphs["measure"]["mode"] = "graph";
  const std::string refusal = usage_error([&] { check_runnable(work(graphs, "host")); });
  EXPECT_THAT(refusal, testing::HasSubstr("mode graph: only CUDA has graphs, not host"));
}

// Modes are ways to take times, which the modelled device has none of.
TEST_F(ARunsFolder, HasARecordForEachModeOfWhatHasTimes) {
  Json both = config("[10]");
  both["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  both["measure"]["mode"] = {"warm", "cold"};
  const auto modes = [](const Work& work) {
    std::vector<std::vector<Mode>> modes;
    for (const Case& one : work.plan.cells.at(0).cases) modes.push_back(modes_of(one, work));
    return modes;
  };
  const std::vector<Mode> all{Mode::warm, Mode::cold}, first{Mode::warm};
  EXPECT_EQ(modes(work(both)), (std::vector<std::vector<Mode>>{first, all}));
  EXPECT_EQ(modes(work(both, "simt:gtx480", Job::Kind::profile)),
            (std::vector<std::vector<Mode>>{first, first}));
}

// The bug: two processes took times at once.
TEST_F(ARunsFolder, IsFilledByOneProcess) {
  folder_.write("config.json", config_text(many_sizes));
  const RunningProgram running(folder_);
  std::size_t most = 0;
  while (lines_of(out_ + "/records.jsonl").size() < 6 && running.lives()) {
    most = std::max(most, running.workers().size());
    RunningProgram::pause();
  }
  EXPECT_EQ(most, 1u);
}

}  // namespace
}  // namespace redbench
