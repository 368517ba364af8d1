// gather: values[m], labels[n] below m -> n values: result[i] = values[labels[i]].
#include "kernels/gather/problem.hpp"

#include <algorithm>
#include <cstring>

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

InputSizes sizes(const InputSpec& input) {
  const Index m = label_count(input);
  check_values(input, m);
  check_labels(input, Type::u32);
  InputSizes sizes;
  sizes.m = m;
  sizes.values = std::size_t(m) * input.pair->value->bytes;
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(input.n) * input.pair->result->bytes;
  // At most n of the values are read.
  sizes.bytes_read = double(sizes.labels) + double(std::min(m, input.n)) * double(input.pair->value->bytes);
  sizes.bytes_written = double(sizes.result);
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, label_count(input));
  inputs.labels = make_labels(input, Type::u32);
  inputs.n = input.n;
  inputs.m = label_count(input);
  return inputs;
}

class Gathered final : public Reference {
 public:
  Gathered(std::size_t bytes, const Inputs& inputs) : bytes_(bytes), inputs_(inputs) {}

  Index results() const override { return inputs_.n; }

  Expected block(Index first, Index count) override {
    Expected expected;
    expected.exact = HostBuffer(std::size_t(count) * bytes_);
    const u32* const labels = inputs_.labels.as<u32>() + first;
    const std::byte* const values = inputs_.values.data.get();
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < count; ++i)
      std::memcpy(expected.exact.data.get() + std::size_t(i) * bytes_, values + labels[i] * bytes_, bytes_);
    return expected;
  }

 private:
  const std::size_t bytes_;
  const Inputs& inputs_;
};

std::unique_ptr<Reference> reference(const InputSpec& input, const Inputs& inputs) {
  return std::make_unique<Gathered>(input.pair->value->bytes, inputs);
}

const ProblemRegistration registration({.name = "gather",
                                        .what = "values[m], labels[n] below m to n values: values[label]",
                                        .axes = {values_axis(), labels_axis(), m_axis()},
                                        .pairs = pairs_of<Gather>(GatherPairs{}),
                                        .sizes = sizes,
                                        .make = make,
                                        .reference = reference});

}  // namespace
}  // namespace redbench
