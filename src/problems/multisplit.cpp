// multisplit: keys[n] with a bucket below m in their top bits -> the keys by bucket, in input order; or pairs.
//
// A label of the axis `labels` is a bucket. The key has a hash of its place below it, and its value is its place: so a
// result shows where it comes from, and of equal buckets in which order.
#include "kernels/multisplit/problem.hpp"

#include <cstring>
#include <numeric>

#include "src/inputs/labels.hpp"
#include "src/reference/pairs.hpp"

namespace redbench {
namespace {

/// Operands::form: 0 keys, 1 pairs.
bool has_values(const InputSpec& input) { return input.axes.at("moves") == "pairs"; }

InputSizes sizes(const InputSpec& input) {
  check_labels(input, Type::u32);
  InputSizes sizes;
  sizes.m = label_count(input);
  sizes.form = has_values(input);
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.values = has_values(input) ? sizes.labels : 0;
  sizes.result = sizes.labels + sizes.values;
  sizes.reference = sizes.result;
  sizes.bytes_read = sizes.bytes_written = double(sizes.result);
  return sizes;
}

Inputs make(const InputSpec& input) {
  Inputs inputs;
  inputs.labels = make_labels(input, Type::u32);
  inputs.n = input.n;
  inputs.m = label_count(input);
  inputs.form = has_values(input);
  if (has_values(input)) inputs.values = HostBuffer(inputs.labels.bytes);
  const int shift = bits_below_bucket(inputs.m);
  u32 *const keys = inputs.labels.as<u32>(), *const values = inputs.values.as<u32>();
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < input.n; ++i) {
    // The top bits of a product by 2^32 over the golden ratio: neighbours are far apart.
    const u32 hash = u32(i) * 0x9e3779b1u;
    keys[i] = u32(std::uint64_t(keys[i]) << shift | std::uint64_t(hash) >> (32 - shift));
    if (inputs.form == 1) values[i] = u32(i);
  }
  return inputs;
}

/// A counting sort on one core.
class Split final : public Reference {
 public:
  explicit Split(const Inputs& inputs) : sorted_(std::size_t(inputs.n) * (inputs.form == 1 ? 2 : 1)) {
    const u32 *const keys = inputs.labels.as<u32>(), *const values = inputs.values.as<u32>();
    const int shift = bits_below_bucket(inputs.m);
    std::vector<Index> next(std::size_t(inputs.m) + 1);
    for (Index i = 0; i < inputs.n; ++i) ++next[(keys[i] >> shift) + std::size_t(1)];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (Index i = 0; i < inputs.n; ++i) {
      const Index to = next[keys[i] >> shift]++;
      sorted_[std::size_t(to)] = keys[i];
      if (inputs.form == 1) sorted_[std::size_t(inputs.n + to)] = values[i];
    }
  }

  Index results() const override { return Index(sorted_.size()); }

  Expected block(Index first, Index count) override {
    Expected expected;
    expected.exact = HostBuffer(std::size_t(count) * sizeof(u32));
    std::memcpy(expected.exact.data.get(), sorted_.data() + first, expected.exact.bytes);
    return expected;
  }

 private:
  std::vector<u32> sorted_;
};

std::unique_ptr<Reference> reference(const InputSpec&, const Inputs& inputs) {
  return std::make_unique<Split>(inputs);
}

const ProblemRegistration registration(
    {.name = "multisplit",
     .what = "keys[n] with a bucket below m in their top bits to the keys by bucket, in input order",
     .axes = {labels_axis(),
              m_axis(),
              {"moves", "whether a value moves with each key", {"keys", "pairs"}, "keys"}},
     .pairs = pairs_of<Multisplit>(MultisplitPairs{}, false),  // no identities to plant a value among
     .sizes = sizes,
     .make = make,
     .reference = reference});

}  // namespace
}  // namespace redbench
