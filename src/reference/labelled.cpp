#include "src/reference/labelled.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/states.hpp"

namespace redbench {
namespace {

/// The thread that owns a label, by a hash: neighbouring labels have different owners. At most 2^16 threads.
u32 owner_of(u32 label, u32 threads) { return (label * 0x9e3779b1u >> 16) * threads >> 16; }

constexpr Index most_buckets = Index(1) << 24;  // at a time

/// Of this many equal parts of n inputs each has buckets of its own, which are few beside the inputs. No number of threads
/// decides it, as the order of appending decides how an answer is rounded; records have errors of many rounded ones in the
/// order of the inputs.
Index parts_with_buckets(Index n, Index m, bool exact) {
  constexpr Index few = Index(1) << 14, most = 64;
  if (m <= few) return most;
  return exact ? std::min(most, n / 4 / std::min(m, most_buckets)) : 1;
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
    with_labels([&](const auto* labels) {
#pragma omp parallel
      each_owned(labels, begin, end, visit);
    });
  }

  /// Adds all inputs: those of parts with buckets of their own, which are appended in order, or each label's by its owner.
  void add_all() {
    const Index parts = parts_with_buckets(inputs_.n, inputs_.m, terms_.empty());
    if (parts < 2) return each_input(0, inputs_.n, [this](Index i, std::size_t bucket) { add(i, bucket); });
    std::vector<std::optional<Buckets>> of_part(parts);
#pragma omp parallel for schedule(dynamic)
    for (Index part = 0; part < parts; ++part)
      of_part[std::size_t(part)]
          .emplace(pair_, inputs_, terms_.empty(), first_, count_)
          .add_in_order(inputs_.n * part / parts, inputs_.n * (part + 1) / parts);
#pragma omp parallel for schedule(static)
    for (Index bucket = 0; bucket < count_; ++bucket)
      for (std::optional<Buckets>& part : of_part) append(std::size_t(bucket), *part);
  }

  /// Appends the buckets of later inputs.
  void append_all(Buckets& later) {
#pragma omp parallel for schedule(static)
    for (Index bucket = 0; bucket < count_; ++bucket) append(std::size_t(bucket), later);
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
  template <class Work>
  void with_labels(const Work& work) const {
    if (inputs_.label_type == Type::u8) work(static_cast<const u8*>(inputs_.labels));
    else work(static_cast<const u32*>(inputs_.labels));
  }

  /// The calling thread's part of each_input.
  template <class Label, class Visit>
  void each_owned(const Label* labels, Index begin, Index end, const Visit& visit) {
    constexpr Index most = 512;
    std::array<std::uint8_t, most> owned{};
    const u32 thread = u32(omp_get_thread_num()), threads = u32(omp_get_num_threads());
    for (Index at = begin; at < end; at += most) {
      const Index here = std::min(most, end - at);
#pragma omp simd
      for (Index k = 0; k < here; ++k) owned[std::size_t(k)] = owner_of(labels[at + k], threads) == thread;
      for (Index k = 0; k < here; k += 8) {
        std::uint64_t ones;
        std::memcpy(&ones, &owned[std::size_t(k)], sizeof ones);
        for (; ones; ones &= ones - 1) {
          const Index i = at + k + std::countr_zero(ones) / 8;
          if (i < end) visit_bucket(labels[i], i, visit);
        }
      }
    }
  }

  /// By the calling thread alone.
  void add_in_order(Index begin, Index end) {
    with_labels([&](const auto* labels) {
      for (Index i = begin; i < end; ++i)
        visit_bucket(labels[i], i, [this](Index input, std::size_t bucket) { add(input, bucket); });
    });
  }

  template <class Visit>
  void visit_bucket(u32 label, Index i, const Visit& visit) {
    const Index bucket = Index(label) - first_;
    if (bucket >= 0 && bucket < count_) visit(i, std::size_t(bucket));
  }

  void append(std::size_t bucket, Buckets& later) {
    pair_.oracle->append(states_[bucket], later.states_[bucket]);
    if (!terms_.empty()) terms_[bucket] += later.terms_[bucket];
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
  Buckets& buckets_with(Index label) {
    const Index first = label / most_buckets * most_buckets;
    if (!buckets_ || buckets_->first() != first) {
      renew_buckets(first, std::min(most_buckets, inputs_.m - first));
      buckets_->add_all();
    }
    return *buckets_;
  }
};

class ByLabelInParts final : public GrowingReference {
 public:
  ByLabelInParts(const Pair& pair, bool exact, Index m, std::function<Labelled(const Inputs&)> labelled)
      : labelled_(std::move(labelled)),
        pair_(pair),
        exact_(exact),
        m_(m),
        buckets_(pair, none_, exact, 0, m) {}

  void add(const Inputs& part) override {
    const Labelled inputs = labelled_(part);
    Buckets buckets(pair_, inputs, exact_, 0, m_);
    buckets.add_all();
    buckets_.append_all(buckets);
  }
  Index results() const override { return m_; }
  Expected block(Index first, Index count) override {
    Expected expected = empty_block(pair_, exact_, count);
    for (Index i = 0; i < count; ++i) buckets_.put(std::size_t(first + i), std::size_t(i), expected);
    return expected;
  }

 private:
  const std::function<Labelled(const Inputs&)> labelled_;
  const Labelled none_{};
  const Pair& pair_;
  const bool exact_;
  const Index m_;
  Buckets buckets_;
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
  inputs.n = input.made();
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

std::size_t bytes_of_parts(const InputSpec& input, bool exact) {
  const Index n = gpus_of(input) > 1 ? std::min(input.n, inputs_at_once) : input.n;
  const Index m = label_count(input), parts = parts_with_buckets(n, m, exact);
  if (parts < 2) return 0;
  return std::size_t(parts * std::min(m, most_buckets)) *
         (input.pair->oracle->state_bytes + (exact ? 0 : sizeof(Index)));
}

std::unique_ptr<Reference> by_label(const Pair& pair, bool exact, const Labelled& inputs) {
  return std::make_unique<ByLabel>(pair, exact, inputs);
}

std::unique_ptr<GrowingReference> by_label_in_parts(const Pair& pair, bool exact, Index m,
                                                    std::function<Labelled(const Inputs&)> labelled) {
  return std::make_unique<ByLabelInParts>(pair, exact, m, std::move(labelled));
}

std::unique_ptr<Reference> scan_by_label(const Pair& pair, bool exact, const Labelled& inputs,
                                         bool inclusive) {
  return std::make_unique<ScanByLabel>(pair, exact, inputs, inclusive);
}

}  // namespace redbench
