// A run's folder: what is refused before anything is touched, how many records are to be made, and which
// session, place and number each of them gets.
#include "src/run/recording.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/run/planned_records.hpp"
#include "src/run/run_facts.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class ARunsFolder : public testing::Test {
 protected:
  Work work(Json config, const std::string& device = "simt:gtx480", Job::Kind kind = Job::Kind::run) const {
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("mine.json", config.dump()), .device = device}});
  }
  static Json config(const std::string& sizes) { return Json::parse(config_text(sizes)); }
  /// Over the values of a file.
  Json config_of_file() const {
    Json of_file = config("[3]");
    of_file["experiments"][0]["axes"]["values"] = {{"file", "x.npy"}};
    return of_file;
  }
  static Json session(const Work& work, const std::string& started) {
    Json facts = session_facts(work);
    facts["started"] = started;
    facts["planned_s"] = 5;
    return facts;
  }
  /// The records of a cell, made in that session.
  static std::vector<Record> records_of(const Work& work, std::size_t cell, int session = 0) {
    std::vector<Record> records;
    for (const Case& case_ : work.plan.cells.at(cell).cases) {
      const Device& device = work.device_of(case_);
      records.push_back(
          case_record(work.plan.cells[cell], case_, device, modes_of(case_, work)[0], Outcome::passed));
      records.back()["session"] = session;
      records.back()["input_files"] = work.inputs.digests_of(case_.input.axes);
    }
    return records;
  }
  /// A run of this work with these sessions, by their dates, and these cells, by the session that made them.
  static StoredRun run(const Work& work, const std::string& name, const Lines& dates,
                       const std::vector<std::pair<std::size_t, int>>& cells) {
    StoredRun made;
    made.path = name;
    made.facts = run_facts(work);
    made.facts["name"] = name;
    for (const std::string& date : dates) made.facts["sessions"].push_back(session(work, date));
    for (const auto& [cell, in] : cells)
      for (const Record& record : records_of(work, cell, in)) made.records.push_back(record);
    return made;
  }
  void leave(const StoredRun& run) const {
    folder_.write("out/run.json", text_of_facts(run.facts));
    fs::remove(out_ + "/records.jsonl");
    const RecordFile file(out_ + "/records.jsonl", run.records);
  }
  /// A run of this work that has made its first records, as --resume finds it.
  void leave_run(const Work& work, std::size_t records, const std::function<void(Json&)>& change = {}) const {
    StoredRun made = run(work, work.config.name, {"2020-02-20T20:20:20Z"}, {});
    if (change) change(made.facts);
    for (std::size_t cell = 0; cell < work.plan.cells.size(); ++cell)
      for (const Record& record : records_of(work, cell))
        if (made.records.size() < records) made.records.push_back(record);
    leave(made);
  }
  std::string refusal(const Work& work, Destination to = {.resume = true}) const {
    to.folder = out_;
    return usage_error([&] { Recording(work, to); });
  }
  /// "harris1 10: case 0 of session 0", of each record in its order.
  Lines made_records() const {
    Lines all;
    for (const Record& record : read_records(out_ + "/records.jsonl"))
      all.push_back(fmt::format("{} {}: case {} of session {}",
                                record["variant"].get<std::string>().substr(7), record["n"].dump(),
                                record["case"].dump(), record["session"].dump()));
    return all;
  }

  TemporaryFolder folder_;
  const std::string out_ = folder_.path() + "/out";
  const std::string input_ = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  const std::string remedy_ = "; --replace removes that run, --out chooses another folder";
};

TEST_F(ARunsFolder, IsNotTakenByAnotherRunUnasked) {
  const Work mine = work(config("[10, 20]"));
  leave_run(mine, 2);
  EXPECT_EQ(refusal(mine, {}), out_ + ": holds a run of " + folder_.path() +
                                   "/mine.json (test); --resume continues it, --replace removes it, --out "
                                   "chooses another folder");
  EXPECT_EQ(refusal(mine, {.resume = true, .replace = true}),
            "--resume continues a run and --replace removes it: give one of them");
  {
    const Recording resumed(mine, {.folder = out_ + "/../out/", .resume = true});
    EXPECT_EQ(resumed.name(), "mine");
    EXPECT_EQ(resumed.planned(), 4u);
    EXPECT_EQ(resumed.missing(), 2u);
  }
  EXPECT_EQ(Recording(mine, {.folder = out_, .replace = true}).missing(), 4u);
  EXPECT_EQ(folder_of(mine, {}), "results/simt-gtx480/mine");
  EXPECT_EQ(folder_of(mine, {.folder = "a/./b/../c"}), "a/c");
}

// The first places that differ are named, long values by their beginning.
TEST_F(ARunsFolder, IsRefusedToARunThatSharesNotAllOfItsCases) {
  leave_run(work(config("[10, 20, 30]")), 1);
  Json other = config("[10, 21, 31, 40]");
  other["experiments"][0]["variants"] = {"harris2"};
  EXPECT_EQ(
      refusal(work(other)),
      out_ + ": holds a run of " + folder_.path() +
          "/mine.json (test); --resume continues it with its cases, a part of them, or more, but each of "
          "the two has some that the other lacks: experiments[0].variants[0] is \"harris1\" there, "
          "\"harris2\" here; experiments[0].variants[1] is \"harris3\" there, nothing here; "
          "experiments[0].axes.n[1] is 20 there, 21 here; and 2 more" +
          remedy_);
  other["experiments"][0]["title"] = std::string(59, 't');
  EXPECT_THAT(refusal(work(other)),
              testing::HasSubstr("title is \"\" there, \"" + std::string(56, 't') + "... here"));
}

TEST_F(ARunsFolder, IsOfOneDeviceSeedAndInput) {
  const Work mine = work(config_of_file());
  const auto refusal_after = [&](const std::function<void(Json&)>& change) {
    leave_run(mine, 0, change);
    return refusal(mine);
  };
  EXPECT_EQ(refusal_after([](Json& facts) { facts["config"]["seed"] = 5; }),
            out_ + ": its inputs are of another seed: 5 there, 1 here" + remedy_);
  EXPECT_THAT(
      refusal_after([&](Json& facts) { facts["inputs"][input_] = "aa"; }),
      testing::HasSubstr(input_ + " has changed since that run began: its SHA-256 is \"aa\" there, \""));
  // The memory that a program sees the driver decides, and another program may know more or less.
  const Json of_another = Json::parse(R"({"memory_bytes": 5, "max_warps": null, "more": 7})");
  EXPECT_EQ(refusal_after([&](Json& facts) {
              facts["device"].merge_patch(of_another);
              facts["device"]["banks"] = 16;
            }),
            out_ + ": its records are of another device: banks is 16 there, 32 here" + remedy_);
  leave_run(mine, 0, [&](Json& facts) { facts["device"].merge_patch(of_another); });
  EXPECT_EQ(Recording(mine, {.folder = out_, .resume = true}).missing(), 2u);
}

TEST_F(ARunsFolder, HasNoRecordsOfAnotherCpu) {
  Json both = config("[10]");
  both["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  const Work mine = work(both);
  StoredRun changed = run(mine, "mine", {"2020-01-01T00:00:00Z"}, {{0, 0}});
  changed.records[1]["hardware"] = "An abacus";
  leave(changed);
  EXPECT_EQ(refusal(mine), out_ + ": it has records of another CPU: An abacus there, " +
                               mine.devices->host->facts().name + " here" + remedy_);
}

TEST_F(ARunsFolder, HasNoRecordsOfAnotherNumberOfThreads) {
  Json serial = config("[10]");
  serial["experiments"][0]["variants"] = {"cpu_serial"};
  const Work mine = work(serial, "host");
  StoredRun changed = run(mine, "mine", {"2020-01-01T00:00:00Z"}, {{0, 0}});
  const int threads = changed.records[0]["openmp_threads"];
  changed.records[0]["openmp_threads"] = threads + 1;
  leave(changed);
  EXPECT_EQ(refusal(mine), fmt::format("{}: it has records of CPU algorithms with {} OpenMP threads, not {} "
                                       "(OMP_NUM_THREADS){}",
                                       out_, threads + 1, threads, remedy_));
  changed.records[0]["openmp_threads"] = nullptr;
  leave(changed);
  EXPECT_EQ(Recording(mine, {.folder = out_, .resume = true}).missing(), 0u) << "it is not known";
}

// The bug: a config that was named by another path, from its own folder or through a link, was refused.
TEST_F(ARunsFolder, IsResumedByAnotherPathOfTheSameFile) {
  Json by_name = config_of_file(), by_path = by_name;
  by_path["experiments"][0]["axes"]["values"]["file"] = input_;
  const Work mine = work(by_path);
  leave_run(work(by_name), 1);
  EXPECT_EQ(Recording(mine, {.folder = out_, .resume = true}).missing(), mine.plan.cases() - 1);
}

// What intervals speak of, and which fields there are, is the same for all of a run; how many samples there
// are is not.
TEST_F(ARunsFolder, HasRecordsThatWereMadeAlike) {
  const Work mine = work(config("[10, 20]"));
  const auto refusal_after = [&](const char* option, const Json& value) {
    leave_run(mine, 2, [&](Json& facts) { facts["sessions"][0]["measure"][option] = value; });
    return refusal(mine);
  };
  EXPECT_EQ(refusal_after("forks", 5),
            out_ + ": its records were made otherwise: measure.forks is 5 there, 1 here" + remedy_);
  EXPECT_EQ(refusal_after("counters", true),
            out_ + ": its records were made otherwise: measure.counters is true there, false here" + remedy_);
  leave_run(mine, 2, [](Json& facts) { facts["sessions"][0]["measure"]["max_samples"] = 7; });
  EXPECT_EQ(Recording(mine, {.folder = out_, .resume = true}).what_is_resumed(),
            "2 of 4 records are there, 2 are to be made; measure.max_samples is 7 there, 200 here");
}

// As runs were written before they had sessions, or inputs of files.
TEST_F(ARunsFolder, OfAnEarlierFormGetsTheOneOfToday) {
  const Work mine = work(config_of_file());
  Json whole;
  leave_run(mine, 2, [&](Json& facts) {
    whole = facts;
    const Json session = facts["sessions"][0];
    facts.erase("sessions");
    facts.erase("inputs");
    facts.update(session);
    facts.erase("measure");
    facts["config"]["measure"] = session["measure"];
  });
  Recording resumed(mine, {.folder = out_, .resume = true});
  EXPECT_EQ(resumed.missing(), 0u);
  EXPECT_TRUE(resumed.make(false));
  EXPECT_EQ(Json::diff(whole, read_facts(out_ + "/run.json")), Json::array()) << "but for the order";
}

// A part of a run leaves its config and inputs; more of it is the config from now on.
TEST_F(ARunsFolder, HasTheConfigOfTheMostCases) {
  Json larger = config_of_file(), smaller = larger;
  smaller["experiments"][0]["variants"] = {"harris3"};
  smaller["title"] = "A part";
  Json whole;
  leave_run(work(larger), 2, [&](Json& facts) {
    facts["inputs"]["older.npy"] = "ab";
    whole = facts;
  });
  {
    const Work part = work(smaller);
    Recording resumed(part, {.folder = out_, .resume = true});
    EXPECT_EQ(resumed.planned(), 1u);
    EXPECT_EQ(resumed.missing(), 0u);
    EXPECT_TRUE(resumed.make(false));
  }
  EXPECT_EQ(Json::diff(whole, read_facts(out_ + "/run.json")), Json::array());
  EXPECT_EQ(made_records(), (Lines{"harris1 3: case 0 of session 0", "harris3 3: case 1 of session 0"}));
  leave_run(work(smaller), 1);
  const Work more = work(larger);
  EXPECT_EQ(Recording(more, {.folder = out_, .resume = true}).missing(), 1u);
}

// The bugs: a record named a session that had not made it; a session came twice, or without a
// record; what no plan asks for took the place of what one does.
TEST_F(ARunsFolder, EachRecordOfAnotherRunKeepsItsSessionAndComesToItsPlace) {
  Json of_host = config("[64, 65, 66, 67]");
  of_host["experiments"][0]["variants"] = {"cpu_serial", "cpu_openmp"};
  const Work mine = work(of_host, "host");
  StoredRun own = run(mine, "mine", {"2020-01-01T00:00:00Z"}, {{3, 0}});
  own.records.insert(own.records.begin(), own.records[0]);
  own.records[0]["key"] = "reduce/older n=5";
  leave(own);
  const StoredRun second =
      run(mine, "second", {"2022-01-01T00:00:00Z", "2022-02-02T00:00:00Z"}, {{0, 0}, {1, 1}});
  StoredRun broken =
      run(mine, "broken", {"2021-01-01T00:00:00Z", "2021-02-02T00:00:00Z"}, {{0, 1}, {2, 0}, {3, 0}});
  broken.records.erase(broken.records.begin() + 1);  // the first cell is not whole

  Recording recording(mine, {.folder = out_, .resume = true}, {broken, second});
  EXPECT_EQ(recording.planned(), 8u);
  EXPECT_EQ(recording.shared(), 6u);
  EXPECT_EQ(recording.missing(), 0u);
  EXPECT_TRUE(recording.make(false));
  const Json facts = read_facts(out_ + "/run.json");
  Lines sessions;
  for (const Json& made : facts["sessions"])
    sessions.push_back(fmt::format("{} {} {}", made["started"].get<std::string>(),
                                   made.value("shared_from", "own"), made.value("planned_s", Json()).dump()));
  EXPECT_EQ(sessions, (Lines{"2020-01-01T00:00:00Z own 5", "2022-01-01T00:00:00Z second null",
                             "2022-02-02T00:00:00Z second null", "2021-01-01T00:00:00Z broken null"}));
  EXPECT_EQ(made_records(), (Lines{"cpu_serial 67: case 8 of session 0", "cpu_serial 67: case 6 of session 0",
                                   "cpu_openmp 67: case 7 of session 0", "cpu_serial 64: case 0 of session 1",
                                   "cpu_openmp 64: case 1 of session 1", "cpu_serial 65: case 2 of session 2",
                                   "cpu_openmp 65: case 3 of session 2", "cpu_serial 66: case 4 of session 3",
                                   "cpu_openmp 66: case 5 of session 3"}));
}

// The bug: a cell of which one record is there was taken whole from elsewhere, its rounds mixed with its own.
// One that was made otherwise is no beginning, and stays before what replaces it.
TEST_F(ARunsFolder, TakesFromAnotherTheCellsThatItHasNotBegun) {
  const Work mine = work(config("[10, 20]"));
  const StoredRun other = run(mine, "theirs", {"2021-01-01T01:01:01Z"}, {{0, 0}, {1, 0}});
  const Destination to{.folder = out_, .resume = true};
  leave_run(mine, 1);
  {
    const Recording begun(mine, to, {other});
    EXPECT_EQ(begun.missing(), 1u);
    EXPECT_EQ(begun.shared(), 2u);
  }
  StoredRun stale = run(mine, "mine", {"2020-01-01T00:00:00Z"}, {{0, 0}});
  stale.records.pop_back();
  stale.records[0]["source_hash"] = "another";
  leave(stale);
  Recording otherwise(mine, to, {other});
  ASSERT_EQ(otherwise.missing(), 0u) << "to make them would take processes";
  EXPECT_TRUE(otherwise.make(false));
  EXPECT_EQ(made_records(), (Lines{"harris1 10: case 0 of session 0", "harris1 10: case 0 of session 1",
                                   "harris3 10: case 1 of session 1", "harris1 20: case 2 of session 1",
                                   "harris3 20: case 3 of session 1"}));
}

// What a case is refused in one mode it may do in another. The modelled device has no times, of which modes
// are ways to take them.
TEST_F(ARunsFolder, HasARecordForEachModeOfWhatHasTimes) {
  Json both = config("[10]");
  both["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  both["measure"]["mode"] = {"warm", "cold"};
  const Work timed = work(both), profiled = work(both, "simt:gtx480", Job::Kind::profile);
  const std::vector<Case>& cases = timed.plan.cells.at(0).cases;
  EXPECT_EQ(modes_of(cases[0], timed), std::vector<Mode>{Mode::warm});
  EXPECT_EQ(modes_of(cases[1], timed), (std::vector<Mode>{Mode::warm, Mode::cold}));
  EXPECT_EQ(modes_of(cases[1], profiled), std::vector<Mode>{Mode::warm});
  both["experiments"][0]["variants"] = {"cpu_serial"};
  both["measure"]["mode"] = {"graph", "cold"};
  EXPECT_NO_THROW(check_runnable(work(both, "host")));
  both["measure"]["mode"] = "graph";
  const std::string refused = "reduce/cpu_serial: mode graph: only CUDA has graphs, not host";
  EXPECT_EQ(usage_error([&] { check_runnable(work(both, "host")); }),
            "nothing can run: the one case is refused, " + refused);
  both["experiments"][0]["axes"]["n"] = {10, 20};
  EXPECT_EQ(usage_error([&] { check_runnable(work(both, "host")); }),
            "nothing can run: all 2 cases are refused, the first, " + refused);
}

}  // namespace
}  // namespace redbench
