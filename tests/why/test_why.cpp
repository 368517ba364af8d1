// A step in sentences, as text and as JSON.
#include "src/why/why.hpp"

#include <gmock/gmock.h>

#include "src/why/sentences.hpp"
#include "tests/golden.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// The sentence for one difference of harris2 and harris3.
std::string sentence(std::uint64_t from, std::uint64_t to, std::vector<CountedLine> lines = {}) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  step.counters = {{"named_barriers", "barriers", from, to, std::move(lines)}};
  return sentences_of(step).at(0);
}

TEST(WhySentences, SayWhichHasMoreAndByHowMuch) {
  EXPECT_EQ(sentence(127, 100), "harris2 has 27 % more barriers than harris3: 127 against 100.");
  EXPECT_EQ(sentence(100, 127), "harris3 has 27 % more barriers than harris2: 127 against 100.");
  EXPECT_EQ(sentence(200, 100), "harris2 has 2.0 times as many barriers as harris3: 200 against 100.");
  EXPECT_EQ(sentence(100, 1000), "harris3 has 10.0 times as many barriers as harris2: 1 000 against 100.");
  EXPECT_EQ(sentence(1234567, 0), "harris3 has no barriers; harris2 has 1 234 567.");
  EXPECT_EQ(sentence(0, 42), "harris3 has 42 barriers; harris2 has none.");
}

TEST(WhySentences, NameTheLineWithMostOfWhoHasMore) {
  const std::vector<CountedLine> lines{{"reduce/harris2", "k2.cu", 20, "", 60},
                                       {"reduce/harris2", "k2.cu", 21, "", 15},
                                       {"reduce/harris3", "k3.cu", 30, "", 30}};
  EXPECT_THAT(sentence(80, 40, lines), HasSubstr("80 against 40, 75 % of them at k2.cu:20."));
  EXPECT_THAT(sentence(40, 80, lines), HasSubstr("80 against 40, 38 % of them at k3.cu:30."));
  EXPECT_THAT(sentence(80, 0, lines), HasSubstr("harris2 has 80, 75 % of them at k2.cu:20."));
  EXPECT_THAT(sentence(0, 60, lines),
              HasSubstr("harris3 has 60 barriers, 50 % of them at k3.cu:30; harris2"));
  EXPECT_EQ(sentence(80, 0, {{"reduce/harris2", "", 0, "", 80}}), "harris3 has no barriers; harris2 has 80.");
}

TimedPair timed_pair(double from_ns, double to_ns) {
  return {"NVIDIA Test", timed("reduce/harris2", 4096, from_ns, from_ns - 1, from_ns + 1),
          timed("reduce/harris3", 4096, to_ns, to_ns - 2, to_ns + 3), "results/a#one", "results/a#two"};
}

TEST(WhySentences, AnIntervalThatHoldsOneDecidesNothing) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  step.times = {timed_pair(4000, 3000)};
  const auto told = [&](double low, double high) {
    step.times[0].ratio = 0.75;
    step.times[0].low = low;
    step.times[0].high = high;
    return sentences_of(step).at(0);
  };
  EXPECT_EQ(sentences_of(step).at(0),
            "harris3 and harris2 take 3.000 µs against 4.000 µs at n = 4Ki on NVIDIA Test, in different "
            "rounds.");
  EXPECT_EQ(told(0.74, 0.76),
            "harris3 takes 75.0 % of the time of harris2: 3.000 µs against 4.000 µs at n = 4Ki on NVIDIA "
            "Test, a ratio of 0.7400 to 0.7600.");
  EXPECT_THAT(told(0.74, 1),
              HasSubstr("Which of harris3 and harris2 is faster is undecided: 3.000 µs against"));
  EXPECT_THAT(told(1, 1.2), HasSubstr("undecided"));
  EXPECT_THAT(told(1.01, 1.2), HasSubstr("harris3 takes"));
}

TEST(KernelStep, AsTextAndAsJson) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {{"device", "simt"}, {"n", 4096}, {"m", 7}}};
  std::string text = "A step without a difference:\n" + text_of(step, 0);
  step.times = {timed_pair(4000, 3000)};
  step.counters = {{"named_barriers",
                    "barriers",
                    8,
                    6,
                    {{"reduce/harris2", "k2.cu", 20, "sync();", 5},
                     {"reduce/harris3", "k3.cu", 1234, "if (x) y();", 123}}},
                   {"warp_barriers", "meetings", 0, 3, {{"reduce/harris3", "", 0, "", 3}}}};
  step.launches = {{"occupancy", "occupancy", "%", 12.5, 100}, {"blocks", "blocks of all", "", 12345, 7}};
  step.sentences = sentences_of(step);
  text += "\nOne with differences:\n" + text_of(step, 0);
  expect_golden("why/step.txt", text + "\nThe same as JSON:\n" + to_json(step).dump(1) + '\n');
}

}  // namespace
}  // namespace redbench
