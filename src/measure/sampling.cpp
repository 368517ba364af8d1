#include "src/measure/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "src/error.hpp"

namespace redbench {
namespace {

class Rounds {
 public:
  Rounds(std::vector<Contender>& contenders, const MeasureOptions& options, std::uint64_t seed,
         const std::function<void(Contender&, const std::string&)>& failed)
      : options_(options), failed_(failed), random_(seed) {
    for (Contender& contender : contenders) order_.push_back(&contender);
  }

  void run() {
    while (std::ranges::any_of(order_, [](const Contender* c) { return needs_rounds(*c); }))
      round([this](Contender& contender) {
        if (contender.spent_s < options_.timeout_s) take(contender);
      });
    round([this](Contender& contender) {
      contender.last = true;
      if (take(contender) && contender.done) contender.done(contender);
    });
  }

 private:
  static bool needs_rounds(const Contender& contender) {
    return !contender.until_all_stop && !contender.failed && contender.stop == Stop::no;
  }

  template <class Step>
  void round(const Step& step) {
    std::shuffle(order_.begin(), order_.end(), random_);
    for (Contender* contender : order_)
      if (!contender->failed) step(*contender);
  }

  /// Takes a sample; false where it threw.
  bool take(Contender& contender) {
    const auto start = std::chrono::steady_clock::now();
    try {
      contender.samples.push_back(contender.sample());
    } catch (const DeviceError& error) {
      contender.failed = true;
      failed_(contender, error.what());
      return false;
    }
    contender.spent_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (contender.stop == Stop::no)
      contender.stop = should_stop(contender.samples, contender.spent_s, options_);
    return true;
  }

  const MeasureOptions& options_;
  const std::function<void(Contender&, const std::string&)>& failed_;
  std::mt19937_64 random_;
  std::vector<Contender*> order_;
};

}  // namespace

void sample_in_turn(std::vector<Contender>& contenders, const MeasureOptions& options, std::uint64_t seed,
                    const std::function<void(Contender&, const std::string&)>& failed) {
  Rounds(contenders, options, seed, failed).run();
}

}  // namespace redbench
