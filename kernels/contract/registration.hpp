// How a variant becomes known: an untyped instance for each pair of type and operator, handed to the
// registry.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/contract/operands.hpp"
#include "kernels/contract/queue.hpp"

namespace redbench {

/// One instance of a variant: its launch code for one pair of type and operator.
struct Instance {
  Type type;
  Operator op;
  void (*run)(Queue&, const Operands&);  // null: refused, for the reason below
  std::string_view refusal;
};

enum class Target : std::uint8_t { cuda, simt, host };

/// What REDBENCH_VARIANT hands to the registry.
struct Registration {
  Registration(std::string_view name, Target target, const Card& card, std::vector<Instance> instances);
};

inline namespace REDBENCH_TARGET {

#if defined(__CUDACC__)
inline constexpr Target this_target = Target::cuda;
#elif defined(REDBENCH_ON_SIMT)
inline constexpr Target this_target = Target::simt;
#else
inline constexpr Target this_target = Target::host;
#endif

/// A variant may say that it cannot take a pair: `template <class Op> static constexpr std::string_view
/// refuses()`, empty where it can.
template <class Variant, class Op>
constexpr std::string_view refusal() {
  if constexpr (Variant::card.library_only && this_target == Target::simt)
    return "only a library call: it has no kernel of its own that the modelled device could run";
  else if constexpr (Variant::card.order == Order::commutative && !Op::commutative)
    return "needs a commutative operator";
  else if constexpr (requires { Variant::template refuses<Op>(); }) return Variant::template refuses<Op>();
  else return {};
}

template <template <class> class Problem, class Variant, class Op>
Instance instance() {
  Instance entry{Op::type, Op::name, nullptr, refusal<Variant, Op>()};
  if constexpr (refusal<Variant, Op>().empty())
    entry.run = [](Queue& queue, const Operands& operands) {
      CaseQueue::of(queue).assume_registers(Variant::card.registers);
      using Wide = typename AccumulatingOf<Op>::type;
      if constexpr (Variant::card.narrow && !std::is_same_v<Wide, Op>)
        if (operands.form == accumulating_form)
          return Variant::template run<Wide>(queue, Problem<Wide>(operands));
      Variant::template run<Op>(queue, Problem<Op>(operands));
    };
  return entry;
}

template <template <class> class Problem, class Variant, class... Ops>
std::vector<Instance> instances(OperatorList<Ops...>) {
  return {instance<Problem, Variant, Ops>()...};
}

/// Its own pairs, and the narrow ones where the card says that it takes them.
template <class Variant, class... Ops>
constexpr auto pairs_for(OperatorList<Ops...> own) {
  if constexpr (Variant::card.narrow) return typename Joined<OperatorList<Ops...>, NarrowPairs>::list{};
  else return own;
}

}  // namespace REDBENCH_TARGET

/// The name comes from the file's path (cmake/variants.cmake).
#define REDBENCH_VARIANT(Problem, Variant)               \
  static const ::redbench::Registration registration(    \
      REDBENCH_VARIANT_NAME, this_target, Variant::card, \
      instances<Problem, Variant>(pairs_for<Variant>(Problem##Pairs{})));

}  // namespace redbench
