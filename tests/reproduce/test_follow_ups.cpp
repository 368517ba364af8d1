// What is made of records after a reproduction, and what must be there before it.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>

#include "src/error.hpp"
#include "src/reproduce/follow_ups.hpp"
#include "src/shell.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

Figure figure(const std::string& paper, const std::string& name, std::vector<std::string> machines = {}) {
  return {.paper = paper,
          .config = "configs/" + name + ".json",
          .name = name,
          .is_ladder = name.ends_with("ladder"),
          .machines = std::move(machines)};
}

class FollowUps : public testing::Test {
 protected:
  std::vector<FollowUp> steps_ = follow_ups_of(
      {figure("a", "a/ladder"), figure("a", "a/first", {"host", "old"}), figure("b", "b/second", {"host"})},
      {"a", "b"}, "out", "simt:h200");
  const FollowUp& step(const std::string& what) {
    const auto found = std::ranges::find(steps_, what, &FollowUp::what);
    if (found == steps_.end()) throw std::runtime_error(what);
    return *found;
  }
};

// The probe takes times, which nothing may disturb, and the others read what it found.
TEST_F(FollowUps, TheHostIsProbedFirstAndOnce) {
  EXPECT_EQ(steps_[0].what, "the caches of a/first");
  EXPECT_EQ(std::ranges::count(steps_, Stage::probe, &FollowUp::stage), 1);
  EXPECT_THAT(steps_[0].command, HasSubstr("'--machine' 'host' '--machine' 'old'"));
  EXPECT_EQ(step("the caches of b/second").stage, Stage::draw);
  EXPECT_THAT(step("the caches of b/second").command,
              HasSubstr("'--machine' 'out/a/first/cachesim/host.json'"));
}

// A report shows the plots, the steps of ladders and the claims; claims are of all records.
TEST_F(FollowUps, AReportIsWrittenWhenAllThatItShowsIsThere) {
  EXPECT_TRUE(std::ranges::is_sorted(steps_, {}, &FollowUp::stage));
  for (const char* name : {"a/ladder", "a/first", "b/second"})
    EXPECT_EQ(step(std::string("the plots of ") + name).stage, Stage::draw) << name;
  EXPECT_EQ(step("the steps of a/ladder").stage, Stage::draw);
  EXPECT_EQ(step("the claims").stage, Stage::judge);
  for (const char* name : {"a", "b", "all papers"})
    EXPECT_EQ(step(std::string("the report of ") + name).stage, Stage::report) << name;
}

// What the kernel kills for its memory was not interrupted by anyone.
TEST(StatusOf, IsThatOfACommandHoweverItEnds) {
  auto* const before =
      std::signal(SIGINT, SIG_DFL);  // which is ignored by what a shell has in the background
  EXPECT_EQ(status_of("exit 3"), 3);
  EXPECT_EQ(status_of("kill -INT $$"), exit_interrupted);
  EXPECT_EQ(status_of("kill -TERM $$"), exit_interrupted);
  EXPECT_EQ(status_of("kill -KILL $$"), 128 + 9);
  std::signal(SIGINT, before);
}

TEST(FollowUpsOf, NothingAreNone) { EXPECT_TRUE(follow_ups_of({}, {"a"}, "out", "simt").empty()); }

}  // namespace
}  // namespace redbench
