// reduce: values[n] -> one value.
#include "src/inputs/pairs.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  const std::size_t element = element_bytes(input.type, input.op);
  const std::size_t values = std::size_t(input.n) * element;
  return {
      .values = values, .result = element, .bytes_read = double(values), .bytes_written = double(element)};
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.n = input.n;
  return inputs;
}

Expected reference(const InputSpec& input, const Inputs& inputs) {
  return fold(input, {{inputs.values.data.get(), inputs.n}}, exact_in_any_order(input, input.n));
}

const ProblemRegistration registration({.name = "reduce",
                                        .what = "values[n] to one value, in input order",
                                        .axes = {values_axis()},
                                        .pairs = pairs_of(AllPairs{}),
                                        .sizes = sizes,
                                        .make = make,
                                        .reference = reference});

}  // namespace
}  // namespace redbench
