// A run that is filled from several: which session, place and number each of its records gets.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/run/recording.hpp"
#include "src/run/run_facts.hpp"
#include "src/run/shared_cells.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

class RecordingSessions : public testing::Test {
 protected:
  /// The records of a cell, made in that session.
  std::vector<Record> records_of(std::size_t cell, int session) const {
    std::vector<Record> records;
    for (const Case& one : work_.plan.cells.at(cell).cases) {
      const Device& device = work_.devices->devices().of(*one.variant);
      records.push_back(case_record(work_.plan.cells[cell], one, device, Mode::cold, Outcome::passed));
      records.back()["input_files"] = work_.inputs.digests_of(one.input.axes);
      records.back()["session"] = session;
    }
    return records;
  }
  Json session(const std::string& started) const {
    Json facts = session_facts(work_);
    facts["started"] = started;
    facts["planned_s"] = 5;
    return facts;
  }
  /// Of this work, with these sessions, by their dates, and these cells, by the session that made them.
  StoredRun run(const std::string& name, const std::vector<std::string>& dates,
                const std::vector<std::pair<std::size_t, int>>& cells) const {
    StoredRun made;
    made.path = name;
    made.facts = run_facts(work_);
    made.facts["name"] = name;
    for (const std::string& date : dates) made.facts["sessions"].push_back(session(date));
    for (const auto& [cell, in] : cells)
      for (const Record& record : records_of(cell, in)) made.records.push_back(record);
    return made;
  }

  TemporaryFolder folder_;
  const std::string out_ = folder_.path() + "/out";
  Work work_ = make_work({.kind = Job::Kind::run,
                          .request = {.config = folder_.write("mine.json", R"({"title": "t", "experiments": [
                            {"problem": "reduce", "variants": ["cpu_serial", "cpu_openmp"],
                             "axes": {"n": [64, 65, 66, 67], "type": "i32", "operator": "sum"}}]})"),
                                      .device = "host",
                                      .overrides = {}}});
};

// The bugs: a record said of another session that it was made there; a session came twice, or without a
// record; what no plan asks for took the place of what one does.
TEST_F(RecordingSessions, EachRecordKeepsItsOwnAndComesToItsPlace) {
  StoredRun own = run("mine", {"2020-01-01T00:00:00Z"}, {{3, 0}});
  own.records.insert(own.records.begin(), own.records[0]);
  own.records[0]["key"] = "reduce/older n=5";
  folder_.write("out/run.json", text_of_facts(own.facts));
  { const RecordFile file(out_ + "/records.jsonl", own.records); }
  const StoredRun first =
      run("first", {"2021-01-01T00:00:00Z", "2021-02-02T00:00:00Z"}, {{0, 1}, {1, 1}, {2, 0}, {3, 0}});
  StoredRun second = run("second", {"2022-01-01T00:00:00Z", "2022-02-02T00:00:00Z"}, {{0, 0}, {1, 1}});
  StoredRun broken = first;
  broken.records.erase(broken.records.begin() + 1);  // the first cell is not whole
  broken.records.erase(broken.records.begin() + 1, broken.records.begin() + 3);  // the second is not there
  broken.facts["name"] = "broken";

  Recording recording(work_, {.folder = out_, .resume = true}, {broken, second});
  EXPECT_EQ(recording.name(), "mine");
  EXPECT_EQ(recording.folder(), out_);
  EXPECT_EQ(recording.planned(), 8u);
  EXPECT_EQ(recording.shared(), 6u);
  EXPECT_EQ(recording.missing(), 0u);
  EXPECT_TRUE(recording.make(false));

  const Json facts = read_facts(out_ + "/run.json");
  std::vector<std::string> sessions;
  for (const Json& one : facts["sessions"])
    sessions.push_back(fmt::format("{} {} {}", one["started"].get<std::string>(),
                                   one.value("shared_from", "own"), one.value("planned_s", Json()).dump()));
  EXPECT_EQ(sessions, (std::vector<std::string>{
                          "2020-01-01T00:00:00Z own 5", "2022-01-01T00:00:00Z second null",
                          "2022-02-02T00:00:00Z second null", "2021-01-01T00:00:00Z broken null"}));
  std::vector<std::string> records;
  for (const Record& record : read_records(out_ + "/records.jsonl")) {
    const std::string key = record["key"];
    records.push_back(fmt::format("{} case {} session {}", key.substr(7, key.find(" type") - 7),
                                  record["case"].dump(), record["session"].dump()));
  }
  EXPECT_EQ(records,
            (std::vector<std::string>{"older n=5 case 8 session 0", "cpu_serial n=67 case 6 session 0",
                                      "cpu_openmp n=67 case 7 session 0", "cpu_serial n=64 case 0 session 1",
                                      "cpu_openmp n=64 case 1 session 1", "cpu_serial n=65 case 2 session 2",
                                      "cpu_openmp n=65 case 3 session 2", "cpu_serial n=66 case 4 session 3",
                                      "cpu_openmp n=66 case 5 session 3"}));
}

// The bug: a cell of which one record is there was taken whole from elsewhere.
TEST_F(RecordingSessions, ACellThatIsBegunIsGoneOnWith) {
  StoredRun own = run("mine", {"2020-01-01T00:00:00Z"}, {{1, 0}, {2, 0}});
  own.records.erase(own.records.begin() + 1);  // half of the second cell is there
  own.records[1]["source_hash"] = "older";     // and of the third one nothing that counts
  own.records[2]["outcome"] = "failed";
  own.records[2]["source_hash"] = "older";
  folder_.write("out/run.json", text_of_facts(own.facts));
  { const RecordFile file(out_ + "/records.jsonl", own.records); }
  const StoredRun other = run("other", {"2021-01-01T00:00:00Z"}, {{1, 0}, {2, 0}, {3, 0}});
  const Recording recording(work_, {.folder = out_, .resume = true}, {other});
  EXPECT_EQ(recording.planned(), 8u);
  EXPECT_EQ(recording.shared(), 4u);
  EXPECT_EQ(recording.missing(), 3u) << "the first cell, and the other half of the second";
}

// The bug: what just fits was cut.
TEST_F(RecordingSessions, ADifferenceIsToldWholeWhereItHasUpTo60Characters) {
  folder_.write("out/run.json", text_of_facts(run("mine", {"2020-01-01T00:00:00Z"}, {}).facts));
  for (const std::size_t length : {58u, 59u}) {  // and two quotes
    const std::string title(length, 't');
    Json config{{"title", "t"}, {"experiments", work_.config.resolved["experiments"]}};
    config["experiments"][0]["title"] = title;
    config["experiments"][0]["axes"]["n"][3] = 68;
    Job job;
    job.request.config = folder_.write("other.json", config.dump());
    job.request.device = "host";
    const Work other = make_work(job);
    EXPECT_EQ(
        usage_error([&] { Recording(other, {.folder = out_, .resume = true}); }),
        out_ + ": holds a run of " + folder_.path() +
            "/mine.json (t), and --resume goes on with its cases, a part of them, or more, but each of the "
            "two has some that the other lacks: experiments[0].title is \"\" there, \"" +
            (length == 58 ? title + "\"" : title.substr(0, 56) + "...") +
            " here; experiments[0].axes.n[3] is 67 there, 68 here; --replace removes that run, --out "
            "chooses another folder");
  }
}

}  // namespace
}  // namespace redbench
