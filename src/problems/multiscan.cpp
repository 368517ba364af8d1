// multiscan: values[n] with labels[n] below m -> n values: what comes before each, of its label.
#include "kernels/multiscan/problem.hpp"

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

/// Operands::form: 0 exclusive, 1 inclusive.
bool is_inclusive(const InputSpec& input) { return input.axes.at("scan") == "inclusive"; }

InputSizes sizes(const InputSpec& input) {
  InputSizes sizes = sizes_of_pairs(input, input.n);
  sizes.form = is_inclusive(input);
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n;
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs = make_pairs(input);
  inputs.form = is_inclusive(input);
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return scan_by_label(*input.pair, exact_in_any_order(input, input.n), labelled(inputs),
                       is_inclusive(input));
}

const ProblemRegistration registration(
    {.name = "multiscan",
     .what = "values[n] with labels[n] below m to n values: the reduction of the earlier ones of each label",
     .axes = {values_axis(),
              labels_axis(),
              m_axis(),
              {"scan", "whether a value is in its own result", {"exclusive", "inclusive"}, "exclusive"}},
     .pairs = pairs_of<Multiscan>(MultiscanPairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
