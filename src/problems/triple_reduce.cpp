// triple_reduce: n triples (x, y, z) -> the reduction of all x, of all y and of all z.
#include "kernels/triple_reduce/problem.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

/// kernels/triple_reduce/problem.hpp: three arrays, or structs of three.
int form_of(const InputSpec& input) { return input.axes.at("layout") == "structs" ? 1 : 0; }

InputSizes sizes(const InputSpec& input) {
  check_values(input, 3 * input.n);
  const std::size_t result = 3 * input.pair->result->bytes;
  const std::size_t values = 3 * std::size_t(input.n) * input.pair->value->bytes;
  return {.values = values,
          .result = result,
          .form = form_of(input),
          .bytes_read = double(values),
          .bytes_written = double(result),
          .rounded_terms = exact_in_any_order(input, 3 * input.n) ? 0 : input.n};
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, 3 * input.n);
  inputs.n = input.n;
  inputs.form = form_of(input);
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  const std::byte* const values = inputs.values.data.get();
  const std::size_t element = input.pair->value->bytes;
  const bool structs = inputs.form == 1;
  return fold(*input.pair, exact_in_any_order(input, 3 * input.n), 3, [=, n = inputs.n](Index k) {
    const Index first = structs ? k : k * n;
    return List{values + std::size_t(first) * element, n, structs ? 3 : 1};
  });
}

const ProblemRegistration registration(
    {.name = "triple_reduce",
     .what = "n triples to three values, in input order",
     .axes = {values_axis(),
              {"layout", "three arrays, or n structs of three", {"arrays", "structs"}, "arrays"}},
     .pairs = pairs_of<TripleReduce>(TripleReducePairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
