// reduce: values[n] -> one value.
#include "kernels/reduce/problem.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

/// kernels/contract/operands.hpp: whether the result is of the axis `accumulator`.
int form_of(const InputSpec& input) { return input.pair->accumulates ? accumulating_form : 0; }

InputSizes sizes(const InputSpec& input) {
  check_values(input, input.n);
  const std::size_t values = std::size_t(input.n) * input.pair->value->bytes;
  const std::size_t result = input.pair->result->bytes;
  return {.values = values,
          .result = result,
          .form = form_of(input),
          .bytes_read = double(values),
          .bytes_written = double(result),
          .rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n};
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.n = input.made();
  inputs.form = form_of(input);
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  const List all{inputs.values.data.get(), inputs.n};
  return fold(*input.pair, exact_in_any_order(input, input.n), 1, [=](Index) { return all; });
}

ProblemAxis accumulator_axis() {
  return {.name = "accumulator",
          .what =
              "what a sum of u8 (u32), i8 (i32), f16 or bf16 (f32) is accumulated in and given as; own: in "
              "the type of its values",
          .allowed = {"own", "u32", "i32", "f32"},
          .fallback = "own",
          .left_out_at_default = true};
}

const ProblemRegistration registration(
    {.name = "reduce",
     .what = "values[n] to one value, in input order",
     .axes = {values_axis(), accumulator_axis(), gpus_axis()},
     .pairs = pairs_of<Reduce>(Joined<ReducePairs, NarrowPairs, AccumulatingPairs>::list{}),
     .sizes = sizes,
     .make = make,
     .reference = reference,
     .in_parts = [](const InputSpec& input) {
       return fold_in_parts(*input.pair, exact_in_any_order(input, input.n));
     }});

}  // namespace
}  // namespace redbench
