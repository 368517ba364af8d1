// Files of others are checked when they are read: which record or run.json is refused, and with which
// sentence.
#include "src/records/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/records/fields.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

/// Two launches and two forks, whose medians are 190 and 210: the time is 200.
Record good() {
  Record record = timed("reduce/harris3", 1000, 200, 190, 210);
  record["samples_ns"] = {{180.0, 190.0, 230.0}, {205.0, 215.0}};
  record["forks"] = 2;
  record["launches"] = {launch_of(3), launch_of(5)};
  record.update({{"error", 0.5}, {"error_bound", 1.0}});
  return record;
}

/// The mistake in the good record with the value at a JSON pointer replaced.
std::string mistake(const std::string& pointer, const Json& value) {
  Record record = good();
  record[Json::json_pointer(pointer)] = value;
  return why_not_a_record(record);
}

struct Replaced {
  std::string pointer;
  Json value;
  std::string mistake;
};

TEST(Check, ARecordAsItIsWrittenPasses) {
  EXPECT_EQ(why_not_a_record(good()), "");
  EXPECT_EQ(why_not_a_record(record_of("reduce/a")), "");
  Record counted = good();
  counted["counters"] = Json::object();
  for (const Field& field : counter_fields()) counted["counters"][field.name] = 0;
  EXPECT_EQ(why_not_a_record(completed(counted)), "");
  for (const Field& field : counter_fields()) counted["counters"][field.name] = nullptr;
  EXPECT_EQ(why_not_a_record(counted), "") << "no tool counts on a GPU all that the model does";
}

TEST(Check, AValueOfAnotherKindIsNamedByItsPath) {
  const std::string fits(58, 'x');  // with its quotation marks as long as a value may be shown
  for (const auto& [pointer, value, expected] : std::vector<Replaced>{
           {"/tme_ns", 1, "tme_ns: no such field; did you mean `time_ns`?"},
           {"/mode", nullptr, "mode: missing"},
           {"/mode", "hot", "mode: `cold`, `warm` or `graph` is expected, not \"hot\""},
           {"/n", -1, "n: a whole number from 0 is expected, not -1"},
           {"/n", fits, "n: a whole number from 0 is expected, not \"" + fits + '"'},
           {"/n", fits + "y", "n: a whole number from 0 is expected, not \"" + fits.substr(2) + "..."},
           {"/seed", 2.0, "seed: a whole number from 0 is expected, not 2.0"},
           {"/bytes_read", "4", "bytes_read: a finite number from 0 is expected, not \"4\""},
           {"/time_ns", -1.0, "time_ns: a finite number from 0 is expected, not -1.0"},
           {"/samples_ns", {{"a", 1}}, "samples_ns: a list is expected, not {\"a\":1}"},
           {"/launches/1", 7, "launches[1]: an object is expected, not 7"},
           {"/launches/0/blocks", -1, "launches[0].blocks: a whole number from 0 is expected, not -1"},
           {"/launches/1/cooperative", nullptr, "launches[1].cooperative: missing"},
           {"/counters", {{"branches", -1}}, "counters.branches: a whole number from 0 is expected, not -1"},
           {"/axes/time_ns", 1, "axes.time_ns: the name of a field"},
           {"/axes/values", {1, 2}, "axes.values: one value is expected, not [1,2]"},
           {"/axes/values", {{"file", "x.npy"}}, ""},
           {"/schema", record_schema + 1, "not a record of schema 1, which this redbench writes and reads"},
           {"", Json::array(), "an object is expected"}})
    EXPECT_EQ(mistake(pointer, value), expected) << pointer;
}

TEST(Check, TimesThatContradictEachOtherAreRefused) {
  const Json none = nullptr;
  const std::string rate = "bytes_read, bytes_written and time_ns, from which 20.12 follows";
  for (const auto& [pointer, value, expected] : std::vector<Replaced>{
           {"/samples_ns/1", Json::array(), "samples_ns[1]: a list of numbers is expected, not []"},
           {"/samples_ns/1/1", -215.0, "samples_ns[1]: a finite number from 0 is expected, not -215.0"},
           {"/samples_ns", Json::array(), "samples_ns: one fork at least is expected"},
           {"/samples_ns/1/0", 207.0, "time_ns: 200 contradicts samples_ns, from which 200.5 follows"},
           {"/samples_ns/0/0", 189.0, ""},  // the median stays
           {"/samples_ns", Json::parse("[[1e308, 1e308], [1e308, 1e308]]"),
            "time_ns: 200 contradicts samples_ns, from which inf follows"},
           {"/taken_off_percent", 200.0, "taken_off_percent: at most 100 is expected, not 200.0"},
           {"/forks", 3, "forks: 3 contradicts samples_ns, from which 2 follows"},
           {"/time_ns", 205.0, "time_ns: 205 contradicts samples_ns, from which 200 follows"},
           {"/time_ns", none, "time_ns: missing, though there are samples_ns"},
           {"/time_low_ns", none, "time_low_ns, time_high_ns: one of the two is missing"},
           {"/time_low_ns", 200.5, "time_ns: 200.0 is not within its interval, 200.5 to 210.0"},
           {"/time_high_ns", 200.0, ""},
           {"/time_high_ns", 199.5, "time_ns: 200.0 is not within its interval, 190.0 to 199.5"},
           {"/ns_per_input", 0.25, "ns_per_input: 0.25 contradicts time_ns and n, from which 0.2 follows"},
           {"/bytes_written", 24.0, "bandwidth_gb_per_s: 20.02 contradicts " + rate},
           {"/bandwidth_gb_per_s", none, ""},
           {"/error", 1.5, "error: 1.5 is more than error_bound, 1.0, of a case that passed"},
           {"/error", 1.0, ""}})
    EXPECT_EQ(mistake(pointer, value), expected) << pointer << ' ' << value;
  Record record = good();
  record["samples_ns"] = record["time_ns"] = none;
  EXPECT_EQ(why_not_a_record(record), "time_ns: null is not within its interval, 190.0 to 210.0");
  record["time_low_ns"] = record["time_high_ns"] = none;
  const std::string no_time = "bandwidth_gb_per_s: there is no time_ns from which it follows";
  EXPECT_EQ(why_not_a_record(record), no_time);
  record["time_ns"] = 0;
  EXPECT_EQ(why_not_a_record(record), no_time);
  record["bandwidth_gb_per_s"] = record["percent_of_ceiling"] = none;
  EXPECT_EQ(why_not_a_record(record), "") << "nothing is divided by 0";
  record = good();
  record.update({{"outcome", "failed"}, {"time_ns", 195.0}});
  EXPECT_EQ(why_not_a_record(record), "") << "a failed case has no time";
  record = good();
  record.update({{"n", 0}, {"ns_per_input", 7.0}});
  EXPECT_EQ(why_not_a_record(record), "") << "nothing is divided by 0";
}

// The median of the forks' medians, in whatever order the forks are.
TEST(Check, TheTimeIsTheMedianOfTheForksMedians) {
  for (const char* samples : {"[[100, 90, 120], [200, 1, 900], [310, 300, 320]]", "[[200], [310], [100]]",
                              "[[310, 310], [100, 100], [150, 250]]", "[[150, 200], [175], [225], [300]]"}) {
    Record record = timed("reduce/harris3", 1024, 200, 190, 210);
    record["samples_ns"] = Json::parse(samples);
    record["forks"] = record["samples_ns"].size();
    EXPECT_EQ(why_not_a_record(record), "") << samples;
    for (const double other : {100.0, 310.0, 210.0}) {
      Record wrong = record;
      wrong.update({{"time_ns", other}, {"time_low_ns", 1}, {"time_high_ns", 999}});
      EXPECT_NE(why_not_a_record(wrong).find("contradicts samples_ns"), std::string::npos)
          << samples << ' ' << other;
    }
  }
}

// Numbers are written with all their digits, and agree but for the last of them: one part in 10^9.
TEST(Check, RoundingIsNoContradiction) {
  for (const auto& [factor, agrees] :
       {std::pair(1 + 0.9e-9, true), {1 - 0.9e-9, true}, {1 + 1.1e-9, false}, {1 - 1.1e-9, false}}) {
    EXPECT_EQ(mistake("/ns_per_input", 0.2 * factor).empty(), agrees) << factor - 1;
    EXPECT_EQ(mistake("/bandwidth_gb_per_s", 20.02 * factor).empty(), agrees) << factor - 1;
  }
}

TEST(Check, TheCeilingItselfIsNotAboveIt) {
  Record record = good();
  for (const auto& [percent, above] : {std::pair(99.5, false), {100.0, false}, {100.5, true}}) {
    record.update({{"percent_of_ceiling", percent}, {"above_ceiling", above}});
    EXPECT_EQ(why_not_a_record(record), "") << percent;
    record["above_ceiling"] = !above;
    EXPECT_EQ(why_not_a_record(record), std::string("above_ceiling: ") + (above ? "false" : "true") +
                                            " contradicts percent_of_ceiling, " + Json(percent).dump());
  }
}

TEST(Check, WhatMayBeNullMayBeMissing) {
  Record record = good();
  for (const char* name : {"chain", "forks", "session", "measured_by"}) record.erase(name);
  ASSERT_EQ(why_not_a_record(record), "");
  const Record whole = completed(record);
  EXPECT_EQ(whole["chain"], nullptr);
  EXPECT_EQ(whole["forks"], 2) << "as many as samples_ns has";
  EXPECT_EQ(whole["session"], 0) << "the first";
  record.update({{"samples_ns", {190, 200, 210}}, {"forks", 1}});
  EXPECT_EQ(why_not_a_record(record), "") << "of one process, as an older redbench wrote it";
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

Json facts() {
  return {{"schema", record_schema},  {"name", "quick"},
          {"title", "Quick"},         {"config_path", "configs/quick.json"},
          {"config", Json::object()}, {"device", Json::object()},
          {"inputs", Json::object()}, {"sessions", {{{"started", "a"}}, {{"started", "b"}, {"ended", "c"}}}}};
}

TEST(Check, EachFactOfARunThatReadersUseIsChecked) {
  EXPECT_EQ(why_not_a_run(facts()), "");
  EXPECT_EQ(why_not_a_run(Json::array()), "missing, or not redbench's");
  for (const auto& [pointer, value, expected] : std::vector<Replaced>{
           {"/schema", 99, "schema: 1 is expected, which this redbench writes and reads, not 99"},
           {"/schema", "1", "schema: a whole number from 0 is expected, not \"1\""},
           {"/name", 5, "name: a text is expected, not 5"},
           {"/inputs", nullptr, ""},
           {"/more", 5, ""},  // readers use nothing of it
           {"/sessions", 5, "sessions: a list is expected, not 5"},
           {"/sessions", Json::array(), "sessions: one at least is expected"},
           {"/sessions/1", "b", "sessions[1]: an object is expected, not \"b\""},
           {"/sessions/0/started", 5, "sessions[0].started: a text is expected, not 5"},
           {"/sessions/1/driver", 5, "sessions[1].driver: a text is expected, not 5"},
           {"/sessions/1/driver", nullptr, ""}}) {
    Json changed = facts();
    changed[Json::json_pointer(pointer)] = value;
    EXPECT_EQ(why_not_a_run(changed), expected) << pointer;
  }
}

// As runs were written that had no sessions.
TEST(Check, ARunWithoutSessionsIsItsOnlySession) {
  Json old = facts();
  old.erase("sessions");
  EXPECT_EQ(why_not_a_run(old), "sessions: missing");
  old["started"] = "a";
  EXPECT_EQ(why_not_a_run(old), "");
  old["driver"] = 5;
  EXPECT_EQ(why_not_a_run(old), "driver: a text is expected, not 5");
}

}  // namespace
}  // namespace redbench
