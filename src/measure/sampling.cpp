#include "src/measure/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "src/error.hpp"

namespace redbench {
namespace {

class Rounds {
 public:
  Rounds(std::vector<Series>& sampled, const MeasureOptions& options, std::uint64_t seed,
         const std::function<void(Series&, const std::string&)>& failed)
      : options_(options), failed_(failed), random_(seed) {
    for (Series& sampled_case : sampled) order_.push_back(&sampled_case);
  }

  void run() {
    while (std::ranges::any_of(order_, [](const Series* c) { return needs_rounds(*c); }))
      round([this](Series& sampled_case) {
        if (sampled_case.spent_s < options_.timeout_s) take(sampled_case);
      });
    round([this](Series& sampled_case) {
      sampled_case.last = true;
      if (take(sampled_case) && sampled_case.done) sampled_case.done(sampled_case);
    });
  }

 private:
  static bool needs_rounds(const Series& sampled_case) {
    return !sampled_case.optional && !sampled_case.failed && sampled_case.stop == Stop::no;
  }

  template <class Step>
  void round(const Step& step) {
    std::shuffle(order_.begin(), order_.end(), random_);
    for (Series* sampled_case : order_)
      if (!sampled_case->failed) step(*sampled_case);
  }

  /// Takes a sample; false where it threw.
  bool take(Series& sampled_case) {
    const auto start = std::chrono::steady_clock::now();
    try {
      sampled_case.samples.push_back(sampled_case.sample());
    } catch (const DeviceError& error) {
      sampled_case.failed = true;
      failed_(sampled_case, error.what());
      return false;
    }
    sampled_case.spent_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (sampled_case.stop == Stop::no)
      sampled_case.stop = should_stop(sampled_case.samples, sampled_case.spent_s, options_);
    return true;
  }

  const MeasureOptions& options_;
  const std::function<void(Series&, const std::string&)>& failed_;
  std::mt19937_64 random_;
  std::vector<Series*> order_;
};

}  // namespace

void sample_in_turn(std::vector<Series>& sampled, const MeasureOptions& options, std::uint64_t seed,
                    const std::function<void(Series&, const std::string&)>& failed) {
  Rounds(sampled, options, seed, failed).run();
}

}  // namespace redbench
