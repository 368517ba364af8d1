#include "src/measure/sampling.hpp"

#include <algorithm>
#include <chrono>

#include "src/error.hpp"

namespace redbench {
namespace {

void take(Contender& contender, const MeasureOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  contender.samples.push_back(contender.sample());
  contender.spent_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  contender.stop = should_stop(contender.samples, contender.spent_s, options);
}

bool goes_on(const Contender& contender, const MeasureOptions& options) {
  if (contender.failed) return false;
  if (contender.until_all_stop)
    return int(contender.samples.size()) < options.max_samples && contender.spent_s < options.timeout_s;
  return contender.stop == Stop::no;
}

}  // namespace

void sample_in_turn(std::vector<Contender>& contenders, const MeasureOptions& options,
                    const std::function<void(Contender&, const std::string&)>& failed) {
  const auto round = [&](Contender& contender) {
    if (!goes_on(contender, options)) return;
    try {
      take(contender, options);
    } catch (const DeviceError& error) {
      contender.failed = true;
      failed(contender, error.what());
      return;
    }
    if (contender.stop != Stop::no && !contender.until_all_stop && contender.done) contender.done(contender);
  };
  const auto waited_for = [](const Contender& c) {
    return !c.until_all_stop && !c.failed && c.stop == Stop::no;
  };
  while (std::any_of(contenders.begin(), contenders.end(), waited_for)) {
    for (auto c = contenders.begin(); c != contenders.end(); ++c) round(*c);
    for (auto c = contenders.rbegin(); c != contenders.rend(); ++c) round(*c);
  }
}

}  // namespace redbench
