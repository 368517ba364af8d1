// multireduce: values[n] with labels[n] below m -> m values: the reduction of the values of each label.
#include "kernels/multireduce/problem.hpp"

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  InputSizes sizes = sizes_of_pairs(input, label_count(input));
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n;
  return sizes;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return by_label(*input.pair, exact_in_any_order(input, input.n), labelled(inputs));
}

const ProblemRegistration registration(
    {.name = "multireduce",
     .what = "values[n] with labels[n] below m to m values: the reduction of those of each label",
     .axes = {values_axis(), labels_axis(), m_axis()},
     .pairs = pairs_of<Multireduce>(MultireducePairs{}),
     .sizes = sizes,
     .make = make_pairs,
     .reference = reference});

}  // namespace
}  // namespace redbench
