// What is said of a record or of a run's facts that redbench would not have written: whole sentences.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/record_support.hpp"

namespace redbench {
namespace {

/// Of two launches and two forks: medians 190 and 210, whose middle is 200.
Record good() {
  Record record = timed("reduce/harris3", 1000, 200, 190, 210);
  record["samples_ns"] = {{180.0, 190.0, 230.0}, {205.0, 215.0}};
  record["forks"] = 2;
  record["launches"] = {launch_of(3), launch_of(5)};
  return record;
}

/// One value of the record in place of another, by its JSON pointer.
std::string mistake(const char* pointer, const Json& value) {
  Record record = good();
  record[Json::json_pointer(pointer)] = value;
  return mistake_in(record);
}

TEST(RecordMistakes, NoneInAGoodRecord) { EXPECT_EQ(mistake_in(good()), ""); }

TEST(RecordMistakes, EachEntryOfAListIsLookedAt) {
  EXPECT_EQ(mistake("/launches/0", 7), "launches[0]: an object is expected, not 7");
  EXPECT_EQ(mistake("/launches/1", Json::array({1, "a"})),
            "launches[1]: an object is expected, not [1,\"a\"]");
  for (const char* entry : {"0", "1"}) {
    const std::string at = std::string("/launches/") + entry, shown = std::string("launches[") + entry + "]";
    EXPECT_EQ(mistake((at + "/kernel").c_str(), 5), shown + ".kernel: a text is expected, not 5");
    EXPECT_EQ(mistake((at + "/threads").c_str(), -256),
              shown + ".threads: a whole number from 0 is expected, not -256");
    EXPECT_EQ(mistake((at + "/cooperative").c_str(), nullptr), shown + ".cooperative: missing");
    EXPECT_EQ(mistake((at + "/occupancy").c_str(), -0.5),
              shown + ".occupancy: a finite number from 0 is expected, not -0.5");
    EXPECT_EQ(mistake((at + "/block").c_str(), 3), shown + ".block: no such field; did you mean `blocks`?");
    EXPECT_EQ(mistake((at + "/counters").c_str(), {{"branchs", 3}}),
              shown + ".counters.branchs: no such field; did you mean `branches`?");
    EXPECT_EQ(mistake((at + "/counters").c_str(), Json::array()),
              shown + ".counters: an object is expected, not []");
    EXPECT_EQ(mistake((at + "/registers").c_str(), nullptr), "") << "it may be unknown";
  }
}

TEST(RecordMistakes, AValueIsOfItsKind) {
  EXPECT_EQ(mistake("/key", true), "key: a text is expected, not true");
  EXPECT_EQ(mistake("/n", -1), "n: a whole number from 0 is expected, not -1");
  EXPECT_EQ(mistake("/seed", 2.0), "seed: a whole number from 0 is expected, not 2.0");
  EXPECT_EQ(mistake("/seed", 0), "");
  EXPECT_EQ(mistake("/bytes_read", "4"), "bytes_read: a finite number from 0 is expected, not \"4\"");
  EXPECT_EQ(mistake("/library", "false"), "library: true or false is expected, not \"false\"");
  EXPECT_EQ(mistake("/samples_ns", {{"a", 1}}), "samples_ns: a list is expected, not {\"a\":1}");
  EXPECT_EQ(mistake("/axes", Json::array({3})), "axes: an object is expected, not [3]");
  EXPECT_EQ(mistake("/outcome", "passd"),
            "outcome: `passed`, `wrong`, `failed`, `timeout` or `unsupported` is expected, not \"passd\"");
  EXPECT_EQ(mistake("/launches", nullptr), "launches: missing");
  EXPECT_EQ(mistake("/schema", "1"), "not a record of schema 1, which this redbench writes and reads");
  EXPECT_EQ(mistake_in({{"key", "a"}}), "not a record of schema 1, which this redbench writes and reads");
}

// 40 characters, its quotation marks included.
TEST(RecordMistakes, ALongValueIsCut) {
  const std::string fits(38, 'x');
  EXPECT_EQ(mistake("/n", fits), "n: a whole number from 0 is expected, not \"" + fits + '"');
  EXPECT_EQ(mistake("/n", fits + "y"), "n: a whole number from 0 is expected, not \"" + fits + "y...");
  EXPECT_EQ(mistake("/n", fits + "yz"), "n: a whole number from 0 is expected, not \"" + fits + "y...");
}

TEST(RecordMistakes, AnAxisOrAParameterIsAColumnOfOneValue) {
  EXPECT_EQ(mistake("/axes/time_ns", 3), "axes.time_ns: the name of a field");
  EXPECT_EQ(mistake("/parameters/n", 3), "parameters.n: the name of a field");
  EXPECT_EQ(mistake("/axes/values", Json::array({1, 2})), "axes.values: one value is expected, not [1,2]");
  EXPECT_EQ(mistake("/parameters/block", Json::array()), "parameters.block: one value is expected, not []");
  EXPECT_EQ(mistake("/axes/values", {{"file", "x.npy"}}), "");
}

TEST(RecordMistakes, SamplesAreListsOfTimesByFork) {
  EXPECT_EQ(mistake("/samples_ns/1", Json::array()), "samples_ns[1]: a list of numbers is expected, not []");
  EXPECT_EQ(mistake("/samples_ns/0", "190"), "samples_ns[0]: a list of numbers is expected, not \"190\"");
  EXPECT_EQ(mistake("/samples_ns/1/1", -215.0),
            "samples_ns[1]: a finite number from 0 is expected, not -215.0");
  EXPECT_EQ(mistake("/samples_ns/0/0", nullptr),
            "samples_ns[0]: a finite number from 0 is expected, not null");
  EXPECT_EQ(mistake("/samples_ns", Json::array()), "samples_ns: one fork at least is expected");
  EXPECT_EQ(mistake("/time_ns", nullptr), "time_ns: missing, though there are samples_ns");
  EXPECT_EQ(mistake("/forks", 3), "forks: 3 contradicts samples_ns, from which 2 follows");
  EXPECT_EQ(mistake("/time_ns", 205.0), "time_ns: 205 contradicts samples_ns, from which 200 follows");
  EXPECT_EQ(mistake("/samples_ns/1/0", 207.0),
            "time_ns: 200 contradicts samples_ns, from which 200.5 follows");
  EXPECT_EQ(mistake("/samples_ns/0/0", 189.0), "") << "the median stays";
}

TEST(RecordMistakes, ATimeLiesInItsInterval) {
  const auto interval = [](const Json& low, const Json& high) {
    Record record = good();
    record["time_low_ns"] = low;
    record["time_high_ns"] = high;
    return mistake_in(record);
  };
  EXPECT_EQ(interval(200.0, 200.0), "");
  EXPECT_EQ(interval(nullptr, nullptr), "");
  EXPECT_EQ(interval(nullptr, 210.0), "time_low_ns, time_high_ns: one of the two is missing");
  EXPECT_EQ(interval(190.0, nullptr), "time_low_ns, time_high_ns: one of the two is missing");
  EXPECT_EQ(interval(200.5, 210.0), "time_ns: 200.0 is not within its interval, 200.5 to 210.0");
  EXPECT_EQ(interval(190.0, 199.5), "time_ns: 200.0 is not within its interval, 190.0 to 199.5");
  Record none = good();
  none["samples_ns"] = none["time_ns"] = none["forks"] = nullptr;
  EXPECT_EQ(mistake_in(none), "time_ns: null is not within its interval, 190.0 to 210.0");
  none["time_low_ns"] = none["time_high_ns"] = nullptr;
  EXPECT_EQ(mistake_in(none), "") << "of no time nothing follows";
}

// But for the last of their digits: one part in 10^9.
TEST(RecordMistakes, NumbersAgreeWithWhatTheyFollowFrom) {
  EXPECT_EQ(mistake("/ns_per_input", 0.2 * (1 + 0.9e-9)), "");
  EXPECT_EQ(mistake("/ns_per_input", 0.2 * (1 - 0.9e-9)), "");
  EXPECT_EQ(mistake("/ns_per_input", 0.25),
            "ns_per_input: 0.25 contradicts time_ns and n, from which 0.2 follows");
  EXPECT_NE(mistake("/ns_per_input", 0.2 * (1 + 1.1e-9)), "");
  EXPECT_NE(mistake("/ns_per_input", 0.2 * (1 - 1.1e-9)), "");
  EXPECT_EQ(mistake("/bytes_written", 24.0),
            "bandwidth_gb_per_s: 20.02 contradicts bytes_read, bytes_written and time_ns, from which 20.12 "
            "follows");
  EXPECT_EQ(mistake("/bytes_read", 4040.0),
            "bandwidth_gb_per_s: 20.02 contradicts bytes_read, bytes_written and time_ns, from which 20.22 "
            "follows");
  EXPECT_EQ(mistake("/bandwidth_gb_per_s", nullptr), "");
  const Record single = timed("reduce/harris3", 1, 200, 190, 210);
  EXPECT_EQ(mistake_in(single), "");
  Record wrong = single;
  wrong["ns_per_input"] = 7.0;
  EXPECT_EQ(mistake_in(wrong), "ns_per_input: 7 contradicts time_ns and n, from which 200 follows");
  Record empty = good();
  empty.update({{"n", 0}, {"ns_per_input", 7.0}});
  EXPECT_EQ(mistake_in(empty), "") << "no inputs, no time of one";
}

Json facts() {
  return {{"schema", record_schema},  {"name", "quick"},
          {"title", "Quick"},         {"config_path", "configs/quick.json"},
          {"config", Json::object()}, {"device", Json::object()},
          {"inputs", Json::object()}, {"sessions", {{{"started", "a"}}, {{"started", "b"}, {"ended", "c"}}}}};
}

std::string mistake_in_changed(const char* pointer, const Json& value) {
  Json changed = facts();
  changed[Json::json_pointer(pointer)] = value;
  return mistake_in_facts(changed);
}

TEST(FactsMistakes, EachOfARunAndOfItsSessionsIsNamed) {
  EXPECT_EQ(mistake_in_facts(facts()), "");
  EXPECT_EQ(mistake_in_facts(Json::array()), "missing, or not redbench's");
  EXPECT_EQ(mistake_in_changed("/schema", 99),
            "schema: 1 is expected, which this redbench writes and reads, not 99");
  EXPECT_EQ(mistake_in_changed("/schema", "1"), "schema: a whole number from 0 is expected, not \"1\"");
  for (const char* text : {"name", "title", "config_path"}) {
    EXPECT_EQ(mistake_in_changed(("/" + std::string(text)).c_str(), 5),
              std::string(text) + ": a text is expected, not 5");
    EXPECT_EQ(mistake_in_changed(("/" + std::string(text)).c_str(), nullptr),
              std::string(text) + ": missing");
  }
  for (const char* object : {"config", "device", "inputs"})
    EXPECT_EQ(mistake_in_changed(("/" + std::string(object)).c_str(), "x"),
              std::string(object) + ": an object is expected, not \"x\"");
  for (const char* object : {"config", "device"})
    EXPECT_EQ(mistake_in_changed(("/" + std::string(object)).c_str(), nullptr),
              std::string(object) + ": missing");
  EXPECT_EQ(mistake_in_changed("/inputs", nullptr), "") << "an older redbench knows of none";
  EXPECT_EQ(mistake_in_changed("/more", 5), "") << "readers use nothing of it";
  EXPECT_EQ(mistake_in_changed("/sessions", 5), "sessions: a list is expected, not 5");
  EXPECT_EQ(mistake_in_changed("/sessions", Json::array()), "sessions: one at least is expected");
  for (const char* entry : {"0", "1"}) {
    const std::string at = std::string("/sessions/") + entry, shown = std::string("sessions[") + entry + "]";
    EXPECT_EQ(mistake_in_changed(at.c_str(), "b"), shown + ": an object is expected, not \"b\"");
    for (const char* text : {"started", "ended", "driver", "commit"}) {
      EXPECT_EQ(mistake_in_changed((at + "/" + text).c_str(), 5),
                shown + "." + text + ": a text is expected, not 5");
      EXPECT_EQ(mistake_in_changed((at + "/" + text).c_str(), nullptr), "") << text;
    }
    for (const char* object : {"measure", "build", "host"}) {
      EXPECT_EQ(mistake_in_changed((at + "/" + object).c_str(), 5),
                shown + "." + object + ": an object is expected, not 5");
      EXPECT_EQ(mistake_in_changed((at + "/" + object).c_str(), nullptr), "") << object;
    }
    EXPECT_EQ(mistake_in_changed((at + "/command_line").c_str(), "redbench"),
              shown + ".command_line: a list is expected, not \"redbench\"");
  }
}

// As runs were written that had no sessions.
TEST(FactsMistakes, AnOlderRunIsItsOnlySession) {
  Json old = facts();
  old.erase("sessions");
  EXPECT_EQ(mistake_in_facts(old), "sessions: missing");
  old["started"] = "a";
  EXPECT_EQ(mistake_in_facts(old), "");
  old["driver"] = 5;
  EXPECT_EQ(mistake_in_facts(old), "driver: a text is expected, not 5");
}

TEST(LineOf, IsOneLineOfUtf8WhateverBytesThereAre) {
  EXPECT_EQ(line_of({{"b", {1, 2.5, nullptr}}, {"a", "µs \xff\n"}}),
            "{\"b\":[1,2.5,null],\"a\":\"µs \xEF\xBF\xBD\\n\"}");
}

}  // namespace
}  // namespace redbench
