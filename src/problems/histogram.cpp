// histogram: labels[n] below m -> m counts.
#include "kernels/histogram/problem.hpp"

#include "src/inputs/labels.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  check_labels(input, input.type);
  InputSizes sizes;
  sizes.m = label_count(input);
  sizes.labels = std::size_t(input.n) * input.pair->value->bytes;
  sizes.result = std::size_t(sizes.m) * input.pair->result->bytes;
  sizes.reference = bytes_of_parts(input, true);
  sizes.bytes_read = double(sizes.labels);
  sizes.bytes_written = double(sizes.result);
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.labels = make_labels(input, input.type);
  inputs.n = input.made();
  inputs.m = label_count(input);
  return inputs;
}

/// A one of either type, as this machine has its lowest byte first.
constexpr u32 one = 1;

Labelled labelled_ones(Type type, const Inputs& inputs) {
  return {.label_type = type,
          .labels = inputs.labels.data.get(),
          .values = &one,
          .stride = 0,
          .n = inputs.n,
          .m = inputs.m};
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return by_label(*input.pair, true, labelled_ones(input.type, inputs));
}

std::unique_ptr<GrowingReference> reference_in_parts(const InputSpec& input) {
  return by_label_in_parts(*input.pair, true, label_count(input),
                           [type = input.type](const Inputs& part) { return labelled_ones(type, part); });
}

const ProblemRegistration registration({.name = "histogram",
                                        .what = "labels[n] below m to m counts; the type is that of a label",
                                        .axes = {labels_axis(), m_axis(), gpus_axis()},
                                        .pairs = pairs_of<Histogram>(HistogramPairs{}),
                                        .sizes = sizes,
                                        .make = make,
                                        .reference = reference,
                                        .in_parts = reference_in_parts});

}  // namespace
}  // namespace redbench
