#include "src/measure/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <random>

#include "src/error.hpp"

namespace redbench {
namespace {

class Rounds {
 public:
  Rounds(std::vector<Series>& all, const MeasureOptions& options, std::uint64_t seed,
         const std::function<void(Series&, const std::string&)>& failed)
      : options_(options), failed_(failed), random_(seed) {
    for (Series& series : all) order_.push_back(&series);
  }

  void run() {
    while (std::ranges::any_of(order_, [](const Series* series) { return needs_rounds(*series); }))
      round([this](Series& series) {
        if (series.spent_s < options_.timeout_s) take(series);
      });
    round([this](Series& series) {
      if (take(series) && series.done) series.done(series);
    });
  }

 private:
  static bool needs_rounds(const Series& series) {
    return series.asks_for_rounds && !series.failed && series.stop == Stop::no;
  }

  template <class Step>
  void round(const Step& step) {
    std::shuffle(order_.begin(), order_.end(), random_);
    for (Series* series : order_)
      if (!series->failed) step(*series);
  }

  /// Takes a sample; false where it threw.
  bool take(Series& series) {
    const auto start = std::chrono::steady_clock::now();
    try {
      series.samples.push_back(series.sample());
    } catch (const DeviceError& error) {
      series.failed = true;
      failed_(series, error.what());
      return false;
    }
    series.spent_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (series.stop == Stop::no) series.stop = should_stop(series.samples, series.spent_s, options_);
    return true;
  }

  const MeasureOptions& options_;
  const std::function<void(Series&, const std::string&)>& failed_;
  std::mt19937_64 random_;
  std::vector<Series*> order_;
};

}  // namespace

void sample_in_turn(std::vector<Series>& all, const MeasureOptions& options, std::uint64_t seed,
                    const std::function<void(Series&, const std::string&)>& failed) {
  Rounds(all, options, seed, failed).run();
}

}  // namespace redbench
