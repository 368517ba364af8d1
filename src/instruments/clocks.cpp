// The state of a GPU while a cell is sampled: clocks, throttling, temperature, power.
#include <algorithm>
#include <chrono>

#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

const FieldRegistration registration(
    "clocks", {{.name = "clocks",
                .kind = FieldKind::object,
                .meaning = "SM and memory clock, throttle reasons, temperature and power while the cell was "
                           "sampled, or why they are `missing`",
                .null_where = "a device without time (`simt`)",
                .of_passed = true}});

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
// nvmlClocksEventReasons; idle (bit 0) and clocks that the user set (bit 1) are no throttling of the chip.
constexpr ThrottleReason throttle_reasons[] = {
    {0x2, "application clock setting"},  {0x4, "software power cap"},
    {0x8, "hardware slowdown"},          {0x10, "sync boost"},
    {0x20, "software thermal slowdown"}, {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},      {0x100, "display clock setting"}};

/// {"sm_mhz": median, "sm_mhz_low", "sm_mhz_high", "sm_mhz_most" (the card's highest), "memory_mhz",
///  "throttled_by": [names], "temperature_c", "power_w", "readings"}, or {"missing": reason}.
class Clocks : public Instrument {
 public:
  explicit Clocks(const Sampling& sampling) : Instrument(sampling), nvml_(sampling.meter.nvml()) {}

  void start(std::vector<Series>&) override {
    if (nvml_.missing().empty()) take();
  }

  /// At most one in 50 ms.
  void read() override {
    constexpr std::chrono::milliseconds between(50);
    if (nvml_.missing().empty() && std::chrono::steady_clock::now() - last_ >= between) take();
  }

  void stop(const SampledCase&, Record& record) override {
    record["clocks"] = nvml_.missing().empty() ? summary() : Json{{"missing", nvml_.missing()}};
  }

 private:
  void take() {
    readings_.push_back(nvml_.read());
    last_ = std::chrono::steady_clock::now();
  }

  unsigned median(unsigned Nvml::Reading::*field) const {
    std::vector<unsigned> values;
    for (const Nvml::Reading& reading : readings_) values.push_back(reading.*field);
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  Json summary() const {
    unsigned low = readings_[0].sm_mhz, high = low;
    unsigned long long throttled = 0;
    for (const Nvml::Reading& reading : readings_) {
      low = std::min(low, reading.sm_mhz);
      high = std::max(high, reading.sm_mhz);
      throttled |= reading.throttled;
    }
    Json reasons = Json::array();
    for (const ThrottleReason& reason : throttle_reasons)
      if (throttled & reason.bit) reasons.push_back(reason.name);
    return {{"sm_mhz", median(&Nvml::Reading::sm_mhz)},
            {"sm_mhz_low", low},
            {"sm_mhz_high", high},
            {"sm_mhz_most", nvml_.most_sm_mhz()},
            {"memory_mhz", median(&Nvml::Reading::memory_mhz)},
            {"throttled_by", reasons},
            {"temperature_c", median(&Nvml::Reading::temperature_c)},
            {"power_w", median(&Nvml::Reading::power_mw) / 1000.0},
            {"readings", readings_.size()}};
  }

  Nvml& nvml_;
  std::vector<Nvml::Reading> readings_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace

std::unique_ptr<Instrument> make_clocks(const Sampling& sampling) {
  return std::make_unique<Clocks>(sampling);
}

}  // namespace redbench
