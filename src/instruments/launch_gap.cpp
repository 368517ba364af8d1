// Whether the host's launches are part of a case's time.
#include "src/measure/launch_gap.hpp"
#include "src/instruments/instrument.hpp"
#include "src/records/field.hpp"

namespace redbench {
namespace {

const FieldRegistration registration("launch_gap",
                                     {{.name = "launch_gap_hidden",
                                       .kind = FieldKind::flag,
                                       .meaning = "whether the host's launches were kept out of the time",
                                       .null_where = "not a GPU",
                                       .of_passed = true}});

class LaunchGapField : public Instrument {
 public:
  explicit LaunchGapField(const Session& session) : device_(session.meter.device()) {}

  void stop(const Sampled& sampled, Record& record) override {
    if (device_.target() == Target::cuda)
      record["launch_gap_hidden"] = hides_launch_gap(device_, sampled.case_);
  }

 private:
  const Device& device_;
};

}  // namespace

std::unique_ptr<Instrument> make_launch_gap(const Session& session) {
  return std::make_unique<LaunchGapField>(session);
}

}  // namespace redbench
