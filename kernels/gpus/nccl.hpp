// NCCL's collective calls, for the end of `run`: each rank calls, and what all have is reduced. The communicators are the
// program's, made before anything is timed. Where it is built without NCCL, these refuse the case.
#pragma once

#include "kernels/gpus/gpus.hpp"

namespace redbench {

namespace gpus {
enum class Collective : std::uint8_t { all_reduce, reduce, reduce_scatter };
/// `count` as NCCL's call of that name has it.
void call_nccl(Queue& queue, Collective collective, Type type, Operator op, const void* from, void* to,
               Index count);
}  // namespace gpus

inline namespace REDBENCH_TARGET {

/// Base of a variant that calls NCCL, whose order is `commutative`.
struct CallsNccl {
  static constexpr std::string_view guide = "NCCL User Guide, collective operations";

  template <class Op>
  static constexpr std::string_view refuses() {
    using T = typename Op::Result;
    constexpr bool number = std::is_arithmetic_v<T> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
    if (this_target == Target::simt)
      return "NCCL runs on NVIDIA's GPUs alone: on modelled ones `peer` and `host` join their parts";
    if (!number) return "NCCL reduces integers and floats alone";
    return {};
  }
};

/// Replaces the values at `own` of each rank by the reductions over all ranks.
template <class Op>
void all_reduce_by_nccl(Queue& queue, typename Op::Result* own, Index count) {
  gpus::call_nccl(queue, gpus::Collective::all_reduce, type_of<typename Op::Result>, Op::name, own, own,
                  count);
}
/// Of the first rank alone.
template <class Op>
void reduce_by_nccl(Queue& queue, typename Op::Result* own, Index count) {
  gpus::call_nccl(queue, gpus::Collective::reduce, type_of<typename Op::Result>, Op::name, own, own, count);
}
/// Of ranks x `count` values at `own` of each, rank r gets the reductions of the `count` from r x `count` on.
template <class Op>
void reduce_scatter_by_nccl(Queue& queue, const typename Op::Result* own, typename Op::Result* part,
                            Index count) {
  gpus::call_nccl(queue, gpus::Collective::reduce_scatter, type_of<typename Op::Result>, Op::name, own, part,
                  count);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
