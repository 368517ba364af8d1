// triple_reduce: n triples (x, y, z) -> the reduction of all x, of all y and of all z.
#include "src/inputs/pairs.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"

namespace redbench {
namespace {

/// kernels/triple_reduce/problem.hpp: three arrays, or structs of three.
int form_of(const InputSpec& input) { return input.axes.at("layout") == "structs" ? 1 : 0; }

InputSizes sizes(const InputSpec& input) {
  check_values(input, 3 * input.n);
  const std::size_t result = 3 * element_bytes(input.type, input.op);
  const std::size_t values = std::size_t(input.n) * result;
  InputSizes sizes;
  sizes.form = form_of(input);
  sizes.values = values;
  sizes.result = result;
  sizes.bytes_read = double(values);
  sizes.bytes_written = double(result);
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, 3 * input.n);
  inputs.n = input.n;
  inputs.form = form_of(input);
  return inputs;
}

Expected reference(const InputSpec& input, const Inputs& inputs) {
  const std::size_t element = element_bytes(input.type, input.op);
  const bool structs = inputs.form == 1;
  std::vector<List> lists;
  for (Index k = 0; k < 3; ++k) {
    const Index first = structs ? k : k * inputs.n;
    lists.push_back({inputs.values.data.get() + std::size_t(first) * element, inputs.n, structs ? 3 : 1});
  }
  return fold(input, lists, exact_in_any_order(input, 3 * input.n));
}

const ProblemRegistration registration(
    {.name = "triple_reduce",
     .what = "n triples to three values, in input order",
     .axes = {values_axis(),
              {"layout", "three arrays, or n structs of three", {"arrays", "structs"}, "arrays"}},
     .pairs = pairs_of(AllPairs{}),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
