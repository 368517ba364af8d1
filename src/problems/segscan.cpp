// segscan: values[n], cut into segments -> n values: what comes before each, of its segment.
#include "kernels/segscan/problem.hpp"

#include "src/inputs/segments.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/owners.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  const SegmentFacts segments = segment_facts(input.axes.at("segments"), input.n, input.seed);
  InputSizes sizes;
  sizes.m = segments.count;
  sizes.values = std::size_t(input.n) * input.pair->value->bytes;
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(input.n) * input.pair->result->bytes;
  sizes.bytes_read = double(sizes.values + sizes.labels);
  sizes.bytes_written = double(sizes.result);
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : segments.longest;
  return sizes;
}

Inputs make(const InputSpec& input) {
  const std::vector<Index> offsets = segment_offsets(input.axes.at("segments"), input.n, input.seed);
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.labels = owners_of(offsets);
  inputs.n = input.n;
  inputs.m = Index(offsets.size()) - 1;
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return scan_by_label(*input.pair, exact_in_any_order(input, input.n),
                       {.label_type = Type::u32,
                        .labels = inputs.labels.data.get(),
                        .values = inputs.values.data.get(),
                        .stride = 1,
                        .n = inputs.n,
                        .m = inputs.m},
                       false);
}

const ProblemRegistration registration(
    {.name = "segscan",
     .what = "values[n], cut into segments, to n values: the reduction of the earlier ones of each segment",
     .axes = {values_axis(), segments_axis()},
     .pairs = pairs_of<SegScan>(SegScanPairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
