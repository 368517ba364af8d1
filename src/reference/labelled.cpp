#include "src/reference/labelled.hpp"

#include <omp.h>

#include <algorithm>
#include <optional>

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/states.hpp"

namespace redbench {
namespace {

/// The thread that owns a label, by a hash: neighbouring labels have different owners.
Index owner_of(u32 label, Index threads) {
  return Index(std::uint64_t(label * 0x9e3779b1u) * std::uint64_t(threads) >> 32);
}

/// The states of labels first, ..., first + count - 1, and how many values each holds.
class Buckets {
 public:
  Buckets(const Pair& pair, const Labelled& inputs, bool exact, Index first, Index count)
      : pair_(pair),
        inputs_(inputs),
        first_(first),
        count_(count),
        states_(*pair.oracle, std::size_t(count)),
        terms_(exact ? 0 : std::size_t(count), 0) {}

  Index first() const { return first_; }
  Index count() const { return count_; }

  /// Calls visit(i, bucket) for each of the inputs begin, ..., end - 1 whose label has a bucket here. Each
  /// thread goes through all inputs and visits those whose labels it owns: one thread sees a label's inputs
  /// in order, and the answer does not depend on the number of threads.
  template <class Visit>
  void each_input(Index begin, Index end, const Visit& visit) {
    if (inputs_.label_type == Type::u8) each_of(static_cast<const u8*>(inputs_.labels), begin, end, visit);
    else each_of(static_cast<const u32*>(inputs_.labels), begin, end, visit);
  }

  void add(Index input, std::size_t bucket) {
    const auto* const values = static_cast<const std::byte*>(inputs_.values);
    const std::size_t at = std::size_t(input * inputs_.stride) * pair_.value->bytes;
    pair_.oracle->add_one(states_[bucket], values + at);
    if (!terms_.empty()) ++terms_[bucket];
  }

  /// Writes a bucket's reduction to a block, as result `at`.
  void put(std::size_t bucket, std::size_t at, Expected& expected) {
    put_answer(pair_, states_[bucket], terms_.empty() ? 0 : terms_[bucket], at, expected);
  }

 private:
  template <class Label, class Visit>
  void each_of(const Label* labels, Index begin, Index end, const Visit& visit) {
#pragma omp parallel
    {
      const Index thread = omp_get_thread_num(), threads = omp_get_num_threads();
      for (Index i = begin; i < end; ++i) {
        const Index bucket = Index(labels[i]) - first_;
        if (owner_of(labels[i], threads) == thread && bucket >= 0 && bucket < count_)
          visit(i, std::size_t(bucket));
      }
    }
  }

  const Pair& pair_;
  const Labelled& inputs_;
  const Index first_, count_;
  States states_;
  std::vector<Index> terms_;  // empty where the answer is exact
};

class LabelledReference : public Reference {
 public:
  LabelledReference(const Pair& pair, bool exact, const Labelled& inputs)
      : pair_(pair), exact_(exact), inputs_(inputs) {}

 protected:
  /// Replaces the buckets by those of `count` labels from `first` on; never are two sets there at once.
  void renew_buckets(Index first, Index count) {
    buckets_.reset();
    buckets_.emplace(pair_, inputs_, exact_, first, count);
  }

  const Pair& pair_;
  const bool exact_;
  const Labelled inputs_;
  std::optional<Buckets> buckets_;
};

class ByLabel final : public LabelledReference {
 public:
  using LabelledReference::LabelledReference;

  Index results() const override { return inputs_.m; }

  Expected block(Index first, Index count) override {
    Expected expected = empty_block(pair_, exact_, count);
    for (Index at = 0; at < count;) {
      Buckets& buckets = buckets_with(first + at);
      const Index skipped = first + at - buckets.first();
      const Index end = std::min(count, at + buckets.count() - skipped);
#pragma omp parallel for schedule(static)
      for (Index i = at; i < end; ++i)
        buckets.put(std::size_t(first + i - buckets.first()), std::size_t(i), expected);
      at = end;
    }
    return expected;
  }

 private:
  static constexpr Index most_buckets = Index(1) << 24;

  Buckets& buckets_with(Index label) {
    const Index first = label / most_buckets * most_buckets;
    if (!buckets_ || buckets_->first() != first) {
      renew_buckets(first, std::min(most_buckets, inputs_.m - first));
      buckets_->each_input(0, inputs_.n, [&](Index i, std::size_t bucket) { buckets_->add(i, bucket); });
    }
    return *buckets_;
  }
};

class ScanByLabel final : public LabelledReference {
 public:
  ScanByLabel(const Pair& pair, bool exact, const Labelled& inputs, bool inclusive)
      : LabelledReference(pair, exact, inputs), inclusive_(inclusive) {}

  Index results() const override { return inputs_.n; }

  Expected block(Index first, Index count) override {
    if (first == 0) renew_buckets(0, inputs_.m);
    Expected expected = empty_block(pair_, exact_, count);
    buckets_->each_input(first, first + count, [&](Index i, std::size_t bucket) {
      if (inclusive_) buckets_->add(i, bucket);
      buckets_->put(bucket, std::size_t(i - first), expected);
      if (!inclusive_) buckets_->add(i, bucket);
    });
    return expected;
  }

 private:
  const bool inclusive_;
};

}  // namespace

InputSizes sizes_of_pairs(const InputSpec& input, Index results) {
  check_values(input, input.n);
  check_labels(input, Type::u32);
  InputSizes sizes;
  sizes.m = label_count(input);
  sizes.values = std::size_t(input.n) * input.pair->value->bytes;
  sizes.labels = std::size_t(input.n) * sizeof(u32);
  sizes.result = std::size_t(results) * input.pair->result->bytes;
  sizes.bytes_read = double(sizes.values + sizes.labels);
  sizes.bytes_written = double(sizes.result);
  sizes.rounded_terms = exact_in_any_order(input, input.n) ? 0 : input.n;
  return sizes;
}

Inputs make_pairs(const InputSpec& input) {
  Inputs inputs;
  inputs.values = make_values(input, input.n);
  inputs.labels = make_labels(input, Type::u32);
  inputs.n = input.n;
  inputs.m = label_count(input);
  return inputs;
}

Labelled labelled(const Inputs& pairs) {
  return {.label_type = Type::u32,
          .labels = pairs.labels.data.get(),
          .values = pairs.values.data.get(),
          .stride = 1,
          .n = pairs.n,
          .m = pairs.m};
}

std::unique_ptr<Reference> by_label(const Pair& pair, bool exact, const Labelled& inputs) {
  return std::make_unique<ByLabel>(pair, exact, inputs);
}

std::unique_ptr<Reference> scan_by_label(const Pair& pair, bool exact, const Labelled& inputs,
                                         bool inclusive) {
  return std::make_unique<ScanByLabel>(pair, exact, inputs, inclusive);
}

}  // namespace redbench
