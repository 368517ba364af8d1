// The records' file: what a killed run leaves, what is not a record, what a record is known by.
#include "src/records/record.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "src/records/check.hpp"
#include "src/records/derived.hpp"
#include "src/records/output_folder.hpp"
#include "src/simt/counters.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

Record keyed(const std::string& key) {
  Record record = record_of("reduce/harris3", 16);
  record["key"] = key;
  return record;
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Records, WhatIsAppendedIsThereAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/records.jsonl";
  RecordFile file(path, {keyed("a")});
  file.append(keyed("b"));
  const std::vector<Record> records = read_records(path);  // the file is still open
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0], keyed("a"));
  EXPECT_EQ(records[1], keyed("b"));
}

TEST(Records, ATornLastLineIsDropped) {
  const TemporaryFolder folder;
  const std::string whole = line_of(keyed("a")) + '\n', torn = line_of(keyed("b"));
  for (const std::size_t length : {std::size_t(1), torn.size() / 2, torn.size() - 1}) {
    const std::string path = folder.write("records.jsonl", whole + torn.substr(0, length));
    EXPECT_EQ(read_records(path).size(), 1u) << length << " bytes of the last line";
  }
  EXPECT_EQ(read_records(folder.write("records.jsonl", whole + torn)).size(), 2u)
      << "only its newline is missing";
  EXPECT_TRUE(read_records(folder.write("records.jsonl", "")).empty());
}

TEST(Records, AnyOtherBadLineIsNamed) {
  const TemporaryFolder folder;
  const std::string good = line_of(keyed("a")) + '\n';
  Record future = keyed("b"), incomplete = keyed("c"), odd = keyed("d");
  future["schema"] = record_schema + 1;
  incomplete.erase("mode");
  odd["outcome"] = "splendid";
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string("null"), line_of(future),
                                 line_of(incomplete), line_of(odd)}) {
    const std::string path = folder.write("records.jsonl", good + bad + '\n' + good);
    const std::string message = usage_error([&] { read_records(path); });
    EXPECT_NE(message.find("records.jsonl:2: "), std::string::npos) << message;
  }
  usage_error([&] { read_records(folder.path() + "/none.jsonl"); });
}

// A frame of the stack for each level: a quarter of a megabyte of brackets ended the process.
TEST(Records, NestingWithoutEndIsRefused) {
  const TemporaryFolder folder;
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  std::string line = line_of(keyed("a"));
  line.insert(line.rfind('}'), R"(, "deep": )" + deep);
  const std::string path = folder.write("records.jsonl", line + '\n');
  EXPECT_NE(usage_error([&] { read_records(path); }).find("is nested deeper than 64 levels"),
            std::string::npos);
  folder.write("run.json", R"({"schema": 1, "config": )" + deep + '}');
  usage_error([&] { read_stored_run(folder.path()); });
}

TEST(Records, AnEmptyLineIsNone) {
  const TemporaryFolder folder;
  const std::string line = line_of(keyed("a"));
  EXPECT_EQ(read_records(folder.write("records.jsonl", '\n' + line + "\r\n \n\n")).size(), 1u);
}

// Of two values the parser takes the last in silence.
TEST(Records, AKeyTwiceIsRefused) {
  const TemporaryFolder folder;
  std::string line = line_of(keyed("a"));
  line.insert(1, R"("outcome": "wrong", )");
  const std::string message = usage_error([&] { read_records(folder.write("records.jsonl", line + '\n')); });
  EXPECT_NE(
      message.find("records.jsonl:1: $.outcome: the key is there twice; remove that line, and `--resume`"),
      std::string::npos)
      << message;
}

TEST(Records, NumbersThatContradictEachOtherAreRefused) {
  const Record good = timed("reduce/harris3", 1024, 200, 190, 210);
  ASSERT_EQ(mistake_in(good), "");
  const auto mistake = [&](const Json& changes) {
    Record changed = good;
    changed.update(changes);
    return mistake_in(changed);
  };
  for (const auto& [changes, field] :
       {std::pair(Json{{"time_ns", 195.0}}, "time_ns: 195 contradicts samples_ns"),
        {Json{{"time_ns", nullptr}}, "time_ns: missing"},
        {Json{{"time_low_ns", 201.0}}, "time_ns: 200"},
        {Json{{"time_high_ns", 199.0}}, "time_ns: 200"},
        {Json{{"time_high_ns", nullptr}}, "one of the two is missing"},
        {Json{{"forks", 99}}, "forks: 99 contradicts samples_ns"},
        {Json{{"samples_ns", Json::array()}}, "samples_ns: one fork"},
        {Json{{"samples_ns", Json::parse("[[190, 200, 210], []]")}}, "samples_ns[1]: "},
        {Json{{"samples_ns", Json::parse(R"([[190, "200", 210]])")}}, "samples_ns[0]: "},
        {Json{{"samples_ns", Json::parse("[[0, 0, 0]]")}}, "contradicts samples_ns"},
        {Json{{"bandwidth_gb_per_s", 20.6}}, "bandwidth_gb_per_s: 20.6 contradicts"},
        {Json{{"ns_per_input", 0.2}}, "ns_per_input: 0.2 contradicts"},
        {Json{{"percent_of_ceiling", 500.0}, {"above_ceiling", false}}, "above_ceiling: false"}})
    EXPECT_NE(mistake(changes).find(field), std::string::npos) << changes << ": " << mistake(changes);
  EXPECT_EQ(mistake({{"time_ns", std::string(38, 'x')}}),
            "time_ns: a finite number from 0 is expected, not \"" + std::string(38, 'x') + '"')
      << "40 characters are shown whole";
  EXPECT_EQ(mistake({{"samples_ns", {190, 200, 210}}}), "") << "of one process, as it was written once";
  EXPECT_EQ(mistake({{"outcome", "failed"}, {"time_ns", 195.0}}), "") << "a failed case has no time to agree";
}

// The median of the forks' medians, in whatever order the forks are.
TEST(Records, TheTimeOfForksIsTheMedianOfTheirMedians) {
  for (const char* samples : {"[[100, 90, 120], [200, 1, 900], [310, 300, 320]]", "[[200], [310], [100]]",
                              "[[310, 310], [100, 100], [150, 250]]", "[[150, 200], [175], [225], [300]]"}) {
    Record record = timed("reduce/harris3", 1024, 200, 190, 210);
    record["samples_ns"] = Json::parse(samples);
    record["forks"] = record["samples_ns"].size();
    EXPECT_EQ(mistake_in(record), "") << samples;
    for (const double other : {100.0, 310.0, 210.0}) {
      Record wrong = record;
      wrong.update({{"time_ns", other}, {"time_low_ns", 1}, {"time_high_ns", 999}});
      EXPECT_NE(mistake_in(wrong).find("contradicts samples_ns"), std::string::npos)
          << samples << ' ' << other;
    }
  }
}

// As of a GPU, of which no tool counts all that the model does.
TEST(Records, ACounterMayBeUnknown) {
  Record record = record_of("reduce/harris3");
  record["counters"] = Json::object();
  for (const std::string_view name : counter_names) record["counters"][std::string(name)] = nullptr;
  record["counters"]["global_load_sectors"] = 512;
  ASSERT_EQ(mistake_in(record), "");
  add_derived_counts(record["counters"]);
  ASSERT_EQ(mistake_in(record), "") << "nor what follows from it";
  record["counters"]["global_load_sectors"] = "512";
  EXPECT_NE(mistake_in(record), "");
}

TEST(Records, AreKnownByAllThatMakesThemComparable) {
  const std::string identity = record_identity(keyed("a"));
  for (const auto& [field, other] : {std::pair("key", Json("b")),
                                     {"mode", "warm"},
                                     {"source_hash", "abd"},
                                     {"measured_by", "abe"},
                                     {"built_by", "GNU 1.2.3"},
                                     {"input_files", {{"values", "ab"}}},
                                     {"seed", 2},
                                     {"device", "cuda:1"},
                                     {"hardware", "NVIDIA H100"}}) {
    Record changed = keyed("a");
    changed[field] = other;
    EXPECT_NE(record_identity(changed), identity) << field;
  }
  Record measured_again = keyed("a");
  measured_again["time_ns"] = 5;
  EXPECT_EQ(record_identity(measured_again), identity);
}

TEST(Records, BytesThatAreNotTextDoNotStopTheRun) {
  Record record = keyed("a");
  record["reason"] = "its process said \xff\xfe";
  EXPECT_NE(line_of(record).find("its process said"), std::string::npos);
}

TEST(StoredRun, TheLastRecordOfACaseCountsInTheOrderOfThePlan) {
  Record first = keyed("a"), second = keyed("b"), again = keyed("a"), warm = keyed("a");
  first["case"] = again["case"] = warm["case"] = 1;
  second["case"] = 0;
  first["seed"] = 7;
  warm["mode"] = "warm";
  EXPECT_EQ(in_plan_order({first, warm, second, again}), (std::vector<Record>{second, again, warm}));
}

/// Of three sessions on three days, each measured otherwise.
StoredRun of_three_sessions() {
  StoredRun run{"results/a/b", {{"name", "paper/fig1"}, {"config", {{"title", "A figure"}}}}, {}};
  for (int i = 0; i < 3; ++i)
    run.facts["sessions"].push_back({{"started", fmt::format("2026-11-2{}T12:00:00Z", 3 - i)},
                                     {"driver", "550"},
                                     {"commit", fmt::format("c{}", i)},
                                     {"measure", {{"forks", i}, {"mode", {"cold"}}, {"twice", i == 1}}}});
  return run;
}

TEST(StoredRun, DaysAndDifferencesAreThoseOfTheSessionsOfItsRecords) {
  StoredRun run = of_three_sessions();
  EXPECT_EQ(run.name(), "paper/fig1");
  EXPECT_EQ(run.title(), "A figure");
  EXPECT_EQ(run.date(), "2026-11-21 to 2026-11-23") << "without records all count";
  EXPECT_EQ(run.differences(), "forks 0, 1, 2; twice false, true; commit c0, c1, c2");
  const auto with = [&](std::vector<int> sessions) {
    run.records.clear();
    for (const int session : sessions) {
      run.records.push_back(keyed("a"));
      run.records.back()["session"] = session;
    }
  };
  with({2, 0});
  EXPECT_EQ(run.date(), "2026-11-21 to 2026-11-23");
  EXPECT_EQ(run.differences(), "forks 0, 2; commit c0, c2");
  with({0, 1, 0});
  EXPECT_EQ(run.date(), "2026-11-22 to 2026-11-23");
  with({1});
  EXPECT_EQ(run.date(), "2026-11-22");
  EXPECT_EQ(run.differences(), "");
  run.facts = {{"name", ""}, {"config", Json::object()}, {"sessions", {Json::object(), Json::object()}}};
  EXPECT_EQ(run.name(), "b") << "its folder's";
  EXPECT_EQ(run.title(), "b");
  EXPECT_EQ(run.date(), "");
}

TEST(StoredRun, OneWithoutSessionsIsOneItself) {
  const Json facts{{"started", "2026-11-20T12:00:00Z"},
                   {"ended", "e"},
                   {"resumed", false},
                   {"planned_s", 3},
                   {"command_line", {"redbench"}},
                   {"driver", "d"},
                   {"build", {{"type", "Release"}}},
                   {"host", "h"},
                   {"dirty", true},
                   {"commit", "c"},
                   {"name", "n"},
                   {"config", {{"measure", {{"forks", 3}}}}}};
  Json expected = facts;
  expected.erase("name");
  expected.erase("config");
  expected["measure"] = {{"forks", 3}};
  EXPECT_EQ(sessions_of(facts), std::vector<Json>{expected});
}

TEST(StoredRun, AFolderWithoutOneIsNamed) {
  const TemporaryFolder folder;
  EXPECT_NE(usage_error([&] { read_stored_run(folder.path()); }).find("run.json: missing"),
            std::string::npos);
  folder.write("run.json", "[]");
  EXPECT_NE(usage_error([&] { read_stored_run(folder.path()); }).find("run.json: missing"),
            std::string::npos);
  EXPECT_EQ(results_folder("h200", "martin2012/fig4"), "results/h200/martin2012/fig4");
}

Json good_facts() {
  return {{"schema", record_schema},
          {"name", "quick"},
          {"title", "t"},
          {"config_path", "c.json"},
          {"config", Json::object()},
          {"device", Json::object()},
          {"inputs", Json::object()},
          {"sessions", Json::array({{{"started", "2026-11-20T12:00:00Z"}}})}};
}

TEST(StoredRun, EachFactThatReadersUseIsChecked) {
  const TemporaryFolder folder;
  folder.write("records.jsonl", line_of(keyed("a")) + '\n');
  const auto read = [&](const std::string& text) {
    folder.write("run.json", text);
    return usage_error([&] { read_stored_run(folder.path()); });
  };
  folder.write("run.json", line_of(good_facts()));
  EXPECT_EQ(read_stored_run(folder.path()).records.size(), 1u);
  for (const auto& [key, value] : {std::pair("schema", Json(99)),
                                   {"name", 5},
                                   {"title", nullptr},
                                   {"config_path", Json::array()},
                                   {"config", "{}"},
                                   {"device", nullptr},
                                   {"inputs", 1},
                                   {"sessions", Json::object()},
                                   {"sessions", Json::array()},
                                   {"sessions", Json::array({5})},
                                   {"sessions", Json::array({{{"started", 5}}})}}) {
    Json facts = good_facts();
    facts[key] = value;
    EXPECT_NE(read(line_of(facts)).find(std::string("run.json: ") + key), std::string::npos) << facts;
  }
  Json facts = good_facts();
  facts.erase("sessions");
  EXPECT_NE(read(line_of(facts)).find("run.json: sessions: missing"), std::string::npos);
  EXPECT_NE(
      read(R"({"schema": 99, )" + line_of(good_facts()).substr(1)).find("$.schema: the key is there twice"),
      std::string::npos);
}

// The bug was that a resumed run gave the old records the new session's facts.
TEST(StoredRun, ARecordOfNoSessionIsRefused) {
  const TemporaryFolder folder;
  folder.write("run.json", line_of(good_facts()));
  Record record = keyed("a");
  record["session"] = 1;
  folder.write("records.jsonl", line_of(record) + '\n');
  EXPECT_NE(usage_error([&] { read_stored_run(folder.path()); }).find("records.jsonl: a: session 1: "),
            std::string::npos);
}

// Of a run only what redbench made goes.
TEST(OutputFolders, AllThatARunMadeIsRemovedAndNothingElse) {
  const TemporaryFolder root;
  const std::string path = root.path() + "/out";
  std::vector<std::string> made = table_files(path, "paper/fig1"), kept;
  made.push_back(path + "/records.jsonl");
  for (const char* plot : {"time", "share"})
    for (const char* ending : {".svg", ".png"}) made.push_back(path + "/plots/" + plot + ending);
  for (const char* other : {"/notes.txt", "/run.json", "/tables/mine.csv", "/plots/mine.svg"})
    kept.push_back(path + other);
  for (const std::vector<std::string>* files : {&made, &kept})
    for (const std::string& file : *files) root.write(file.substr(root.path().size() + 1), "text");
  Json facts = good_facts();
  facts["name"] = "paper/fig1";
  facts["config"] = {{"plots", {{{"name", "time"}}, {{"name", "share"}}, {{"name", "folder"}}}}};
  root.write("out/run.json", line_of(facts));
  kept.push_back(path + "/plots/folder.svg");
  std::filesystem::create_directory(kept.back());  // no plot, whatever its name
  OutputFolder(path).remove_results();
  for (const std::string& file : made) EXPECT_FALSE(std::filesystem::exists(file)) << file;
  for (const std::string& file : kept) EXPECT_TRUE(std::filesystem::exists(file)) << file;
}

// Known before anything is measured, of each file that is written at the end.
TEST(OutputFolders, AFolderWhereAFileGoesIsInTheWay) {
  const TemporaryFolder root;
  const std::string path = root.path() + "/out";
  std::vector<std::string> files = table_files(path, "paper/fig1");
  EXPECT_EQ(files.size(), 4u);
  files.insert(files.end(), {path + "/run.json", path + "/records.jsonl"});
  const OutputFolder folder(path);
  folder.check_results_fit("paper/fig1");
  for (const std::string& file : files)
    for (const char* part : {"", ".part"}) {
      const std::string taken = file + part;
      std::filesystem::create_directories(taken);
      EXPECT_EQ(usage_error([&] { folder.check_results_fit("paper/fig1"); }),
                taken +
                    ": is in the way: it is a folder, and a file goes there; move it, or choose another "
                    "folder with --out");
      std::filesystem::remove_all(taken);
    }
  std::filesystem::remove_all(path + "/tables");
  std::ofstream(path + "/tables") << "text";
  EXPECT_NE(usage_error([&] { folder.check_results_fit("paper/fig1"); }).find("the folder of the tables"),
            std::string::npos);
}

// A run or a write that was killed leaves them, before there is a run.json.
TEST(OutputFolders, WhatAKillLeftIsNotInTheWay) {
  for (const char* left : {"run.json.part", "records.jsonl.part", "run.lock"}) {
    const TemporaryFolder root;
    root.write(std::string("out/") + left, "left");
    EXPECT_NO_THROW(OutputFolder(root.path() + "/out")) << left;
  }
}

TEST(WriteFile, NobodyMayRunWhatIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/table.csv";
  const mode_t mask = ::umask(0022);
  write_file(path, "text");
  ::umask(mask);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            perms::owner_read | perms::owner_write | perms::group_read | perms::others_read);
}

TEST(WriteFile, ReplacesWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder.write("table.csv", "old");
  write_file(path, "new");
  EXPECT_EQ(contents(path), "new");
  std::filesystem::create_directory(folder.path() + "/taken");
  const std::string message = usage_error([&] { write_file(folder.path() + "/taken", "text"); });
  EXPECT_NE(message.find("taken: cannot be written"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/taken.part"));
  usage_error([&] { write_file(folder.path() + "/none/table.csv", "text"); });
}

}  // namespace
}  // namespace redbench
