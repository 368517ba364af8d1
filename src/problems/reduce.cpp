// reduce: values[n] -> one value.
#include "kernels/reduce/problem.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  const std::size_t values = std::size_t(input.n) * input.pair->value->bytes;
  const std::size_t result = input.pair->result->bytes;
  return {.values = values,
          .result = result,
          .bytes_read = double(values),
          .bytes_written = double(result),
          .rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n};
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.n = input.n;
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  const List all{inputs.values.data.get(), inputs.n};
  return fold(*input.pair, exact_in_any_order(input, input.n), 1, [=](Index) { return all; });
}

const ProblemRegistration registration({.name = "reduce",
                                        .what = "values[n] to one value, in input order",
                                        .axes = {values_axis()},
                                        .pairs = pairs_of<Reduce>(ReducePairs{}),
                                        .sizes = sizes,
                                        .make = make,
                                        .reference = reference});

}  // namespace
}  // namespace redbench
