// A problem's list of operators as the harness sees it.
#pragma once

#include <vector>

#include "src/inputs/distributions.hpp"
#include "src/reference/oracle.hpp"

namespace redbench {

template <template <class> class Problem, class Op>
Pair pair_of(bool takes_planted) {
  using T = typename Op::Value;
  using R = std::remove_pointer_t<decltype(Problem<Op>::result)>;
  return {.type = Op::type,
          .op = Op::name,
          .commutative = Op::commutative,
          .exact = Op::exact,
          .value = &facts_of<T>(),
          .result = &facts_of<R>(),
          .oracle = &oracle_of<Op::name, T, R>,
          .accumulates = !std::is_same_v<typename Op::Result, T>,
          .generate = generate<Op::name, T, typename Op::Result>,
          .check_file = file_check<Op::name, T>(),
          .takes_planted = takes_planted};
}

/// The pairs of kernels/<problem>/problem.hpp, where Problem is the struct of its operands.
template <template <class> class Problem, class... Ops>
std::vector<Pair> pairs_of(OperatorList<Ops...>, bool takes_planted = true) {
  return {pair_of<Problem, Ops>(takes_planted)...};
}

}  // namespace redbench
