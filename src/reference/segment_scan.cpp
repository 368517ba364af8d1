#include "src/reference/segment_scan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/reference/states.hpp"

namespace redbench {
namespace {

constexpr Index chunk_size = 1 << 12;

/// Chunks of a block are reduced in parallel, from the last start of a segment in each; what comes before each chunk
/// follows from that, and then all of its results. The answer is the same for any number of threads.
class ScanOfSegments final : public Reference {
 public:
  ScanOfSegments(const Pair& pair, bool exact, const Inputs& inputs)
      : pair_(pair),
        exact_(exact),
        n_(inputs.n),
        values_(inputs.values.data.get()),
        owners_(inputs.labels.as<u32>()),
        before_(*pair.oracle, 1) {}

  Index results() const override { return n_; }

  Expected block(Index first, Index count) override {
    if (first == 0) pair_.oracle->start(before_[0]);
    const Index chunks = ceil_div(count, chunk_size), end = first + count;
    States states(*pair_.oracle,
                  std::size_t(chunks));  // at first of a chunk's end, then of what comes before it
    std::vector<Index> terms(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(dynamic)
    for (Index c = 0; c < chunks; ++c) {
      const Index begin = first + c * chunk_size, stop = std::min(end, begin + chunk_size);
      const Index start = last_start(begin, stop);
      pair_.oracle->add(states[std::size_t(c)], value(start), stop - start, 1);
      terms[std::size_t(c)] = stop - start;
    }
    for (Index c = 0; c < chunks; ++c) {
      const Index begin = first + c * chunk_size, stop = std::min(end, begin + chunk_size);
      const bool continues = terms[std::size_t(c)] == stop - begin && !starts(begin);
      swap_with_before(states[std::size_t(c)], terms[std::size_t(c)], continues);
    }
    Expected expected = empty_block(pair_, exact_, count);
#pragma omp parallel for schedule(dynamic)
    for (Index c = 0; c < chunks; ++c) {
      const Index begin = first + c * chunk_size, stop = std::min(end, begin + chunk_size);
      put_chunk(states[std::size_t(c)], terms[std::size_t(c)], begin, stop, first, expected);
    }
    return expected;
  }

 private:
  bool starts(Index i) const { return i == 0 || owners_[i] != owners_[i - 1]; }
  const std::byte* value(Index i) const { return values_ + std::size_t(i) * pair_.value->bytes; }

  /// Of begin, ..., stop - 1 the last that starts a segment, `begin` where none does.
  Index last_start(Index begin, Index stop) const {
    Index i = stop - 1;
    while (i > begin && !starts(i)) --i;
    return i;
  }

  /// Puts what comes before a chunk into the place of the chunk's own end, and goes on behind the chunk. `continues`:
  /// no segment starts in the chunk.
  void swap_with_before(void* state, Index& terms, bool continues) {
    alignas(state_alignment) std::byte after[most_state_bytes];
    pair_.oracle->start(after);
    if (continues) pair_.oracle->append(after, before_[0]);
    pair_.oracle->append(after, state);
    std::memcpy(state, before_[0], pair_.oracle->state_bytes);
    std::memcpy(before_[0], after, pair_.oracle->state_bytes);
    terms = std::exchange(terms_before_, continues ? terms_before_ + terms : terms);
  }

  void put_chunk(void* state, Index terms, Index begin, Index stop, Index first, Expected& expected) const {
    for (Index i = begin; i < stop; ++i, ++terms) {
      if (starts(i)) {
        pair_.oracle->start(state);
        terms = 0;
      }
      put_answer(pair_, state, terms, std::size_t(i - first), expected);
      pair_.oracle->add_one(state, value(i));
    }
  }

  const Pair& pair_;
  const bool exact_;
  const Index n_;
  const std::byte* const values_;
  const u32* const owners_;
  States before_;  // the reduction of what its segment has before the next block
  Index terms_before_ = 0;
};

}  // namespace

std::unique_ptr<Reference> scan_of_segments(const Pair& pair, bool exact, const Inputs& inputs) {
  return std::make_unique<ScanOfSegments>(pair, exact, inputs);
}

}  // namespace redbench
