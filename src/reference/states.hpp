// Arrays of oracle states, and the blocks of answers that they are written to.
#pragma once

#include "src/inputs/problem.hpp"
#include "src/reference/oracle.hpp"

namespace redbench {

/// An array of states, each the reduction of no values.
class States {
 public:
  States(const Oracle& oracle, std::size_t count)
      : bytes_(oracle.state_bytes), memory_(count * oracle.state_bytes) {
#pragma omp parallel for schedule(static) if (count > 1000)
    for (std::size_t i = 0; i < count; ++i) oracle.start((*this)[i]);
  }
  void* operator[](std::size_t i) { return memory_.data.get() + i * bytes_; }

 private:
  std::size_t bytes_;
  HostBuffer memory_;
};

/// A block of answers with undefined contents, exact or wide (see Expected).
inline Expected empty_block(const Pair& pair, bool exact, Index count) {
  Expected expected;
  if (exact) {
    expected.exact = HostBuffer(std::size_t(count) * pair.result->bytes);
  } else {
    const auto components = std::size_t(count) * std::size_t(pair.result->components);
    expected.wide.resize(components);
    expected.magnitude.resize(components);
    expected.terms.resize(std::size_t(count));
  }
  return expected;
}

/// Writes the reduction of `terms` values to a block, as answer `at`.
inline void put_answer(const Pair& pair, const void* state, Index terms, std::size_t at, Expected& expected) {
  if (expected.wide.empty()) {
    pair.oracle->put_result(state, expected.exact.data.get() + at * pair.result->bytes);
    return;
  }
  const std::size_t component = at * std::size_t(pair.result->components);
  pair.oracle->put_wide(state, &expected.wide[component], &expected.magnitude[component]);
  expected.terms[at] = terms;
}

}  // namespace redbench
