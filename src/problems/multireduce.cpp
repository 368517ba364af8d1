// multireduce: values[n] with labels[n] below m -> m values: the reduction of the values of each label.
// multiscan: the same -> n values: what comes before each, of its label.
#include "kernels/multireduce/problem.hpp"
#include "kernels/multiscan/problem.hpp"
#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  InputSizes sizes = sizes_of_pairs(input, label_count(input));
  sizes.reference = bytes_of_parts(input, exact_in_any_order(input, input.n));
  return sizes;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return by_label(*input.pair, exact_in_any_order(input, input.n), labelled(inputs));
}

const ProblemRegistration multireduce(
    {.name = "multireduce",
     .what = "values[n] with labels[n] below m to m values: the reduction of those of each label",
     .axes = {values_axis(), labels_axis(), m_axis(), gpus_axis()},
     .pairs = pairs_of<Multireduce>(MultireducePairs{}),
     .sizes = sizes,
     .make = make_pairs,
     .reference = reference,
     .in_parts = [](const InputSpec& input) {
       return by_label_in_parts(*input.pair, exact_in_any_order(input, input.n), label_count(input),
                                labelled);
     }});

/// Operands::form: 0 exclusive, 1 inclusive.
bool is_inclusive(const InputSpec& input) { return input.axes.at("scan") == "inclusive"; }

InputSizes scan_sizes(const InputSpec& input) {
  InputSizes sizes = sizes_of_pairs(input, input.n);
  sizes.form = is_inclusive(input);
  return sizes;
}

Inputs make_scan(const InputSpec& input) {
  Inputs inputs = make_pairs(input);
  inputs.form = is_inclusive(input);
  return inputs;
}

std::unique_ptr<Reference> scan_reference(const InputSpec& input, const Inputs& inputs) {
  return scan_by_label(*input.pair, exact_in_any_order(input, input.n), labelled(inputs),
                       is_inclusive(input));
}

const ProblemRegistration multiscan(
    {.name = "multiscan",
     .what = "values[n] with labels[n] below m to n values: the reduction of the earlier ones of each label",
     .axes = {values_axis(),
              labels_axis(),
              m_axis(),
              {"scan", "whether a value is in its own result", {"exclusive", "inclusive"}, "exclusive"}},
     .pairs = pairs_of<Multiscan>(MultiscanPairs{}),
     .sizes = scan_sizes,
     .make = make_scan,
     .reference = scan_reference});

}  // namespace
}  // namespace redbench
