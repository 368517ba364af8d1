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
  check_values(input, input.n);
  check_labels(input, Type::u32);
  InputSizes sizes;
  sizes.m = label_count(input);
  sizes.form = is_inclusive(input);
  sizes.values = std::size_t(input.n) * input.pair->value->bytes;
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(input.n) * input.pair->result->bytes;
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
  inputs.form = is_inclusive(input);
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
