// Samples in turn: who is sampled when, and that one who fails or ends early leaves the others alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "src/error.hpp"
#include "src/measure/sampling.hpp"
#include "tests/scripted_clock.hpp"

namespace redbench {
namespace {

/// Series that write their name to a log and always take the same time.
struct Log {
  std::string text;
  std::vector<std::string> failures;

  Series series(char name, double ns = 100) {
    Series made;
    made.sample = [this, name, ns] {
      text += name;
      return ns;
    };
    return made;
  }
  void sample(std::vector<Series>& all, const MeasureOptions& options) {
    sample_in_turn(all, options, 1, [&](Series&, const std::string& what) { failures.push_back(what); });
  }
};

MeasureOptions few(int samples) {
  MeasureOptions options;
  options.min_samples = options.max_samples = samples;
  return options;
}

/// The log's rounds of `count` samples each, every round in order of names.
std::vector<std::string> sorted_rounds(const std::string& text, std::size_t count) {
  std::vector<std::string> rounds;
  for (std::size_t at = 0; at < text.size(); at += count) {
    rounds.push_back(text.substr(at, count));
    std::sort(rounds.back().begin(), rounds.back().end());
  }
  return rounds;
}

TEST(Sampling, EachRoundHasAllOnceInAnOrderOfItsOwn) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('b'), log.series('c')};
  log.sample(series, few(60));
  EXPECT_EQ(sorted_rounds(log.text, 3), std::vector<std::string>(61, "abc"))
      << "and one round for the last samples";
  std::map<std::string, int> orders;
  for (std::size_t at = 0; at < log.text.size(); at += 3) ++orders[log.text.substr(at, 3)];
  EXPECT_EQ(orders.size(), 6u) << "of three all six orders occur in 61 rounds";
  for (const auto& [order, count] : orders) EXPECT_LT(count, 25) << order;
}

TEST(Sampling, TheSeedDecidesTheOrder) {
  const auto log_of = [](std::uint64_t seed) {
    Log log;
    std::vector<Series> series{log.series('a'), log.series('b'), log.series('c')};
    sample_in_turn(series, few(20), seed, [](Series&, const std::string&) {});
    return log.text;
  };
  EXPECT_EQ(log_of(7), log_of(7));
  EXPECT_NE(log_of(7), log_of(8));
}

TEST(Sampling, OneThatIsPreciseIsSampledWithTheOthers) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('b')};
  int flip = 0;
  series[1].sample = [&] {
    log.text += 'b';
    return ++flip % 2 ? 100.0 : 200.0;
  };
  MeasureOptions options;
  options.min_samples = 20;
  options.max_samples = 30;
  log.sample(series, options);
  EXPECT_EQ(series[0].stop, Stop::precise);
  EXPECT_EQ(series[1].stop, Stop::max_samples);
  EXPECT_EQ(series[0].samples.size(), 31u) << "each round has a sample of both";
  EXPECT_EQ(series[1].samples.size(), 31u);
}

// Half a second is the time of one sample, to the ns: it has had it, and another would be beyond it.
TEST(Sampling, OneWhoseTimeIsJustUpIsSampledOnceMoreAtTheLast) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('b')};
  ScriptedClock clock;
  clock.steps.assign(16, 0);  // before and after each sample
  series[0].sample = [&] {
    clock.now += 500'000'000;
    return 100.0;
  };
  MeasureOptions options = few(5);
  options.timeout_s = 0.5;
  scripted_clock = &clock;
  log.sample(series, options);
  scripted_clock = nullptr;
  EXPECT_EQ(series[0].stop, Stop::timeout);
  EXPECT_EQ(series[0].samples, std::vector<double>(2, 100));
  EXPECT_EQ(series[0].spent_s, 1);
  EXPECT_EQ(series[1].stop, Stop::max_samples);
  EXPECT_EQ(series[1].samples, std::vector<double>(6, 100));
  EXPECT_EQ(series[1].spent_s, 0);
  EXPECT_EQ(clock.asked, 16u);
}

TEST(Sampling, NobodyWaitsForTheCeilingWhichIsSampledAsLongAsAny) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('r')};
  int flip = 0;
  series[1].sample = [&] { return ++flip % 2 ? 100.0 : 200.0; };  // never precise
  series[1].asks_for_rounds = false;
  MeasureOptions options;
  options.min_samples = 20;
  options.max_samples = 1000;
  log.sample(series, options);
  EXPECT_EQ(series[0].samples.size(), 21u);
  EXPECT_EQ(series[1].samples.size(), 21u);
}

TEST(Sampling, EachIsDoneOnceRightAfterItsLastSample) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('b')};
  const std::string names = "ab", done = "AB";
  for (std::size_t i = 0; i < 2; ++i) {
    series[i].sample = [&, i] { return log.text += series[i].samples.size() == 2 ? '!' : names[i], 100.0; };
    series[i].done = [&, i](Series&) { log.text += done[i]; };
  }
  log.sample(series, few(2));
  const std::string last = log.text.substr(4);
  EXPECT_TRUE(last == "!A!B" || last == "!B!A") << log.text;
}

// Whose last sample threw has no result to be done with.
TEST(Sampling, OneThatThrowsAtTheLastIsNotDone) {
  Log log;
  std::vector<Series> series{log.series('a'), log.series('b')};
  Series& throws = series[0];
  throws.sample = [&] {
    if (throws.samples.size() == 3) throw DeviceError("the last launch failed");
    return 100.0;
  };
  std::string done;
  series[0].done = [&](Series&) { done += 'A'; };
  series[1].done = [&](Series&) { done += 'B'; };
  log.sample(series, few(3));
  EXPECT_EQ(done, "B");
  EXPECT_EQ(log.failures, std::vector<std::string>{"the last launch failed"});
  EXPECT_TRUE(series[0].failed);
  EXPECT_FALSE(series[1].failed);
  EXPECT_EQ(series[0].samples, std::vector<double>(3, 100));
  EXPECT_EQ(series[1].samples, std::vector<double>(4, 100));
}

}  // namespace
}  // namespace redbench
