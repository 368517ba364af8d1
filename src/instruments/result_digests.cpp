// Whether a case's result is the same bit by bit from run to run. It is not where the order in which blocks
// finish decides the order of a floating-point sum.
#include <fmt/format.h>

#include <cstdint>

#include "src/inputs/problem.hpp"
#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

const FieldRegistration registration(
    "result_digests",
    {{.name = "result_digests",
      .kind = FieldKind::list,
      .meaning =
          "a hash (FNV-1a, 64 bits) of all bytes of the result of each of `measure.digests` more runs on "
          "the same inputs, in a list for each fork: they differ where the result does",
      .null_where = "`measure.digests` is 0, mode graph, or a device without time",
      .of_passed = true,
      .over_forks = OverForks::list}});

std::string digest(const HostBuffer& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes.bytes; ++i)
    hash = (hash ^ std::to_integer<std::uint64_t>(bytes.data[i])) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

class ResultDigests : public Instrument {
 public:
  using Instrument::Instrument;

  void stop(const SampledCase& sampled, Record& record) override {
    Device& device = sampling_.meter.device();
    HostBuffer result(sampling_.result_bytes);
    Json digests = Json::array();
    for (int run = 0; run < sampling_.options.digests; ++run) {
      sampled.running();
      sampled.enqueue();
      device.finish();
      sampled.idle();
      device.download(result.data.get(), sampling_.result, result.bytes);
      digests.push_back(digest(result));
    }
    record["result_digests"] = Json::array({digests});
  }
  /// Others of the cell may still be sampled, into the same result.
  bool disturbs() const override { return true; }
};

}  // namespace

std::unique_ptr<Instrument> make_result_digests(const Sampling& sampling) {
  if (sampling.options.digests == 0 || sampling.mode == Mode::graph) return nullptr;
  return std::make_unique<ResultDigests>(sampling);
}

}  // namespace redbench
