// The rows of a record's fields, and what follows from them: the check of records that are read, derived
// numbers, documentation and schema.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/records/derived.hpp"
#include "src/records/field_docs.hpp"
#include "src/records/fields.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Fields, EachNameOnceWithAMeaning) {
  for (const std::vector<Field>* fields : {&case_fields(), &launch_fields(), &counter_fields()}) {
    std::set<std::string> names;
    for (const Field& field : *fields) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      EXPECT_FALSE(field.meaning.empty()) << field.name;
      EXPECT_EQ(field.meaning.find('|'), std::string::npos) << field.name;
      EXPECT_GT(field.scale, 0) << field.name;
    }
  }
  const std::vector<std::string> columns = column_names();
  EXPECT_EQ(std::set<std::string>(columns.begin(), columns.end()).size(), columns.size())
      << "fields and counters are columns of one table";
  for (const std::string& name : quantity_names())
    EXPECT_NE(std::find(columns.begin(), columns.end(), name), columns.end()) << name;
}

// What follows from other fields may be missing in a file and is computed then.
TEST(Fields, ThoseThatFollowFromOthersAreMarked) {
  const auto derived = [](const std::vector<Field>& fields) {
    std::set<std::string> names;
    for (const Field& field : fields)
      if (field.is_derived) names.insert(field.name);
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(derived(case_fields()), (Names{"forks", "session"}));
  EXPECT_EQ(derived(launch_fields()), (Names{"read_gb_per_s"}));
  Names of_counters;
  for (const Field& field : derived_count_fields()) of_counters.insert(field.name);
  EXPECT_EQ(derived(counter_fields()), of_counters);
  EXPECT_EQ(of_counters,
            (Names{"sectors", "sectors_ideal", "sectors_per_ideal", "wavefronts", "conflicts", "active_lanes",
                   "divergent_percent", "unpredicable_percent", "barriers",
                   "global_atomic_degree_per_request", "shared_atomic_degree_per_request",
                   "lanes_per_request", "global_load_lanes_per_request", "global_store_lanes_per_request",
                   "global_atomic_lanes_per_request", "shared_load_lanes_per_request",
                   "shared_store_lanes_per_request", "shared_atomic_lanes_per_request"}));
}

// A list or an object has no cell of a table.
TEST(Fields, ColumnsAreThoseOfOneValue) {
  std::vector<std::string> expected;
  for (const std::vector<Field>* fields : {&case_fields(), &counter_fields()})
    for (const Field& field : *fields)
      if (field.kind != FieldKind::list && field.kind != FieldKind::object) expected.push_back(field.name);
  EXPECT_EQ(column_names(), expected);
  const std::set<std::string> columns(expected.begin(), expected.end());
  for (const char* name : {"axes", "parameters", "launches", "samples_ns", "counters", "trace", "clocks"})
    EXPECT_FALSE(columns.contains(name)) << name;
  for (const char* name : {"schema", "key", "n", "time_ns", "library", "reason", "sectors"})
    EXPECT_TRUE(columns.contains(name)) << name;
}

TEST(Fields, TheDocumentationIsWrittenByThem) {
  EXPECT_NE(contents("docs/measuring.md").find("\n" + fields_markdown()), std::string::npos)
      << "docs/measuring.md: replace its tables by what `redbench fields` prints";
  EXPECT_EQ(contents("results/record.schema.json"), record_schema_json().dump(1) + "\n")
      << "run: redbench fields --schema > results/record.schema.json";
}

TEST(Check, ARecordAsItIsWritten) {
  EXPECT_EQ(mistake_in(record_of("reduce/a")), "");
  Record whole = timed("reduce/a", 16, 1000, 990, 1010);
  whole["launches"] = {launch_of(3)};
  whole["counters"] = Json::object();
  for (const Field& field : counter_fields()) whole["counters"][field.name] = 0;
  EXPECT_EQ(mistake_in(completed(whole)), "");
}

TEST(Check, EveryMistakeIsNamedByItsPath) {
  const auto mistake = [](const std::function<void(Record&)>& spoil) {
    Record record = record_of("reduce/a");
    record["launches"] = {launch_of(1), launch_of(2)};
    spoil(record);
    return mistake_in(record);
  };
  using R = Record&;
  EXPECT_EQ(mistake([](R r) { r["tme_ns"] = 1; }), "tme_ns: no such field; did you mean `time_ns`?");
  EXPECT_EQ(mistake([](R r) { r.erase("mode"); }), "mode: missing");
  EXPECT_EQ(mistake([](R r) { r["mode"] = nullptr; }), "mode: missing") << "not one that may be null";
  EXPECT_EQ(mistake([](R r) { r["mode"] = "hot"; }),
            "mode: `cold`, `warm` or `graph` is expected, not \"hot\"");
  EXPECT_EQ(mistake([](R r) { r["n"] = "1024"; }), "n: a whole number from 0 is expected, not \"1024\"");
  EXPECT_EQ(mistake([](R r) { r["n"] = 1.5; }), "n: a whole number from 0 is expected, not 1.5");
  EXPECT_EQ(mistake([](R r) { r["time_ns"] = -1.0; }),
            "time_ns: a finite number from 0 is expected, not -1.0");
  EXPECT_EQ(mistake([](R r) { r["time_ns"] = std::nan(""); }),
            "time_ns: a finite number from 0 is expected, not null");
  EXPECT_EQ(mistake([](R r) { r["library"] = 0; }), "library: true or false is expected, not 0");
  EXPECT_EQ(mistake([](R r) { r["launches"][1]["blocks"] = -1; }),
            "launches[1].blocks: a whole number from 0 is expected, not -1");
  EXPECT_EQ(mistake([](R r) { r["launches"][1] = 7; }), "launches[1]: an object is expected, not 7");
  EXPECT_EQ(mistake([](R r) { r["counters"] = {{"branches", -1}}; }),
            "counters.branches: a whole number from 0 is expected, not -1");
  EXPECT_EQ(mistake([](R r) { r["axes"]["time_ns"] = 1; }), "axes.time_ns: the name of a field");
  EXPECT_EQ(mistake([](R r) { r["parameters"]["barriers"] = 1; }),
            "parameters.barriers: the name of a field");
  EXPECT_EQ(mistake([](R r) { r["schema"] = record_schema + 1; }),
            "not a record of schema 1, which this redbench writes and reads");
  EXPECT_EQ(mistake([](R r) { r = Json::array(); }), "an object is expected");
}

TEST(Check, WhatIsMissingIsNull) {
  Record record = record_of("reduce/a");
  record.erase("chain");
  record.erase("time_ns");
  EXPECT_EQ(mistake_in(record), "");
  const Record whole = completed(record);
  EXPECT_EQ(whole["chain"], nullptr);
  EXPECT_EQ(whole["time_ns"], nullptr);
}

// A wrong result has no time, whatever its line says.
TEST(Check, WhatHasNotPassedHasNoTimeAndNoInterval) {
  Record record = timed("reduce/a", 16, 1000, 990, 1010);
  record["noise_percent"] = 1.0;
  for (const char* field : {"time_ns", "time_low_ns", "time_high_ns", "noise_percent"})
    EXPECT_TRUE(completed(record)[field].is_number()) << field;
  record["outcome"] = "wrong";
  for (const char* field : {"time_ns", "time_low_ns", "time_high_ns", "noise_percent"})
    EXPECT_EQ(completed(record)[field], nullptr) << field;
}

TEST(Derived, WhatFollowsFromCounters) {
  Json counters{{"global_load_sectors", 8},
                {"global_store_sectors", 3},
                {"global_atomic_sectors", 1},  // 8 + 3 + 1 = 12 sectors
                {"global_load_sectors_ideal", 4},
                {"global_store_sectors_ideal", 3},
                {"global_atomic_sectors_ideal", 1},  // 12 / 8
                {"shared_load_wavefronts", 20},
                {"shared_store_wavefronts", 10},
                {"shared_atomic_wavefronts", 4},
                {"shared_load_conflicts", 5},
                {"shared_store_conflicts", 2},
                {"shared_atomic_conflicts", 1},
                {"warp_basic_blocks", 10},
                {"warp_basic_block_lanes", 265},
                {"branches", 40},
                {"divergent_branches", 3},             // 3 / 40 = 7.5 %
                {"predicable_divergent_branches", 1},  // 2 / 40
                {"block_barriers", 16},
                {"named_barriers", 2},
                {"warp_barriers", 100},  // of a warp alone: no barrier of a block
                {"global_load_requests", 4},
                {"global_load_lanes", 100},
                {"shared_store_requests", 4},
                {"shared_store_lanes", 20},  // 120 lanes in 8 requests
                {"global_atomic_requests", 2},
                {"global_atomic_lanes", 64},
                {"global_atomic_degree", 7}};
  add_derived_counts(counters);
  for (const auto& [name, value] : {std::pair("sectors", Json(12)),
                                    {"sectors_ideal", 8},
                                    {"sectors_per_ideal", 1.5},
                                    {"wavefronts", 34},
                                    {"conflicts", 8},
                                    {"active_lanes", 26.5},
                                    {"divergent_percent", 7.5},
                                    {"unpredicable_percent", 5.0},
                                    {"barriers", 18},
                                    {"lanes_per_request", 18.4},
                                    {"global_load_lanes_per_request", 25.0},
                                    {"shared_store_lanes_per_request", 5.0},
                                    {"global_atomic_degree_per_request", 3.5},
                                    {"shared_load_lanes_per_request", nullptr}})
    EXPECT_EQ(counters[name], value) << name;
}

// A GPU's tool counts less than the model: of what is not known nothing follows, of what is missing 0.
TEST(Derived, OfWhatIsNotKnownNothingFollows) {
  const Json known{{"branches", 40}, {"divergent_branches", 6}, {"predicable_divergent_branches", 2}};
  const auto percents = [&](const char* changed, const Json& value) {
    Json counters = known;
    if (*changed) counters[changed] = value;
    add_derived_counts(counters);
    return std::pair(counters["divergent_percent"], counters["unpredicable_percent"]);
  };
  const Json null;
  EXPECT_EQ(percents("", 0), std::pair(Json(15.0), Json(10.0)));
  EXPECT_EQ(percents("branches", null), std::pair(null, null));
  EXPECT_EQ(percents("branches", 0), std::pair(null, null));
  EXPECT_EQ(percents("divergent_branches", null), std::pair(null, null));
  EXPECT_EQ(percents("predicable_divergent_branches", null), std::pair(Json(15.0), null));
  Json some{{"block_barriers", 5}};
  add_derived_counts(some);
  EXPECT_EQ(some["barriers"], 5);
  some = {{"block_barriers", 5}, {"named_barriers", nullptr}};
  add_derived_counts(some);
  EXPECT_EQ(some["barriers"], null);
}

TEST(Derived, OfEachLaunchAndOnlyWhereItIsNotStored) {
  Record record = record_of("reduce/a");
  record["counters"] = {{"block_barriers", 5}, {"barriers", 777}};
  record["launches"] = {launch_of(1, 4000), launch_of(1, 0)};
  record["launches"][0]["counters"] = {{"block_barriers", 3}};
  record["launches"][0]["time_ns"] = 2000.0;
  record["launches"][1]["time_ns"] = 2000.0;
  const Record whole = completed(record);
  EXPECT_EQ(whole["counters"]["barriers"], 777);
  EXPECT_EQ(whole["launches"][0]["counters"]["barriers"], 3);
  EXPECT_EQ(whole["launches"][0]["read_gb_per_s"], 2.0);
  EXPECT_EQ(whole["launches"][1]["read_gb_per_s"], nullptr) << "it reads nothing";
  EXPECT_EQ(whole["launches"][1]["counters"], nullptr);
  for (const auto& [read, time, rate] : {std::tuple(1.0, Json(0.5), Json(2.0)),
                                         {0.25, 1.0, 0.25},
                                         {4096.0, 0.0, nullptr},
                                         {4096.0, nullptr, nullptr}}) {
    record["launches"] = {launch_of(1, read)};
    record["launches"][0]["time_ns"] = time;
    EXPECT_EQ(completed(record)["launches"][0]["read_gb_per_s"], rate) << read << ' ' << time;
  }
}

}  // namespace
}  // namespace redbench
