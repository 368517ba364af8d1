// segreduce: values[n], cut into m segments -> m values; an empty segment gives the identity.
#include "src/inputs/pairs.hpp"
#include "src/inputs/segments.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"

#include <algorithm>

namespace redbench {
namespace {

/// Operands::form: what tells the segments.
constexpr int owners_form = 0, offsets_form = 1;

int form_of(const InputSpec& input) {
  return input.axes.at("given").get<std::string>() == "owners" ? owners_form : offsets_form;
}

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  const std::size_t element = element_bytes(input.type, input.op);
  InputSizes sizes;
  sizes.form = form_of(input);
  sizes.m = segment_count(input.axes.at("segments"), input.n, input.seed);
  sizes.values = std::size_t(input.n) * element;
  if (sizes.form == owners_form) sizes.labels = std::size_t(input.n) * sizeof(u32);
  else sizes.offsets = std::size_t(sizes.m + 1) * sizeof(Index);
  sizes.result = std::size_t(sizes.m) * element;
  sizes.bytes_read = double(sizes.values + sizes.labels + sizes.offsets);
  sizes.bytes_written = double(sizes.result);
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

Inputs make(const InputSpec& input) {
  const std::vector<Index> offsets = segment_offsets(input.axes.at("segments"), input.n, input.seed);
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.n = input.n;
  inputs.m = Index(offsets.size()) - 1;
  inputs.form = form_of(input);
  if (inputs.form == owners_form) {
    inputs.labels = owners_of(offsets);
  } else {
    inputs.offsets = HostBuffer(offsets.size() * sizeof(Index));
    std::copy(offsets.begin(), offsets.end(), inputs.offsets.as<Index>());
  }
  return inputs;
}

Expected reference(const InputSpec& input, const Inputs& inputs) {
  const std::vector<Index> offsets = segment_offsets(input.axes.at("segments"), input.n, input.seed);
  const std::size_t element = element_bytes(input.type, input.op);
  std::vector<List> lists(offsets.size() - 1);
  for (std::size_t segment = 0; segment < lists.size(); ++segment)
    lists[segment] = {inputs.values.data.get() + std::size_t(offsets[segment]) * element,
                      offsets[segment + 1] - offsets[segment]};
  return fold(input, lists, exact_in_any_order(input, input.n));
}

const ProblemRegistration registration(
    {.name = "segreduce",
     .what = "values[n], cut into m segments, to m values, in input order",
     .axes = {values_axis(),
              segments_axis(),
              {"given",
               "what tells the segments: the owner of each value, or where each segment starts",
               {"owners", "offsets"},
               "owners"}},
     .pairs = pairs_of(AllPairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
