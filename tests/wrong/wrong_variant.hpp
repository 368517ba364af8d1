// What registers a wrong kernel, and the pairs that most are built for: an integer, a float and operators
// whose order shows are enough to be caught by.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Bases of the wrong variants: the card but for its title, and the pairs.
struct AnyPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong"};
};
struct FewPairs : AnyPairs {
  template <class Op>
  static constexpr std::string_view refuses() {
    constexpr bool built = std::is_same_v<Op, Sum<i32>> || std::is_same_v<Op, Max<i32>> ||
                           std::is_same_v<Op, Sum<f32>> || std::is_same_v<Op, Sum<f64>> ||
                           std::is_same_v<Op, Right<i32>> || std::is_same_v<Op, Affine>;
    return built ? "" : "a wrong kernel, built for a few pairs";
  }
};

constexpr Card titled(Card card, std::string_view title) {
  card.title = title;
  return card;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench

/// Registers <problem>/wrong_<name>: what is wrong with it, and the body of its `run`, where the operands are
/// `x`. The build takes the problem from the file's name.
#define WRONG_VARIANT(Problem, name, Base, what, ...)                                     \
  struct wrong_##name : Base {                                                            \
    static constexpr Card card = titled(Base::rest, "wrong: " what);                      \
    template <class Op>                                                                   \
    static void run(Queue& queue, const Problem<Op>& x) __VA_ARGS__                       \
  };                                                                                      \
  static const Registration register_##name(REDBENCH_VARIANT_NAME "_" #name, this_target, \
                                            wrong_##name::card,                           \
                                            instances<Problem, wrong_##name>(Problem##Pairs{}));
