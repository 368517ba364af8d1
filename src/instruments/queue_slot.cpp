// The launch-slot cost of a GPU: one slot of its queue adds to a launch. Recorded where samples were kept
// from it.
#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

const FieldRegistration registration(
    "queue_slot",
    {{.name = "queue_slot_ns",
      .meaning = "what the costly place in the GPU's queue adds to a launch, from which samples are kept",
      .null_where = "not a GPU, mode graph, or no place stood out at some sample of the cell: tables say so",
      .of_passed = true,
      .over_forks = OverForks::median}});

class QueueSlotField : public Instrument {
 public:
  using Instrument::Instrument;

  void read() override {
    const std::optional<double> ns = sampling_.meter.stopwatch()->queue_slot_ns();
    lost_ = lost_ || !ns;
    if (ns) ns_ = ns;
  }
  void stop(const SampledCase&, Record& record) override {
    if (ns_ && !lost_) record["queue_slot_ns"] = *ns_;
  }

 private:
  std::optional<double> ns_;
  bool lost_ = false;
};

}  // namespace

std::unique_ptr<Instrument> make_queue_slot(const Sampling& sampling) {
  if (sampling.mode == Mode::graph) return nullptr;
  return std::make_unique<QueueSlotField>(sampling);
}

}  // namespace redbench
