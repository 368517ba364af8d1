// What a parent makes of its workers' messages, or of their death or silence.
#include "src/run/run_tasks.hpp"

#include <gmock/gmock.h>

#include "tests/scripted_workers.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// The bugs: a mode of the case stayed without a record, one of another got its outcome, or the next process
// was sent what has its record.
TEST_F(Workers, ACaseThatAProcessDiesOfHasThatOutcomeInEachModeThatWasWanted) {
  EXPECT_EQ(
      outcomes(
          {{hears, up, ready, hears, alive, running(0), alive, record(0, Mode::graph), running(0), dies},
           {hears, up, ready, hears, running(1), record(1), done(1), hears, record(1, Mode::warm), done(2)}},
          {{1, {{0, Mode::warm}, {0, Mode::graph}, {1, Mode::cold}, {0, Mode::cold}}},
           {2, {{1, Mode::warm}}}}),
      (Lines{"1.0 graph passed made passes [0]", "1.0 warm failed " + died, "1.0 cold failed " + died,
             "1.1 cold passed made passes [1]", "2.1 warm passed made passes [0]"}));
  EXPECT_TRUE(complete_);
  EXPECT_EQ(processes_, 2u);
  EXPECT_EQ(heard(0), (Lines{"work", R"(1 [[0,"warm"],[0,"graph"],[1,"cold"],[0,"cold"]])"}));
  EXPECT_EQ(heard(1), (Lines{"work", R"(1 [[1,"cold"]])", R"(2 [[1,"warm"]])"}));
}

// The bug: a case that has its record was blamed for what came after it.
TEST_F(Workers, OneThatHasItsRecordIsNotBlamed) {
  const Json first{hears, hears, up, ready, running(0), record(0), dies}, second{hears, hears, dies},
      third{hears, hears, record(0), done(2)};
  EXPECT_EQ(outcomes({first, second, third},
                     {{0, {{0, Mode::cold}, {1, Mode::warm}, {1, Mode::cold}}}, {2, {{0, Mode::cold}}}}),
            (Lines{"0.0 cold passed made passes [0]", "0.1 warm failed " + died_before,
                   "0.1 cold failed " + died_before, "2.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(1), (Lines{"work", R"(0 [[1,"warm"],[1,"cold"]])"}));
  EXPECT_EQ(heard(2), (Lines{"work", R"(2 [[0,"cold"]])"}));
}

// The bug: the case that has the number of the last one of the cell before was blamed, which never ran.
TEST_F(Workers, ADeathBetweenTwoCellsIsNoCasesFault) {
  for (const bool knows_of_the_second : {true, false}) {
    Json first{hears, up, ready, hears, running(0), record(0), done(0)};
    if (knows_of_the_second) first.push_back(hears);
    first.push_back(dies);
    const Json second{hears, hears, up, ready, running(0), record(0), done(2)};
    EXPECT_EQ(outcomes({first, second}, tasks_of({0, 2})),
              (Lines{"0.0 cold passed made passes [0]", "2.0 cold passed made passes [1]"}));
    EXPECT_EQ(heard(1), (Lines{"work", R"(2 [[0,"cold"]])"}));
  }
}

// A cell is given up with the second death that no case is to blame for. The bugs: a record, or a case that
// hung, was forgotten; after a cell that was given up, the first death was the last for each that followed.
TEST_F(Workers, EachCellIsTriedAgainOnce) {
  const Json dies_before{hears, up, ready, hears, dies},
      hangs{hears, up, ready, hears, running(0), sleeps(60'000)};
  EXPECT_EQ(outcomes({dies_before, dies_before, dies_before, serving}, tasks_of({0, 1})),
            (Lines{"0.0 cold failed " + died_before, "1.0 cold failed 2 2 passes [1]"}));
  const Json dies_after_a_record{hears, up, ready, hears, record(0), dies};
  EXPECT_EQ(outcomes({dies_before, dies_after_a_record, serving}, tasks_of({0}, 2)),
            (Lines{"0.0 cold passed made passes [1]", "0.1 cold failed 2 2"}));
  EXPECT_THAT(outcomes({hangs, dies_before, serving}, tasks_of({0}, 2)),
              ElementsAre(HasSubstr("0.0 cold timeout no sign of life"), "0.1 cold failed 2 2"));
}

// A kernel may write to any descriptor. The bug: a parser's exception ended the run.
TEST_F(Workers, WhatIsNoMessageCostsItsCase) {
  const std::string why = "its process sent what is no message of redbench: ";
  for (const auto& [sent, shown] : {std::pair<Json, std::string>{{{"raw", "no JSON\n"}}, "<discarded>"},
                                    {{{"raw", "{\"running\":\n"}}, "<discarded>"},
                                    {{{"raw", "[1]\n"}}, "[1]"},
                                    {running(2), R"({"running":2})"},
                                    {{{"running", -1}}, R"({"running":-1})"},
                                    {{{"number", 0}}, R"({"number":0})"},
                                    {{{"record", 0}}, R"({"record":0})"},
                                    {{{"refused", 0}}, R"({"refused":0})"},
                                    {{{"number", 0}, {"mode", "tepid"}, {"record", {{"a", 1}}}},
                                     R"({"number":0,"mode":"tepid","record":{"a":1}})"}})
    EXPECT_EQ(
        outcomes({{hears, up, ready, hears, running(0), sent, sleeps(60'000)}, serving}, tasks_of({0}, 2)),
        (Lines{"0.0 cold failed " + why + shown, "0.1 cold failed 2 2"}));
  // Of another case of the task, or once more.
  EXPECT_EQ(outcomes({{hears, up, ready, hears, running(0), record(0), record(0), sleeps(60'000)}, serving},
                     tasks_of({0}, 2))[0],
            "0.0 cold passed made passes [0]");
}

// The bug: each shape of a battery waited for its own limit.
TEST_F(Workers, AVariantThatHungTwiceIsNotTriedAgainByABattery) {
  work_ = work({{"experiments",
                 {{{"problem", "reduce"}, {"variants", {"harris1"}}, {"axes", {{"n", {1, 2, 3, 4}}}}}}}});
  work_.kind = Job::Kind::verify;
  const Json hangs{hears, up, ready, hears, running(0), sleeps(60'000)};
  const Lines lines = outcomes({hangs, hangs}, tasks_of({0, 1, 2, 3}));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("0.0 cold timeout no sign of life"),
                                 HasSubstr("1.0 cold timeout no sign of life"),
                                 "2.0 cold timeout not tried, as it hung on two shapes before",
                                 "3.0 cold timeout not tried, as it hung on two shapes before"));
  EXPECT_EQ(processes_, 2u);
}

// The bug: what is refused was tried again, or its process was.
TEST_F(Workers, ACellThatIsRefusedFailsForThatReason) {
  EXPECT_EQ(
      outcomes(
          {{hears, up, ready, hears, record(1), {{"refused", "x.npy: changed"}}, hears, record(0), done(1)}},
          {{0, {{0, Mode::warm}, {1, Mode::cold}, {1, Mode::graph}}}, {1, {{0, Mode::cold}}}}),
      (Lines{"0.1 cold passed made passes [0]", "0.0 warm failed x.npy: changed",
             "0.1 graph failed x.npy: changed", "1.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(0), (Lines{"work", R"(0 [[0,"warm"],[1,"cold"],[1,"graph"]])", R"(1 [[0,"cold"]])"}));
}

// The bugs: of several processes at once one was not listened to, or was not sent what its pipe had not held.
// Each waits for the next one's record here.
TEST_F(Workers, EachOfSeveralIsSentAllAndListenedToThoughOthersAreBusy) {
  work_ = work({{"title", std::string(std::size_t(1) << 18, 'x')}});
  const Json await{{"await", {{"0", "made1"}, {"1", "made2"}}}};
  const Json script{sleeps(20), hears, up, ready, hears, await, running(0), record(0), done(0)};
  EXPECT_EQ(outcomes({script, script, script}, tasks_of({0, 1, 2}), 3),
            (Lines{"2.0 cold passed made passes [0]", "1.0 cold passed made passes [0]",
                   "0.0 cold passed made passes [0]"}));
  EXPECT_EQ(processes_, 3u);
}

// A case that executes may be silent for `hang_s`, 0.2 s here; a worker that starts or makes inputs for
// longer. The bug: silence was blamed on the inputs where there was no process yet, or the other way round.
TEST_F(Workers, ASilentOneIsKilledForWhatItWasAt) {
  EXPECT_GT(work_.idle_s, 10);
  EXPECT_THAT(outcomes({{hears, up, ready, hears, running(0), sleeps(60'000)}}, tasks_of({0})),
              ElementsAre(MatchesRegex(
                  R"(0\.0 cold timeout no sign of life for [0-4](\.[0-9]+)? s; its process was killed)")));
  EXPECT_EQ(
      outcomes({{sleeps(250), hears, up, ready, hears, running(0), alive, sleeps(250), record(0), done(0)}},
               tasks_of({0})),
      Lines{"0.0 cold passed made passes [0]"});
  work_.idle_s = 0.3;
  const Json silent = Json::array({sleeps(60'000)});
  EXPECT_THAT(outcomes(Json::array({silent}), tasks_of({0}, 2)),
              ElementsAre(HasSubstr("0.0 cold timeout as its process started, no sign of life for "),
                          HasSubstr("0.1 cold timeout as its process started, no sign of life for ")));
  work_.idle_s = 1.5;
  EXPECT_THAT(outcomes({{hears, up, ready, sleeps(60'000)}}, tasks_of({0})),
              ElementsAre(HasSubstr("0.0 cold timeout while the inputs were made, no sign of life for ")));
  // One that was up says nothing of the next.
  EXPECT_THAT(outcomes({{hears, up, ready, hears, running(0), dies}, silent}, tasks_of({0}, 2)),
              ElementsAre("0.0 cold failed " + died,
                          HasSubstr("0.1 cold timeout as its process started, no sign of life for ")));
}

// The bugs: a run that could not be ended, or that left its own way to end behind.
TEST_F(Workers, ASignalEndsTheRunAndIsCaughtNoLonger) {
  struct sigaction own {
  }, before{}, after{};
  own.sa_handler = [](int) {};
  ::sigaction(SIGTERM, &own, &before);
  EXPECT_EQ(outcomes({{hears, up, ready, hears, {{"signal", SIGTERM}}, sleeps(60'000)}}, tasks_of({0, 1})),
            Lines());
  EXPECT_FALSE(complete_);
  ::sigaction(SIGTERM, &before, &after);
  EXPECT_EQ(after.sa_handler, own.sa_handler);
  EXPECT_EQ(outcomes(Json::array({serving}), tasks_of({0})).size(), 1u);
  EXPECT_TRUE(complete_) << "a signal ends one run";
}

TEST_F(Workers, AsManyWorkAsAreAskedForAndShareTheCores) {
  EXPECT_EQ(outcomes(Json::array({serving}), tasks_of({0, 1})),
            (Lines{"0.0 cold failed 2 2 passes [0]", "1.0 cold failed 2 2 passes [0]"}));
  EXPECT_THAT(
      outcomes({serving, serving}, tasks_of({0, 1}), 2),
      testing::UnorderedElementsAre("0.0 cold failed 1 1 passes [0]", "1.0 cold failed 1 1 passes [0]"));
  EXPECT_EQ(processes_, 2u);
}

// A fork is a process of its own, as times differ between processes and nothing else does. Forks take turns
// cell by cell, so that a drift of the machine affects all alike.
TEST_F(Workers, ForksAreOfRunsThatTakeTimesAndTakeTurns) {
  const Json config{{"measure", {{"forks", 2}}}};
  Json timed = config;
  timed["experiments"] = Json::parse(config_text("[1000, 1001]"))["experiments"];
  timed["experiments"][0]["variants"] = {"cpu_serial"};
  const auto processes_of = [&](Work work) {
    work_ = std::move(work);
    outcomes({serving, serving}, tasks_of({0}));
    return processes_;
  };
  EXPECT_EQ(processes_of(work(config, "simt:gtx480", Job::Kind::run)), 1u)
      << "the modelled device has no time";
  EXPECT_EQ(processes_of(work(timed)), 1u) << "a profile takes none";
  work_ = work(timed, "host", Job::Kind::run);
  folder_.write("order", "");
  EXPECT_EQ(outcomes({serving, serving}, tasks_of({0, 1})),
            (Lines{"0.0 cold failed in fork 1 of 2: 2 2 passes [0,0]",
                   "1.0 cold failed in fork 1 of 2: 2 2 passes [0,0]"}));
  EXPECT_EQ(processes_, 2u);
  EXPECT_EQ(lines_of(folder_.path() + "/order"), (Lines{"0 0", "1 0", "0 1", "1 1"})) << "process, cell";
  folder_.write("count", "");
  const auto shown =
      on_terminal([&] { run_tasks(work_, tasks_of({0, 1}), 1, true, [](std::size_t, Record) {}); });
  EXPECT_THAT(shown.value_or("no terminal, 0 of 2 cases"), testing::HasSubstr(" 0 of 2 cases"));
}

}  // namespace
}  // namespace redbench
