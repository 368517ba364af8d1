#include "src/reference/fold.hpp"

#include <algorithm>

#include "src/reference/states.hpp"

namespace redbench {
namespace {

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
    for (const Index i : long_lists) put_long(list_(first + i), std::size_t(i), expected);
    return expected;
  }

 private:
  static constexpr Index chunk_size = 1 << 16;

  void put_short(const List& list, std::size_t at, Expected& expected) const {
    alignas(state_alignment) std::byte state[most_state_bytes];
    oracle_.start(state);
    oracle_.add(state, list.first, list.n, list.stride);
    put_answer(pair_, state, list.n, at, expected);
  }

  /// Reduces chunks in parallel and appends their reductions in order: the answer is the same for any number
  /// of threads.
  void put_long(const List& list, std::size_t at, Expected& expected) const {
    const Index chunks = ceil_div(list.n, chunk_size);
    States states(oracle_, std::size_t(chunks));
    const std::size_t step = std::size_t(list.stride) * pair_.value->bytes;
#pragma omp parallel for schedule(dynamic)
    for (Index c = 0; c < chunks; ++c) {
      const Index begin = c * chunk_size, end = std::min(list.n, begin + chunk_size);
      oracle_.add(states[std::size_t(c)],
                  static_cast<const std::byte*>(list.first) + std::size_t(begin) * step, end - begin,
                  list.stride);
    }
    for (Index c = 1; c < chunks; ++c) oracle_.append(states[0], states[std::size_t(c)]);
    put_answer(pair_, states[0], list.n, at, expected);
  }

  const Pair& pair_;
  const Oracle& oracle_;
  const bool exact_;
  const Index results_;
  const std::function<List(Index)> list_;
};

}  // namespace

std::unique_ptr<Reference> fold(const Pair& pair, bool exact, Index results,
                                std::function<List(Index)> list) {
  return std::make_unique<Fold>(pair, exact, results, std::move(list));
}

}  // namespace redbench
