// Where lanes that part meet again, of ways that are written down by hand.
#include "src/simt/meeting_points.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace redbench {
namespace {

using simt::LogEntry;
using simt::MeetingPoints;
using simt::WarpLogs;

// Places of a program, from the lowest address to the highest.
const char places[8] = {};
const char *const a = places, *const b = a + 1, *const c = a + 2, *const m = a + 3, *const end = a + 4;

using Way = std::vector<const char*>;

/// Of each lane the basic blocks that it comes to, the first lane first.
class Lanes {
 public:
  explicit Lanes(const std::vector<Way>& ways, LogEntry::Kind last = LogEntry::Kind::basic_block) {
    for (const Way& way : ways) {
      logs_.emplace_back();
      for (const char* const place : way)
        logs_.back().push_back({place, 0, 0, std::uintptr_t(LogEntry::Kind::basic_block)});
      if (!way.empty()) logs_.back().back().kind = std::uintptr_t(last);
    }
    std::ranges::copy(logs_, rest.begin());
  }
  Lanes(const Lanes&) = delete;

  WarpLogs rest{};

 private:
  std::vector<std::vector<LogEntry>> logs_;
};

/// Where the lanes meet that part before all entries.
const void* meeting(MeetingPoints& points, const WarpLogs& rest, unsigned lanes) {
  points.find(nullptr, rest);
  return points.of(nullptr, rest, lanes);
}
const void* meeting(const std::vector<Way>& ways, unsigned lanes,
                    LogEntry::Kind last = LogEntry::Kind::basic_block) {
  MeetingPoints points;
  return meeting(points, Lanes(ways, last).rest, lanes);
}

TEST(MeetingPoints, TheLastBlockOfAKernelIsWhereLanesMeetThatMeetNowhereBefore) {
  EXPECT_EQ(meeting({{a, m, end}, {b, m, end}}, 0b11), m);
  EXPECT_EQ(meeting({{a, m, end}, {a, c, m, end}}, 0b11), a);
  EXPECT_EQ(meeting({{a, m}, {b, m}}, 0b11, LogEntry::Kind::write), m);
  EXPECT_EQ(meeting({{a, end}, {b, end}}, 0b11), b) << "the end alone is behind them, and b most's end";
  EXPECT_EQ(meeting({{b, end}, {a, end}, {a, end}}, 0b111), a);
}

TEST(MeetingPoints, MostLanesCountAndOfAsManyThoseAtTheHigherAddress) {
  EXPECT_EQ(meeting({{c}, {b}}, 0b11), c);
  EXPECT_EQ(meeting({{b}, {c}}, 0b11), c);
  EXPECT_EQ(meeting({{c}, {b}, {b}}, 0b111), b);
  EXPECT_EQ(meeting({{b}, {c}, {b}}, 0b111), b);
  EXPECT_EQ(meeting({{c}, {b}, {b}, {c}}, 0b1111), c);
  EXPECT_EQ(meeting({{c}, {b}, {b}, {c}}, 0b0111), b) << "of the lanes that are asked for";
}

// Two places that lead to each other and each out by a way of its own: where lanes meet that part at the
// first is known only once the ways over the second are.
TEST(MeetingPoints, WaysOutOfALoopWithTwoEntriesMeetBehindIt) {
  const char *const out_of_a = c, *const out_of_b = m, *const behind = end, *const last = end + 1;
  const Lanes lanes({{a, out_of_a, behind, last},
                     {a, b, out_of_b, behind, last},
                     {b, out_of_b, behind, last},
                     {b, a, out_of_a, behind, last}});
  MeetingPoints points;
  points.find(nullptr, lanes.rest);
  EXPECT_EQ(points.of(a, lanes.rest, 0b0011), behind);
  EXPECT_EQ(points.of(b, lanes.rest, 0b1100), behind);
  EXPECT_EQ(points.of(nullptr, lanes.rest, 0b1111), behind);
}

}  // namespace
}  // namespace redbench
