// Tables for readers: one for each experiment and device, none wider than asked for, nothing lost in silence.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "src/records/columns.hpp"
#include "src/records/fields.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/run_tables.hpp"
#include "src/tables/sections.hpp"
#include "src/tables/text.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using Texts = std::vector<std::string>;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, width_of(line));
  return widest;
}

Table wide_table() {
  return {.columns = {{"variant", false}, {"time", true}, {"error", true, 1}, {"bound", true, 0}},
          .rows = {{"harris1", "1234567", "0.25", "1.50"}, {"harris2", "2345678", "0.26", "1.51"}}};
}

TEST(Fit, TheLeastImportantColumnGoesFirstAndIsNamed) {
  EXPECT_TRUE(fit(wide_table(), 0).remarks.empty());
  EXPECT_EQ(fit(wide_table(), 30).columns.size(), 4u) << "exactly as wide as it is";
  const Table table = fit(wide_table(), 29);
  ASSERT_EQ(table.columns.size(), 3u);
  EXPECT_EQ(table.columns[2].name, "error");
  EXPECT_EQ(table.rows[1], (Texts{"harris2", "2345678", "0.26"}));
  EXPECT_THAT(table.remarks,
              ElementsAre("Left out for a width of 29: bound. The CSV file has all that was measured, "
                          "--width 0 shows these columns, too."));
  EXPECT_EQ(fit(wide_table(), 23).columns.size(), 3u) << "exactly as wide as it is without the bound";
}

// Wherever it stands; of columns that say as much the last goes first.
TEST(Fit, ColumnsGoInTheOrderOfTheirImportance) {
  const Table table{.columns = {{"v", false},
                                {"first", true, 1},
                                {"second", true},
                                {"third", true, 0},
                                {"fourth", true, 1},
                                {"fifth", true, Table::essential},
                                {"sixth", true, 2}},
                    .rows = {{"a", "11111", "222222", "33333", "444444", "55555", "66666"}}};
  const auto left_out = [&](std::size_t width) {
    const Table narrow = fit(table, width);
    if (narrow.remarks.empty()) return std::string("none");
    const std::string& remark = narrow.remarks.at(0);
    return remark.substr(remark.find(": ") + 2, remark.find(". The") - remark.find(": ") - 2);
  };
  // Columns of 5 or 6 characters and the 2 before each.
  EXPECT_EQ(left_out(45), "none");
  EXPECT_EQ(left_out(44), "third");
  EXPECT_EQ(left_out(38), "third");
  EXPECT_EQ(left_out(37), "third; fourth");
  EXPECT_EQ(left_out(30), "third; fourth");
  EXPECT_EQ(left_out(29), "first; third; fourth");
  EXPECT_EQ(left_out(22), "first; third; fourth; sixth");
  EXPECT_EQ(left_out(15), "first; second; third; fourth; sixth");
  EXPECT_EQ(left_out(7), "first; second; third; fourth; sixth");
}

TEST(Fit, ATextThatFillsTheWidthIsNotCut) {
  const std::string name(40, 'v');
  const Table table{.columns = {{"variant", false}, {"time", true}}, .rows = {{name, "1.25"}}};
  EXPECT_EQ(fit(table, 46).rows[0][0], name) << "40, 2 between the columns and 4";
  EXPECT_NE(fit(table, 45).rows[0][0], name);
}

TEST(Fit, NumbersAreNeverCut) {
  const Table table = fit(wide_table(), 3);
  EXPECT_EQ(table.rows[0], (Texts{"harris1", "1234567"})) << "the first column and the most important";
  EXPECT_THAT(table.remarks[0], HasSubstr("error; bound"));
  const Table needed{.columns = {{"variant", false}, {"first", true}, {"second", true}, {"third", true}},
                     .rows = {{"harris1", "11111", "22222", "33333"}}};
  const Table least = fit(needed, 3);
  EXPECT_EQ(least.rows[0], (Texts{"harris1", "11111"})) << "of equals the last goes first";
  EXPECT_THAT(least.remarks,
              ElementsAre("Left out for a width of 3: second; third. The CSV file has all that was "
                          "measured, --width 0 shows these columns, too."));
}

// 32 characters of a text are left, 18 where that does not fit; a number is none.
TEST(Fit, TextsOfAsManyCharactersAsAreLeftStayWhole) {
  const auto fitted = [](const Texts& names, std::size_t width) {
    Table table{.columns = {{"v", false}, {"x", true}}};
    for (const std::string& name : names) table.rows.push_back({name, std::string(40, '7')});
    table = fit(table, width);
    for (const auto& row : table.rows) {
      if (row.size() > 1) EXPECT_EQ(row[1], std::string(40, '7'));
    }
    Texts left;
    for (const auto& row : table.rows) left.push_back(row[0]);
    return left;
  };
  const std::string longer(60, 'l');
  EXPECT_THAT(fitted({std::string(32, 'a'), longer}, 74),
              ElementsAre(std::string(32, 'a'), std::string(14, 'l') + "…" + std::string(13, 'l') + " [1]"));
  EXPECT_THAT(fitted({std::string(18, 'a'), longer}, 18),
              ElementsAre(std::string(18, 'a'), std::string(7, 'l') + "…" + std::string(6, 'l') + " [1]"));
  const Table number{.columns = {{"x", true}, {"v", false}}, .rows = {{std::string(40, '7'), longer}}};
  EXPECT_EQ(fit(number, 20).rows[0],
            (Texts{std::string(40, '7'), std::string(7, 'l') + "…" + std::string(6, 'l') + " [1]"}));
}

TEST(Fit, AWidthIsOfCharactersNotOfBytes) {
  std::string name;
  for (int i = 0; i < 18; ++i) name += "µ";
  const Table table{.columns = {{"variant", false}, {"time", true}, {"rest", true, 1}},
                    .rows = {{name, "1", std::string(30, '9')}}};
  EXPECT_EQ(fit(table, 30).rows[0][0], name) << "as many as are always left";
  EXPECT_TRUE(fit(table, 30).notes.empty());
}

TEST(Fit, ACutTextHasANoteOfTheWhole) {
  const std::string path = std::string(60, 'a') + "/µs/" + std::string(60, 'b') + ".npy";
  const Table table = fit({.columns = {{"variant", false}, {"values", false}, {"outcome", false}},
                           .rows = {{"harris1", path, "failed [1]"}, {"harris2", path, "passed"}},
                           .notes = {"out of memory"}},
                          60);
  EXPECT_LE(aligned_width(table), 60u);
  EXPECT_EQ(table.rows[0][1], std::string(14, 'a') + "…" + std::string(9, 'b') + ".npy [2]");
  EXPECT_EQ(table.rows[1][1], table.rows[0][1]);
  EXPECT_THAT(table.notes, ElementsAre("out of memory", path));
}

TEST(Fit, CutTextsOfTwoCasesAreToldApart) {
  const std::string same(40, 'x');
  const Table table = fit({.columns = {{"variant", false}, {"time", true}},
                           .rows = {{same + "1" + same, "1"}, {same + "2" + same, "2"}}},
                          50);
  EXPECT_NE(table.rows[0][0], table.rows[1][0]);
}

TEST(Text, LinesAreBrokenAtWordsAndLongWordsAnywhere) {
  EXPECT_EQ(paragraph("one two three", 8), "one two\nthree\n");
  EXPECT_EQ(paragraph("[1] aaaaaaaaaa bb", 8, "  "), "[1]\n  aaaaaa\n  aaaa\n  bb\n");
  EXPECT_EQ(paragraph("abc d", 3, "    "), "a\n    b\n    c\n    d\n") << "one character at least";
  EXPECT_EQ(paragraph("abc d", 5, "    "), "abc d\n") << "as wide as it is";
  EXPECT_EQ(paragraph("one  ·  two\nthree", 0), "one  ·  two\\nthree\n") << "no limit, but one line";
  EXPECT_EQ(shortened("µµµµµµ", 5), "µµ…µµ") << "characters, not bytes";
  EXPECT_EQ(shortened("harris1", 7), "harris1");
}

TEST(Aligned, HeadingsTakeTheRoomThatThereIs) {
  const Table table{.columns = {{"share of the measured ceiling (%)", true}}, .rows = {{"50.00"}}};
  EXPECT_THAT(aligned(table, false, 140),
              testing::StartsWith("        share of the\nmeasured ceiling (%)\n"));
  EXPECT_THAT(aligned(table, false, 8), testing::StartsWith("share of\n     the\nmeasured\n"));
}

TEST(Aligned, AnEmptyColumnWithoutANameTakesNoRoom) {
  const Table table{.columns = {{"", false}, {"n", true}}, .rows = {{"", "7"}}};
  EXPECT_EQ(aligned(table, false), "  n\n  -\n  7\n") << "but the 2 between columns";
}

// "aaaa bb cc dddd eeee" is 10 wide on two lines, 7 on three, 5 on four and 4 on five.
TEST(Aligned, AHeadingTakesTheFewestLinesThatFit) {
  const Table table{.columns = {{"aaaa bb cc dddd eeee", false}}, .rows = {{"1"}}};
  const std::string two = "aaaa bb cc\ndddd eeee\n----------\n1\n",
                    three = "aaaa bb\ncc dddd\neeee\n-------\n1\n",
                    four = "aaaa\nbb cc\ndddd\neeee\n-----\n1\n",
                    five = "aaaa\nbb\ncc\ndddd\neeee\n----\n1\n";
  for (const auto& [width, text] : {std::pair(20, &two),
                                    {10, &two},
                                    {9, &three},
                                    {7, &three},
                                    {6, &four},
                                    {5, &four},
                                    {4, &five},
                                    {1, &five},
                                    {0, &five}})
    EXPECT_EQ(aligned(table, false, std::size_t(width)), *text) << width;
  const Table nameless{.columns = {{"", false}}, .rows = {{"x"}}};
  EXPECT_EQ(aligned(nameless, false), "-\nx\n") << "no line without a name";
}

TEST(Aligned, WhatIsAroundTheRowsIsBrokenAtTheWidthAndNumbered) {
  const Table table{
      .caption = "problem reduce",
      .columns = {{"variant", false}, {"time", true}, {"outcome", false}},
      .rows = {{"a", "1.5", "passed"}, {"bb", "20", "wrong [1]"}, {"c", "3", "unsupported [2]"}},
      .notes = {"result is 0", "needs more"},
      .remarks = {"Left out: error.", "One fork."}};
  EXPECT_EQ(aligned(table, false),
            "problem reduce\n"
            "variant  time  outcome\n"
            "-------  ----  ---------------\n"
            "a         1.5  passed\n"
            "bb         20  wrong [1]\n"
            "c           3  unsupported [2]\n"
            "[1] result is 0\n"
            "[2] needs more\n"
            "Left out: error.\n"
            "One fork.\n");
  EXPECT_EQ(aligned(table, true, 12),
            "problem\n"
            "reduce\n"
            "variant  time  outcome\n"
            "-------  ----  ---------------\n"
            "a         1.5  passed\n"
            "bb         20  \033[31mwrong [1]      \033[0m\n"
            "c           3  \033[33munsupported [2]\033[0m\n"
            "[1]\n"
            "    result\n"
            "    is 0\n"
            "[2]\n"
            "    needs\n"
            "    more\n"
            "Left out:\n"
            "error.\n"
            "One fork.\n")
      << "what could not run in yellow, what went wrong in red";
}

/// A run whose config has these experiments.
StoredRun run_of(const Json& experiments, const std::vector<Record>& records) {
  return {"", {{"name", "x"}, {"config", {{"title", "A run"}, {"experiments", experiments}}}}, records};
}

Json experiment_of(const std::string& title, const Json& variants, const Json& axes) {
  Json all{{"n", {1024}}, {"type", {"i32"}}, {"operator", {"sum"}}};
  all.update(axes);
  return {{"title", title}, {"problem", "reduce"}, {"variants", variants}, {"axes", all}};
}

Record on_host(Record record) {
  record["device"] = "host";
  record["hardware"] = "Xeon";
  return record;
}

Texts headings(const StoredRun& run) {
  Texts all;
  for (const Section& section : sections_of(run))
    all.push_back(section.heading() + " " + std::to_string(section.records.size()));
  return all;
}

TEST(Sections, AnExperimentOnADeviceEach) {
  Record file = record_of("reduce/harris3");
  file["axes"] = {{"values", {{"file", "x.npy"}}}};
  const Json experiments{experiment_of("Uniform", {"harris3", "cpu_serial"}, Json::object()),
                         experiment_of("A file", {"harris3"}, {{"values", {{{"file", "x.npy"}}}}})};
  EXPECT_THAT(headings(run_of(experiments,
                              {on_host(record_of("reduce/cpu_serial")), file, record_of("reduce/harris3")})),
              ElementsAre("Uniform: NVIDIA Test (cuda:0) 1", "Uniform: Xeon (host) 1",
                          "A file: NVIDIA Test (cuda:0) 1"));
}

TEST(Sections, WhatAnExperimentDoesNotSayIsAtItsDefault) {
  Record other = record_of("reduce/harris3");
  other["parameters"]["block"] = 512;
  const Json experiments{experiment_of("Defaults", {"harris3"}, Json::object()),
                         experiment_of("Blocks", {"harris3"}, {{"block", {256, 512}}})};
  EXPECT_THAT(headings(run_of(experiments, {record_of("reduce/harris3"), other})),
              ElementsAre("Defaults: NVIDIA Test (cuda:0) 1", "Blocks: NVIDIA Test (cuda:0) 1"))
      << "the first that asks for a case has it";
}

TEST(Sections, ARecordThatNoExperimentAsksForIsShown) {
  EXPECT_THAT(headings(run_of(Json::array({experiment_of("One", {"harris1"}, Json::object())}),
                              {record_of("reduce/harris3")})),
              ElementsAre("Cases of no experiment of this config: NVIDIA Test (cuda:0) 1"));
  EXPECT_THAT(headings({"", Json::object(), {record_of("reduce/harris3")}}),
              ElementsAre("NVIDIA Test (cuda:0) 1"));
}

// Of the axes that every record has, and of the problem, any may be another than the experiment's.
TEST(Sections, ARecordIsOfTheExperimentThatHasItInEveryAxis) {
  Json other_problem = experiment_of("Scan", {"harris3"}, Json::object());
  other_problem["problem"] = "scan";
  const Json experiments{
      7,
      other_problem,
      experiment_of("Large", {"harris3"}, {{"n", {2048, 4096}}}),
      experiment_of("Floats", {"harris3"}, {{"type", {"f32"}}}),
      experiment_of("Least", {"harris3"}, {{"operator", {"min"}}}),
      experiment_of("Others", {"harris1"}, Json::object()),
      {{"title", 5}, {"problem", "reduce"}, {"variants", {"harris3"}}, {"axes", {{"n", {512}}}}},
      {{"problem", "reduce"}, {"variants", {"harris3"}}, {"axes", {{"n", {256}}}}}};
  Record floats = record_of("reduce/harris3"), least = record_of("reduce/harris3"),
         none = record_of("reduce/harris3");
  floats["type"] = "f32";
  least["operator"] = "min";
  none["type"] = "f64";
  EXPECT_THAT(
      headings(run_of(experiments, {none, record_of("reduce/harris3", 256), record_of("reduce/harris3", 512),
                                    least, floats, record_of("reduce/harris3", 4096)})),
      ElementsAre("Large: NVIDIA Test (cuda:0) 1", "Floats: NVIDIA Test (cuda:0) 1",
                  "Least: NVIDIA Test (cuda:0) 1", "NVIDIA Test (cuda:0) 1", "NVIDIA Test (cuda:0) 1",
                  "Cases of no experiment of this config: NVIDIA Test (cuda:0) 1"))
      << "a title that is no text is none";
}

TEST(Sections, AHostsTimesAreNotAmongCounters) {
  Record counted = record_of("reduce/harris3");
  counted["device"] = "simt:h200";
  counted["counters"] = {{"block_barriers", 296}};
  const StoredRun run =
      run_of(Json::array({experiment_of("One", {"harris3", "cpu_serial"}, Json::object())}),
             {completed(counted), on_host(timed("reduce/cpu_serial", 1024, 2000, 1990, 2010))});
  const std::string text = make_tables(run, {}).markdown;
  const std::string modelled = text.substr(0, text.find("## One: Xeon")), host = text.substr(modelled.size());
  EXPECT_THAT(modelled, HasSubstr("barriers"));
  EXPECT_THAT(modelled, testing::Not(HasSubstr("time (")));
  EXPECT_THAT(modelled, testing::Not(HasSubstr("mode cold")));
  EXPECT_THAT(host, HasSubstr("time (µs)"));
  EXPECT_THAT(host, testing::Not(HasSubstr("barriers")));
}

/// Every number that a record can have, and long ones.
void fill_in(Record& record, bool counts) {
  Json counters = Json::object();
  for (const Field& field : counter_fields())
    if (field.kind == FieldKind::whole) counters[field.name] = 1234567890;
    else counters[field.name] = 12.3456;
  const auto fill = [&](Json& object, const std::vector<Field>& fields) {
    for (const Field& field : fields)
      if (field.is_quantity() && object[field.name].is_null()) object[field.name] = 1234567.89;
    if (counts) object["counters"] = counters;
  };
  record["time_low_ns"] = 1234560.0;
  record["time_high_ns"] = 1234570.0;
  fill(record, case_fields());
  record["error"] = record["error_bound"] = 0.123456;
  for (Json& launch : record["launches"]) fill(launch, launch_fields());
}

/// What a config's run would leave, by its plan: a GPU's or the modelled device's in full, or nothing but
/// reasons.
StoredRun imagined_run(const std::string& path, Target target, bool fails) {
  OpenDevices open("simt:gtx480");
  const Config config = load_config(path, target, {}, record_columns());
  std::vector<Record> records;
  for (const Cell& cell : make_plan(config, open.devices()).cells)
    for (const Case& one : cell.cases)
      for (const Mode mode : config.measure.modes) {
        Record record = case_record(cell, one, open.devices().of(*one.variant), mode,
                                    fails ? Outcome::failed : Outcome::passed,
                                    fails ? "an illegal memory access was encountered: " + one.key() : "");
        if (target == Target::cuda && !one.variant->on_host()) {
          record["device"] = "cuda:0";
          record["hardware"] = "NVIDIA RTX 6000 Ada Generation Laptop GPU";
        }
        if (!fails) fill_in(record, target == Target::simt && !one.variant->on_host());
        records.push_back(std::move(record));
      }
  return {
      "", {{"name", config.name}, {"started", "2024-05-06T07:08:09Z"}, {"config", config.resolved}}, records};
}

class Configs : public testing::TestWithParam<std::string> {};

TEST_P(Configs, TablesFit140Characters) {
  for (const Target target : {Target::cuda, Target::simt})
    for (const bool fails : {false, true}) {
      const StoredRun run = imagined_run(REDBENCH_SOURCE_DIR "/configs/" + GetParam(), target, fails);
      const RunTables tables = make_tables(run, published_for(run.name()));
      EXPECT_LE(widest_line(tables.terminal), 140u) << tables.terminal;
      EXPECT_GT(std::count(tables.terminal.begin(), tables.terminal.end(), '\n'),
                std::ptrdiff_t(run.records.size()));
      EXPECT_THAT(tables.terminal, testing::Not(HasSubstr("Cases of no experiment")));
    }
}

Texts committed_configs() {
  const std::filesystem::path folder(REDBENCH_SOURCE_DIR "/configs");
  Texts paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder).string();
    if (path.ends_with(".json") && path != "schema.json" && !path.starts_with("devices") &&
        !path.starts_with("claims"))
      paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Committed, Configs, testing::ValuesIn(committed_configs()));

TEST(RunTables, LongNamesPathsAndParametersFitToo) {
  const std::string path = "/home/somebody/" + std::string(150, 'd') + "/x.npy",
                    name = "reduce/" + std::string(90, 'v');
  std::vector<Record> records;
  for (int i = 0; i < 3; ++i) {
    Record record = timed(name + std::to_string(i), 1 << (20 + i), 1e9, 0.99e9, 1.01e9);
    record["axes"]["values"] = {{"file", std::to_string(i) + path}};
    for (const char* parameter : {"elements_per_thread", "blocks_per_multiprocessor", "unrolled_iterations",
                                  "block", "warps_that_prefetch", "bytes_of_shared_memory"})
      record["parameters"][parameter] = i ? 1234567 + i : 1;
    records.push_back(record);
    record["parameters"]["block"] = 77777;
    record["parameters"]["bytes_of_shared_memory"] = 99999;
    record["outcome"] = "failed";
    record["reason"] = std::string(300, 'r');
    records.push_back(completed(record));
  }
  const StoredRun run{"", {{"config", {{"title", std::string(200, 't')}}}}, records};
  const std::string text = make_tables(run, {}).terminal;
  EXPECT_LE(widest_line(text), 140u) << text;
  std::string unbroken = text;
  std::erase_if(unbroken, [](char c) { return c == '\n' || c == ' '; });
  for (const std::string& whole : {std::string(90, 'v') + "2", "2" + path, std::string(300, 'r')})
    EXPECT_THAT(unbroken, HasSubstr(whole)) << "the whole text is in a note";
  EXPECT_LE(widest_line(make_tables(run, {}, 80).terminal), 80u);
  EXPECT_GT(widest_line(make_tables(run, {}, 0).terminal), 140u);
}

TEST(RunTables, OnlyLaunchesWhereThatIsAllThereIs) {
  Record record = record_of("reduce/a");
  record["device"] = "simt:h200";
  record["launches"] = {launch_of(61440)};
  EXPECT_THAT(make_tables({"", Json::object(), {completed(record)}}, {}).terminal, HasSubstr("61440"));
}

TEST(WidthFlag, OfRunAndTables) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string run = "run configs/martin2012/table4.json -d simt:gtx480 -a n=1Ki -o " + out;
  EXPECT_LE(widest_line(redbench(run).text), 140u);
  const Answer narrow = redbench(run + " --replace --width 60");
  EXPECT_LE(widest_line(narrow.text.substr(0, narrow.text.find("passed;"))), 60u) << narrow.text;
  EXPECT_THAT(narrow.text, HasSubstr("Left out for a width of 60:"));
  const Answer results = redbench("results --width 60 " + out);
  EXPECT_EQ(results.exit_code, exit_fine) << results.text;
  EXPECT_THAT(results.text, HasSubstr("Left out for a width of 60:"));
  const Answer negative = redbench("tables --width=-1 " + out);
  EXPECT_EQ(negative.exit_code, exit_usage);
  EXPECT_THAT(negative.text, HasSubstr("--width"));
}

}  // namespace
}  // namespace redbench
