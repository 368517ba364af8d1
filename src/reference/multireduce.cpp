// multireduce: values[n] with labels[n] below m -> m values: the reduction of the values of each label.
#include "kernels/multireduce/problem.hpp"

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  check_labels(input, Type::u32);
  InputSizes sizes;
  sizes.m = label_count(input);
  sizes.values = std::size_t(input.n) * input.pair->value->bytes;
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(sizes.m) * input.pair->result->bytes;
  sizes.bytes_read = double(sizes.values + sizes.labels);
  sizes.bytes_written = double(sizes.result);
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n;
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.labels = make_labels(input, Type::u32);
  inputs.n = input.n;
  inputs.m = label_count(input);
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return by_label(*input.pair, exact_in_any_order(input, input.n),
                  {.label_type = Type::u32,
                   .labels = inputs.labels.data.get(),
                   .values = inputs.values.data.get(),
                   .stride = 1,
                   .n = inputs.n,
                   .m = inputs.m});
}

const ProblemRegistration registration(
    {.name = "multireduce",
     .what = "values[n] with labels[n] below m to m values: the reduction of those of each label",
     .axes = {values_axis(), labels_axis(), m_axis()},
     .pairs = pairs_of<Multireduce>(MultireducePairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
