// Where a record's times contradict each other, at the edges: no time at all, a nanosecond, the ceiling
// itself.
#include <gtest/gtest.h>

#include "tests/record_support.hpp"

namespace redbench {
namespace {

std::string mistake_of(Record record, const Json& changes) {
  record.update(changes);
  return mistake_in(record);
}

TEST(RecordAgreement, ATimeOfANanosecondIsHeldAgainstItsSamples) {
  const Record one = timed("reduce/harris3", 500, 1, 1, 1);  // 2004 bytes in a nanosecond
  EXPECT_EQ(mistake_of(one, Json::object()), "");
  EXPECT_EQ(mistake_of(one, {{"forks", 9}}), "forks: 9 contradicts samples_ns, from which 1 follows");
  EXPECT_EQ(mistake_of(one, {{"bandwidth_gb_per_s", 2003.0}}),
            "bandwidth_gb_per_s: 2003 contradicts bytes_read, bytes_written and time_ns, from which 2004 "
            "follows");
  EXPECT_EQ(mistake_of(one, {{"ns_per_input", 0.004}}),
            "ns_per_input: 0.004 contradicts time_ns and n, from which 0.002 follows");
}

// A clock may tell no time; then no rate follows from it.
TEST(RecordAgreement, OfNoTimeNothingFollows) {
  Record none = timed("reduce/harris3", 500, 1, 1, 1);
  none.update({{"time_ns", 0.0}, {"time_low_ns", 0.0}, {"time_high_ns", 0.0}, {"samples_ns", {{0.0, 0.0}}}});
  EXPECT_EQ(mistake_of(none, {{"bandwidth_gb_per_s", 7.0}, {"ns_per_input", 0.5}}), "");
  EXPECT_EQ(mistake_of(none, {{"bandwidth_gb_per_s", nullptr}, {"ns_per_input", nullptr}}), "");
}

TEST(RecordAgreement, TheCeilingItselfIsNotAboveIt) {
  const Record one = timed("reduce/harris3", 500, 200, 190, 210);
  for (const auto& [percent, above] : {std::pair(99.5, false), {100.0, false}, {100.5, true}}) {
    EXPECT_EQ(mistake_of(one, {{"percent_of_ceiling", percent}, {"above_ceiling", above}}), "") << percent;
    EXPECT_EQ(mistake_of(one, {{"percent_of_ceiling", percent}, {"above_ceiling", !above}}),
              std::string("above_ceiling: ") + (above ? "false" : "true") +
                  " contradicts percent_of_ceiling, " + Json(percent).dump());
  }
  EXPECT_EQ(mistake_of(one, {{"percent_of_ceiling", nullptr}, {"above_ceiling", true}}), "");
}

}  // namespace
}  // namespace redbench
