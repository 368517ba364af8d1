// Samples in turn: who is sampled when, and that one who fails or ends early leaves the others alone.
#include <gtest/gtest.h>

#include "src/error.hpp"
#include "src/measure/sampling.hpp"

namespace redbench {
namespace {

/// Contenders that write their name to a log and always take the same time.
struct Log {
  std::string text;
  std::vector<std::string> failures;

  Contender contender(char name, double ns = 100) {
    Contender made;
    made.sample = [this, name, ns] {
      text += name;
      return ns;
    };
    return made;
  }
  void sample(std::vector<Contender>& contenders, const MeasureOptions& options) {
    sample_in_turn(contenders, options,
                   [&](Contender&, const std::string& what) { failures.push_back(what); });
  }
};

MeasureOptions few(int samples) {
  MeasureOptions options;
  options.min_samples = options.max_samples = samples;
  return options;
}

TEST(Sampling, ContendersTakeTurnsForthAndBack) {
  Log log;
  std::vector<Contender> contenders{log.contender('a'), log.contender('b'), log.contender('c')};
  log.sample(contenders, few(4));
  EXPECT_EQ(log.text, "abccbaabccba");
}

TEST(Sampling, OneThatIsPreciseStopsAndTheOthersGoOn) {
  Log log;
  std::vector<Contender> contenders{log.contender('a'), log.contender('b')};
  int flip = 0;
  contenders[1].sample = [&] {
    log.text += 'b';
    return ++flip % 2 ? 100.0 : 200.0;
  };
  MeasureOptions options;
  options.min_samples = 6;
  options.max_samples = 9;
  log.sample(contenders, options);
  EXPECT_EQ(contenders[0].samples.size(), 6u);
  EXPECT_EQ(contenders[0].stop, Stop::precise);
  EXPECT_EQ(contenders[1].samples.size(), 9u);
  EXPECT_EQ(contenders[1].stop, Stop::max_samples);
}

TEST(Sampling, TheCeilingIsSampledAsLongAsAnyVariant) {
  Log log;
  std::vector<Contender> contenders{log.contender('a'), log.contender('r')};
  int flip = 0;
  contenders[0].sample = [&] { return ++flip % 2 ? 100.0 : 200.0; };
  contenders[1].until_all_stop = true;
  MeasureOptions options;
  options.max_samples = 20;
  log.sample(contenders, options);
  EXPECT_EQ(contenders[0].samples.size(), 20u);
  EXPECT_EQ(contenders[1].samples.size(), 20u);
}

TEST(Sampling, EachIsReportedOnceWhenItEnds) {
  Log log;
  std::vector<Contender> contenders{log.contender('a'), log.contender('b')};
  int reports = 0;
  for (Contender& contender : contenders) contender.done = [&](Contender&) { ++reports; };
  log.sample(contenders, few(6));
  EXPECT_EQ(reports, 2);
}

TEST(Sampling, OneThatThrowsIsOutAndNamed) {
  Log log;
  std::vector<Contender> contenders{log.contender('a'), log.contender('b')};
  contenders[0].sample = []() -> double { throw DeviceError("a launch failed"); };
  log.sample(contenders, few(6));
  EXPECT_EQ(log.failures, std::vector<std::string>{"a launch failed"});
  EXPECT_EQ(contenders[1].samples.size(), 6u);
}

}  // namespace
}  // namespace redbench
