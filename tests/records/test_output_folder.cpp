// The folder of a run: what may be written to it and removed from it, and a run that is read from it.
#include "src/records/output_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "src/records/record_stream.hpp"
#include "src/records/stored_run.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

Record keyed(const std::string& key, const Json& number = nullptr, const char* mode = "cold") {
  Record record = record_of("reduce/harris3", 16);
  record.update({{"key", key}, {"case", number}, {"mode", mode}});
  return record;
}

TEST(StoredRun, TheLastRecordOfACaseCountsInTheOrderOfThePlan) {
  const Record second = keyed("b", 0), again = keyed("a", 1), warm = keyed("a", 1, "warm");
  Record first = again;
  first["seed"] = 7;
  EXPECT_EQ(in_plan_order({first, warm, second, again}), (std::vector<Record>{second, again, warm}));
  const Record none = keyed("none");
  EXPECT_EQ(in_plan_order({again, none}), (std::vector<Record>{none, again})) << "an older one has no number";
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

TEST(StoredRun, IsInterruptedWhereItsLastSessionHasNoEnd) {
  StoredRun run = of_three_sessions();
  EXPECT_EQ(run.interruption(), "") << "an older one says nothing of ends";
  Json& sessions = run.facts["sessions"];
  sessions[2]["ended"] = nullptr;
  EXPECT_EQ(run.interruption(), "interrupted: cases may be missing");
  sessions[1]["ended"] = nullptr;
  sessions[2]["ended"] = "2026-11-21T13:00:00Z";
  EXPECT_EQ(run.interruption(), "") << "the next went on";
}

TEST(StoredRun, DaysAndDifferencesAreThoseOfTheSessionsOfItsRecords) {
  StoredRun run = of_three_sessions();
  for (const int session : {0, 1, 2}) run.facts["sessions"][session]["driver"] = session == 1 ? "580.1" : "";
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

Json good_facts() {
  return {{"schema", record_schema},
          {"name", "quick"},
          {"title", "t"},
          {"config_path", "c.json"},
          {"config", Json::object()},
          {"device", Json::object()},
          {"sessions", Json::array({{{"started", "2026-11-20T12:00:00Z"}}})}};
}

// A resumed run once gave the old records the new session's facts.
TEST(StoredRun, AFolderWithoutAUsableRunIsRefused) {
  const TemporaryFolder folder;
  const auto mistake = [&] {
    return usage_error([&] { read_stored_run(folder.path()); }).substr(folder.path().size() + 1);
  };
  EXPECT_EQ(mistake(), "run.json: missing, or not redbench's");
  folder.write("run.json", "[]");
  EXPECT_EQ(mistake(), "run.json: missing, or not redbench's");
  folder.write("run.json", R"({"schema": 99, )" + line_of(good_facts()).substr(1));
  EXPECT_EQ(mistake(), "run.json: $.schema: the key is there twice");
  folder.write("run.json", line_of(good_facts()));
  Record record = keyed("a");
  folder.write("records.jsonl", line_of(record) + '\n');
  EXPECT_EQ(read_stored_run(folder.path()).records.size(), 1u);
  folder.write("records.jsonl", line_of(record) + '\n' + line_of(record).substr(0, 99));
  Json facts = good_facts();
  facts["sessions"][0]["ended"] = nullptr;
  folder.write("run.json", line_of(facts));
  EXPECT_THAT(read_stored_run(folder.path()).bad_lines, testing::IsEmpty()) << "a run may be writing it";
  facts["sessions"][0]["ended"] = "2026-11-20T12:01:00Z";
  folder.write("run.json", line_of(facts));
  EXPECT_THAT(
      read_stored_run(folder.path()).bad_lines,
      testing::ElementsAre(testing::HasSubstr("its last line is not finished, though the run has ended")));
  record["session"] = 1;
  folder.write("records.jsonl", line_of(record) + '\n');
  const StoredRun run = read_stored_run(folder.path());
  EXPECT_EQ(run.records.size(), 0u);
  ASSERT_EQ(run.bad_lines.size(), 1u);
  EXPECT_EQ(run.bad_lines[0].substr(folder.path().size() + 1, 28), "records.jsonl:1: session 1: ");
}

TEST(StoredRun, RunsBelowAFolderAreFoundInTheOrderOfTheirNames) {
  const TemporaryFolder root;
  for (const char* name : {"d/2", "a", "d/1", "b/x/y"}) root.write(std::string(name) + "/records.jsonl", "");
  root.write("i/run.json", "{}");  // no records
  const auto below = [&](const char* name) {
    std::vector<std::string> found = runs_below(root.path() + name);
    for (std::string& path : found) path.erase(0, root.path().size());
    return found;
  };
  EXPECT_EQ(below(""), (std::vector<std::string>{"/a", "/b/x/y", "/d/1", "/d/2"}));
  EXPECT_EQ(below("/a"), std::vector<std::string>{"/a"});
  EXPECT_EQ(usage_error([&] { below("/i"); }), root.path() + "/i: no run here or below (records.jsonl)");
  EXPECT_EQ(usage_error([&] { below("/j"); }),
            root.path() + "/j: no such folder; `redbench run` makes results/");
}

TEST(StoredRun, CompressedRecordsAreReadAsTheirTextAndNotWrittenTo) {
  const TemporaryFolder folder;
  folder.write("run.json", R"({"schema": 1, "name": "a", "title": "", "config_path": "", "config": {},
                               "device": {}, "sessions": [{"measure": {}}]})");
  std::string text;  // more than is read at once
  for (int i = 0; i < 200; ++i) text += line_of(keyed("case " + std::to_string(i), i)) + '\n';
  folder.write("records.jsonl", text);
  const StoredRun plain = read_stored_run(folder.path());
  ASSERT_EQ(plain.records.size(), 200u);
  ASSERT_EQ(std::system(("gzip -n " + folder.path() + "/records.jsonl").c_str()), 0);
  EXPECT_EQ(runs_below(folder.path()), std::vector{folder.path()});
  EXPECT_EQ(read_stored_run(folder.path()).records, plain.records);
  const std::string path = folder.path() + "/records.jsonl.gz";
  EXPECT_EQ(
      usage_error([&] { OutputFolder{folder.path()}; }),
      path +
          ": compressed records are neither added to nor replaced: gunzip or move them first; choose another "
          "folder with --out");
  RecordStream stream(path);
  for (const std::size_t at :
       {0, 100, 90, 80000, 100, 99999}) {  // within what is read at once, ahead and back
    std::string line;
    stream.seekg(std::streamoff(at));
    std::getline(stream, line);
    EXPECT_EQ(line, text.substr(at, text.find('\n', at) - at));
  }
  while (stream.ignore(1 << 20)) {
  }
  EXPECT_EQ(stream.bytes_read(), double(std::filesystem::file_size(path)))
      << "all of the file, not of its text";
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  EXPECT_EQ(usage_error([&] { read_stored_run(folder.path()); }), path + ": unexpected end of file");
  folder.write("records.jsonl.gz", text);
  EXPECT_EQ(usage_error([&] { read_stored_run(folder.path()); }), path + ": is no gzip file");
}

// Of a run only what redbench made goes.
TEST(OutputFolders, AllThatARunMadeIsPutAsideAndNothingElse) {
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
  const OutputFolder folder(path);
  const auto aside = [&](const std::string& file) { return folder.aside() + file.substr(path.size()); };
  folder.set_aside();
  for (const std::string& file : made) {
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
    EXPECT_TRUE(std::filesystem::exists(aside(file))) << file;
  }
  for (const std::string& file : kept) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_TRUE(std::filesystem::exists(folder.aside() + "/run.json")) << "it is a run, too";

  // The next one to replace it has not ended either: what is aside stays.
  root.write("out/records.jsonl", "new");
  EXPECT_EQ(runs_below(root.path()), std::vector<std::string>{path}) << "what is aside is no result";
  folder.set_aside();
  EXPECT_FALSE(std::filesystem::exists(folder.records()));
  EXPECT_EQ(std::filesystem::file_size(aside(folder.records())), std::string("text").size());

  root.write("out/replaced/tables/mine.csv", "text");
  folder.remove_aside();
  EXPECT_FALSE(std::filesystem::exists(folder.aside() + "/run.json"));
  EXPECT_TRUE(std::filesystem::exists(folder.aside() + "/tables/mine.csv"));
  EXPECT_EQ(
      usage_error([&] { folder.check_results_fit("paper/fig1"); }),
      folder.aside() +
          ": is in the way: a run that is replaced is kept there until the new one has ended; move it, or "
          "choose another folder with --out");
}

// The bug: a run of the user's own, in a folder of that name or behind a link, was removed with it.
TEST(OutputFolders, WhatRedbenchHasNotSetAsideStays) {
  const TemporaryFolder root;
  root.write("out/run.json", line_of(good_facts()));
  root.write("mine/run.json", line_of(good_facts()));
  const OutputFolder folder(root.path() + "/out");
  std::filesystem::create_symlink("../mine", folder.aside());
  for (int i = 0; i < 2; ++i) {
    folder.remove_aside();
    EXPECT_TRUE(std::filesystem::exists(folder.aside() + "/run.json"));
    EXPECT_NE(usage_error([&] { folder.check_results_fit("fig1"); }).find("is in the way"),
              std::string::npos);
    std::filesystem::remove_all(folder.aside());
    root.write("out/replaced/run.json", line_of(good_facts()));
  }
}

// The bug: a damaged line that another one ends with was not kept.
TEST(OutputFolders, EachUnreadableLineIsKeptOnce) {
  const TemporaryFolder root;
  const OutputFolder folder(root.path() + "/out");
  for (int i = 0; i < 2; ++i) folder.keep_unreadable({{"one two", ""}, {"two", ""}});
  std::ifstream file(root.path() + "/out/" + OutputFolder::unreadable_name);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "one two\ntwo\n");
}

// Known before anything is measured, of each file that is written at the end.
TEST(OutputFolders, AFolderWhereAFileGoesIsInTheWay) {
  const TemporaryFolder root;
  const std::string path = root.path() + "/out";
  std::vector<std::string> files = table_files(path, "paper/fig1");
  EXPECT_EQ(files.size(), 5u);
  files.insert(files.end(), {path + "/run.json", path + "/records.jsonl"});
  const OutputFolder folder(path);
  folder.check_results_fit("paper/fig1");
  for (const std::string& file : files) {
    std::filesystem::create_directories(file);
    EXPECT_EQ(usage_error([&] { folder.check_results_fit("paper/fig1"); }),
              file +
                  ": is in the way: it is a folder, and a file goes there; move it, or choose another folder "
                  "with --out");
    std::filesystem::remove_all(file);
  }
  std::filesystem::remove_all(path + "/tables");
  std::ofstream(path + "/tables") << "text";
  EXPECT_NE(usage_error([&] { folder.check_results_fit("paper/fig1"); }).find("the folder of the tables"),
            std::string::npos);
}

// Another program's run.json does not allow its folder to be replaced.
TEST(OutputFolders, OneOfAnotherProgramStays) {
  for (const char* text : {"", "{", R"({"schema": 1})", R"({"config": {}})", R"(["schema", "config"])"}) {
    const TemporaryFolder root;
    const std::string path = root.path() + "/out", file = root.write("out/run.json", text);
    EXPECT_EQ(usage_error([&] { OutputFolder folder(path); }),
              file + ": not redbench's, so the folder stays as it is; choose another folder with --out")
        << text;
    EXPECT_EQ(std::filesystem::file_size(file), std::string_view(text).size());
  }
  const TemporaryFolder root;
  root.write("out/run.json", R"({"schema": 1, "config": {}})");
  root.write("out/run.lock", "left by a kill");
  EXPECT_TRUE(OutputFolder(root.path() + "/out").has_run());
}

// A run or a write that was killed leaves them, before there is a run.json.
TEST(OutputFolders, WhatAKillLeftIsNotInTheWay) {
  for (const char* left : {"run.json.part", "records.jsonl.part", "run.lock"}) {
    const TemporaryFolder root;
    root.write(std::string("out/") + left, "left");
    EXPECT_NO_THROW(OutputFolder(root.path() + "/out")) << left;
  }
}

}  // namespace
}  // namespace redbench
