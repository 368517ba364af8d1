// A cell whose instruments are under test: a device, a stopwatch and a case that are made up.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "src/error.hpp"
#include "src/instruments/instrument.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"

namespace redbench {

/// Its memory is never fresh, and there is none where it is full.
class UsedDevice : public FakeDevice {
 public:
  Target target() const override { return target_; }
  void* allocate(std::size_t bytes) override {
    if (full_) throw DeviceError("out of memory");
    void* const memory = FakeDevice::allocate(bytes);
    std::memset(memory, 0xAB, bytes);
    ++held_;
    return memory;
  }
  void release(void* memory) override {
    EXPECT_NE(memory, nullptr);
    --held_;
    FakeDevice::release(memory);
  }
  void finish() override { log_ += 'f'; }

  Target target_ = Target::host;
  bool full_ = false;
  int held_ = 0;
  std::string log_;
};

class Instrumented : public testing::Test {
 protected:
  Instrumented() {
    case_.input.n = 1000;
    meter_.use(std::make_unique<FakeStopwatch>(time_, 1250));
  }
  Sampling sampling(std::vector<Span> inputs = {}, std::size_t result_bytes = 4, Mode mode = Mode::cold) {
    return {meter_, mode, options_, std::move(inputs), result_bytes, 0, labels_, different_};
  }
  Span span(std::size_t bytes) { return {memory_.data(), bytes}; }
  /// Of the case, whose runs are noted: x before it, r as it runs, i after it.
  SampledCase sampled() {
    return {case_,
            [this] {
              if (++runs_ < 1000) device_.log_ += 'r';
            },
            [this] { device_.log_ += 'x'; }, [this] { device_.log_ += 'i'; }};
  }
  /// What an instrument that needs no samples adds to a record.
  Record added_by(std::unique_ptr<Instrument> (*make)(const Sampling&), Record record = Json::object()) {
    const Sampling sampling = this->sampling();
    const std::unique_ptr<Instrument> instrument = make(sampling);
    std::vector<Series> none;
    instrument->start(none);
    instrument->stop(sampled(), record);
    return record;
  }
  /// The names of the series; with a star those that ask for no rounds.
  static std::string text(const std::vector<Series>& all_series) {
    std::string all;
    for (const Series& series : all_series)
      all += fmt::format("{}{}{}", all.empty() ? "" : ", ", series.name, series.asks_for_rounds ? "" : "*");
    return all;
  }

  FakeTime time_;
  std::vector<Move> moves_;
  std::vector<Scatter> scatters_;
  UsedDevice device_;
  Meter meter_{device_};
  MeasureOptions options_ = few_samples();
  Variant variant_;
  Case case_{.variant = &variant_, .device = "full"};
  int runs_ = 0;
  Index labels_ = 0, different_ = 0;
  std::vector<char> memory_ = std::vector<char>(1 << 12);
};

constexpr std::size_t mb = 1'000'000;

}  // namespace redbench
