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

Ceilings::Ceilings(Device& device, Mode mode, const void* from, std::size_t bytes)
    : device_(device), mode_(mode), bytes_(bytes / 16 * 16) {
  // Below a page there is nothing to fill a device with.
  if (bytes_ < 4096 || !device.stopwatch()) return;
  try {
    if (device.free_bytes() > bytes_ + bytes_ / 8) to_ = device.allocate(bytes_);
  } catch (const DeviceError&) {
    to_ = nullptr;
  }
  for (const Traffic traffic : {Traffic::read, Traffic::copy, Traffic::write})
    if (traffic == Traffic::read || to_) ways_[std::size_t(traffic)] = fastest(traffic, {from, to_, bytes_});
}

Ceilings::~Ceilings() {
  if (to_) device_.release(to_);
}

Ceilings::Way Ceilings::fastest(Traffic traffic, const Move& move) {
  constexpr int trials = 5;
  Way best;
  for (const Mover& mover : movers(device_, traffic, move)) {
    mover.enqueue();  // loads the kernel, touches new memory
    std::vector<double> samples;
    for (int trial = 0; trial < trials; ++trial)
      samples.push_back(device_.stopwatch()->sample(mode_, false, mover.enqueue));
    const double ns = median_of(samples).value;  // a lucky sample is no ceiling
    if (!best.mover.enqueue || ns < best.best_ns) best = {mover, ns, 0};
  }
  return best;
}

void Ceilings::join(std::vector<Contender>& contenders) {
  for (const Traffic traffic : {Traffic::read, Traffic::copy, Traffic::write}) {
    Way& way = ways_[std::size_t(traffic)];
    if (!way.mover.enqueue) continue;
    way.contender = contenders.size();
    Contender contender;
    contender.sample = [this, &way] { return device_.stopwatch()->sample(mode_, false, way.mover.enqueue); };
    contender.until_all_stop = traffic == Traffic::read;
    contenders.push_back(std::move(contender));
  }
}

Ceilings::Rate Ceilings::rate(Traffic traffic, const std::vector<Contender>& contenders) const {
  const Way& way = ways_[std::size_t(traffic)];
  if (!way.mover.enqueue || contenders[way.contender].samples.empty()) return {};
  const double bytes = double(bytes_) * (traffic == Traffic::copy ? 2 : 1);
  return {bytes / median_of(contenders[way.contender].samples).value, way.mover.how};
}

double floor_ns(double bytes_read, double bytes_written, const Ceilings::Rate& read,
                const Ceilings::Rate& write) {
  if (read.gb_per_s == 0 || (write.gb_per_s == 0 && bytes_written > bytes_read / 100)) return 0;
  return bytes_read / read.gb_per_s + (write.gb_per_s > 0 ? bytes_written / write.gb_per_s : 0);
}

}  // namespace redbench
