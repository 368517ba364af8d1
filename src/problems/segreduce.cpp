// The problems whose inputs are cut into segments. segreduce: values[n], cut into m segments -> m values; an
// empty segment gives the identity. segscan: the same -> n values, what comes before each in its segment.
#include <algorithm>

#include "kernels/segreduce/one_length.hpp"
#include "kernels/segscan/problem.hpp"
#include "src/inputs/segments.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/pairs.hpp"
#include "src/reference/segment_scan.hpp"

namespace redbench {
namespace {

bool gives_offsets(const InputSpec& input) { return input.axes.at("given").get<std::string>() == "offsets"; }

SegmentFacts facts_of(const InputSpec& input) {
  return segment_facts(input.axes.at("segments"), input.n, input.seed);
}

/// Operands::form. Where the longest segment has no more than the mean, none is shorter.
int form_of(const InputSpec& input, bool by_offsets) {
  if (!by_offsets) return 0;
  const SegmentFacts segments = facts_of(input);
  const bool one_length =
      input.n > 0 && input.n % segments.count == 0 && segments.longest == input.n / segments.count;
  return one_length ? one_length_form : 1;
}

InputSizes sizes_of(const InputSpec& input, bool by_offsets, bool scans) {
  check_values(input, input.n);
  const SegmentFacts segments = facts_of(input);
  InputSizes sizes;
  sizes.form = form_of(input, by_offsets);
  sizes.m = segments.count;
  sizes.values = std::size_t(input.n) * input.pair->value->bytes;
  if (by_offsets) sizes.offsets = std::size_t(sizes.m + 1) * sizeof(Index);
  else sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(scans ? input.n : sizes.m) * input.pair->result->bytes;
  sizes.bytes_read = double(sizes.values + sizes.labels + sizes.offsets);
  sizes.bytes_written = double(sizes.result);
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : segments.longest;
  return sizes;
}

HostBuffer owners_of(const std::vector<Index>& offsets) {
  const Index m = Index(offsets.size()) - 1;
  HostBuffer owners(std::size_t(offsets.back()) * sizeof(u32));
#pragma omp parallel for schedule(static)
  for (Index segment = 0; segment < m; ++segment)
    std::fill(owners.as<u32>() + offsets[std::size_t(segment)],
              owners.as<u32>() + offsets[std::size_t(segment) + 1], u32(segment));
  return owners;
}

Inputs make_form(const InputSpec& input, bool by_offsets) {
  Inputs inputs;
  inputs.segments = segment_offsets(input.axes.at("segments"), input.n, input.seed);
  const std::vector<Index>& offsets = inputs.segments;
  inputs.values = make_values(input, input.n);
  inputs.n = input.n;
  inputs.m = Index(offsets.size()) - 1;
  inputs.form = form_of(input, by_offsets);
  if (by_offsets) {
    inputs.offsets = HostBuffer(offsets.size() * sizeof(Index));
    std::copy(offsets.begin(), offsets.end(), inputs.offsets.as<Index>());
  } else {
    inputs.labels = owners_of(offsets);
  }
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  const std::byte* const values = inputs.values.data.get();
  const std::size_t element = input.pair->value->bytes;
  const Index* const offsets = inputs.segments.data();
  const auto list = [=](Index segment) {
    const Index first = offsets[segment], end = offsets[segment + 1];
    return List{values + std::size_t(first) * element, end - first};
  };
  return fold(*input.pair, exact_in_any_order(input, input.n), inputs.m, list);
}

std::unique_ptr<Reference> scan_reference(const InputSpec& input, const Inputs& inputs) {
  return scan_of_segments(*input.pair, exact_in_any_order(input, input.n), inputs);
}

const ProblemRegistration segreduce(
    {.name = "segreduce",
     .what = "values[n], cut into m segments, to m values, in input order",
     .axes = {values_axis(),
              segments_axis(),
              {"given",
               "what tells the segments: the owner of each value, or where each segment starts",
               {"owners", "offsets"},
               "owners"}},
     .pairs = pairs_of<SegReduce>(SegReducePairs{}),
     .sizes = [](const InputSpec& input) { return sizes_of(input, gives_offsets(input), false); },
     .make = [](const InputSpec& input) { return make_form(input, gives_offsets(input)); },
     .reference = reference});

const ProblemRegistration segscan(
    {.name = "segscan",
     .what = "values[n], cut into segments, to n values: the reduction of the earlier ones of each segment",
     .axes = {values_axis(), segments_axis()},
     .pairs = pairs_of<SegScan>(SegScanPairs{}),
     .sizes = [](const InputSpec& input) { return sizes_of(input, false, true); },
     .make = [](const InputSpec& input) { return make_form(input, false); },
     .reference = scan_reference});

}  // namespace
}  // namespace redbench
