// scatter: values[n] with labels[n] below m -> m values, a multireduce with x right y = y.
//
// Where any value of a label may win there is no one answer, so all generated values of a label are then the
// same. That does not show a value from elsewhere that happens to be equal.
#include "kernels/scatter/problem.hpp"

#include <cstring>

#include "src/error.hpp"
#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

/// Operands::form: 0 any, 1 last.
bool last_wins(const InputSpec& input) { return input.axes.at("wins") == "last"; }

InputSizes sizes(const InputSpec& input) {
  if (!last_wins(input) && !values_file(input.axes.at("values")).empty())
    throw Refusal(
        "wins=any takes generated values, which are equal where the labels are: those of a file may differ, "
        "and then have no one answer");
  InputSizes sizes = sizes_of_pairs(input, label_count(input));
  sizes.reference = bytes_of_parts(input, true);
  sizes.form = last_wins(input);
  return sizes;
}

/// One value for each label, as the distribution draws m of them.
HostBuffer values_by_label(const InputSpec& input, const u32* labels) {
  const std::size_t bytes = input.pair->value->bytes;
  const HostBuffer of_label = make_values(input, label_count(input));
  HostBuffer values(std::size_t(input.n) * bytes);
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < input.n; ++i)
    std::memcpy(values.data.get() + std::size_t(i) * bytes, of_label.data.get() + labels[i] * bytes, bytes);
  return values;
}

Inputs make(const InputSpec& input) {
  Inputs inputs = make_pairs(input);
  if (!last_wins(input)) inputs.values = values_by_label(input, inputs.labels.as<u32>());
  inputs.form = last_wins(input);
  return inputs;
}

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return by_label(*input.pair, true, labelled(inputs));
}

const ProblemRegistration registration(
    {.name = "scatter",
     .what = "values[n] with labels[n] below m to m values: result[label] = value",
     .axes = {values_axis(),
              labels_axis(),
              m_axis(),
              {"wins", "which of a label's values is its result", {"any", "last"}, "any"}},
     // A value among identities need not be its label's result: an identity wins as any value does, where a
     // reduction would drop it.
     .pairs = pairs_of<Scatter>(ScatterPairs{}, false),
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
