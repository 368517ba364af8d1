#include "src/reference/fold.hpp"

#include <algorithm>

#include "src/reference/states.hpp"

namespace redbench {
namespace {

constexpr Index chunk_size = 1 << 16;

/// Reduces chunks in parallel and appends their reductions in order: the answer is the same for any number
/// of threads.
States reduced(const Pair& pair, const List& list) {
  const Index chunks = std::max<Index>(1, ceil_div(list.n, chunk_size));
  States states(*pair.oracle, std::size_t(chunks));
  const std::size_t step = std::size_t(list.stride) * pair.value->bytes;
#pragma omp parallel for schedule(dynamic)
  for (Index c = 0; c < chunks; ++c) {
    const Index begin = c * chunk_size, end = std::min(list.n, begin + chunk_size);
    pair.oracle->add(states[std::size_t(c)],
                     static_cast<const std::byte*>(list.first) + std::size_t(begin) * step, end - begin,
                     list.stride);
  }
  for (Index c = 1; c < chunks; ++c) pair.oracle->append(states[0], states[std::size_t(c)]);
  return states;
}

class Fold final : public Reference {
 public:
  Fold(const Pair& pair, bool exact, Index results, std::function<List(Index)> list)
      : pair_(pair), oracle_(*pair.oracle), exact_(exact), results_(results), list_(std::move(list)) {}

  Index results() const override { return results_; }

  Expected block(Index first, Index count) override {
    Expected expected = empty_block(pair_, exact_, count);
    // Threads share out short lists whole, long ones by chunks.
    std::vector<Index> long_lists;
#pragma omp parallel for schedule(dynamic, 256)
    for (Index i = 0; i < count; ++i) {
      const List list = list_(first + i);
      if (list.n <= chunk_size) {
        put_short(list, std::size_t(i), expected);
      } else {
#pragma omp critical
        long_lists.push_back(i);
      }
    }
    for (const Index i : long_lists) {
      const List list = list_(first + i);
      put_answer(pair_, reduced(pair_, list)[0], list.n, std::size_t(i), expected);
    }
    return expected;
  }

 private:
  void put_short(const List& list, std::size_t at, Expected& expected) const {
    alignas(state_alignment) std::byte state[most_state_bytes];
    oracle_.start(state);
    oracle_.add(state, list.first, list.n, list.stride);
    put_answer(pair_, state, list.n, at, expected);
  }

  const Pair& pair_;
  const Oracle& oracle_;
  const bool exact_;
  const Index results_;
  const std::function<List(Index)> list_;
};

class FoldInParts final : public GrowingReference {
 public:
  FoldInParts(const Pair& pair, bool exact) : pair_(pair), exact_(exact), all_(*pair.oracle, 1) {}

  void add(const Inputs& part) override {
    pair_.oracle->append(all_[0], reduced(pair_, {part.values.data.get(), part.n})[0]);
    terms_ += part.n;
  }
  Index results() const override { return 1; }
  Expected block(Index, Index count) override {
    Expected expected = empty_block(pair_, exact_, count);
    put_answer(pair_, all_[0], terms_, 0, expected);
    return expected;
  }

 private:
  const Pair& pair_;
  const bool exact_;
  States all_;
  Index terms_ = 0;
};

}  // namespace

std::unique_ptr<Reference> fold(const Pair& pair, bool exact, Index results,
                                std::function<List(Index)> list) {
  return std::make_unique<Fold>(pair, exact, results, std::move(list));
}

std::unique_ptr<GrowingReference> fold_in_parts(const Pair& pair, bool exact) {
  return std::make_unique<FoldInParts>(pair, exact);
}

}  // namespace redbench
