// A step in sentences, as text and as JSON.
#include "src/why/why.hpp"

#include <gtest/gtest.h>

#include "tests/golden.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

TimedPair timed_pair(double from_ns, double to_ns) {
  return {"NVIDIA Test", timed("reduce/harris2", 4096, from_ns, from_ns - 1, from_ns + 1),
          timed("reduce/harris3", 4096, to_ns, to_ns - 2, to_ns + 3), "results/a#one", "results/a#two"};
}

// Which has more, by how much, and at which line most of it; an interval that holds 1 decides nothing.
TEST(WhySentences, AreOfTheNumbersOfOneDifferenceEach) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {}};
  const auto add = [&](std::uint64_t from, std::uint64_t to, std::vector<CountedLine> lines = {}) {
    step.counters.push_back({"named_barriers", "barriers", from, to, std::move(lines)});
  };
  for (const auto& [low, high] : {std::pair(0.74, 0.76), {0.74, 1.0}, {1.0, 1.2}, {1.01, 1.2}}) {
    TimedPair& pair = step.times.emplace_back(timed_pair(4000, 3000));
    pair.ratio = 0.75;
    pair.low = low;
    pair.high = high;
  }
  step.times.push_back(timed_pair(4000, 3000));
  const std::vector<CountedLine> lines{{"reduce/harris2", "k2.cu", 20, "", 60},
                                       {"reduce/harris2", "k2.cu", 21, "", 15},
                                       {"reduce/harris3", "k3.cu", 30, "", 30}};
  for (const auto& [from, to] : {std::pair(127, 100), {100, 127}, {200, 100}, {100, 1000}}) add(from, to);
  for (const auto& [from, to] : {std::pair(80, 40), {40, 80}, {80, 0}, {0, 60}}) add(from, to, lines);
  add(1234567, 0, {{"reduce/harris2", "", 0, "", 80}});
  std::string text;
  for (const std::string& sentence : sentences_of(step)) text += sentence + '\n';
  expect_golden("why/sentences.txt", text);
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
  expect_golden("why/step.txt", text + "\nThe same as JSON:\n" + in_few_lines(to_json(step)) + '\n');
}

}  // namespace
}  // namespace redbench
