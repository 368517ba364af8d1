#include "src/instruments/instrument.hpp"

#include "src/error.hpp"

namespace redbench {

SpareMemory::~SpareMemory() {
  if (start_) device_.release(start_);
}

bool SpareMemory::allocate(std::size_t bytes) {
  try {
    if (device_.free_bytes() <= bytes + bytes / 8) return false;
    start_ = device_.allocate(bytes);
    device_.fill(start_, 0, bytes);  // so that no timed work on one core touches it first
  } catch (const DeviceError&) {
  }
  return start_ != nullptr;
}

Instruments::Instruments(const Sampling& sampling) {
  for (const auto make : {make_ceilings, make_clocks, make_launch_gap, make_launch_times, make_again,
                          make_queue_slot, make_scattered, make_sm_clock, make_result_digests, make_energy}) {
    // A ceiling is a sample of one move, with the events around it: no bound for a graph of many runs.
    if ((make == make_ceilings || make == make_scattered) && sampling.mode == Mode::graph) continue;
    if (std::unique_ptr<Instrument> instrument = make(sampling))
      (instrument->disturbs() ? disturbing : undisturbing).push_back(std::move(instrument));
  }
}

void Instruments::start(std::vector<Series>& series) const {
  for (const auto* list : {&undisturbing, &disturbing})
    for (const auto& instrument : *list) instrument->start(series);
}

// None of those that disturb looks at single samples.
bool Instruments::repeat(const Case& case_) const {
  bool any = false;
  for (const auto& instrument : undisturbing) any = instrument->repeats(case_) || any;
  return any;
}

void Instruments::read() const {
  for (const auto& instrument : undisturbing) instrument->read();
}

}  // namespace redbench
