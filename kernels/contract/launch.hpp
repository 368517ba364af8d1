// How a typed launch becomes an untyped call: the second half of kernels/variant.hpp, which includes it.
#pragma once

#include <tuple>
#include <utility>

#include "kernels/contract/queue.hpp"

namespace redbench {

inline namespace REDBENCH_TARGET {

namespace detail {
template <class... P, std::size_t... I>
void invoke_kernel([[maybe_unused]] const void* function, [[maybe_unused]] void** arguments,
                   std::index_sequence<I...>) {
#if defined(REDBENCH_ON_SIMT)
  reinterpret_cast<void (*)(P...)>(const_cast<void*>(function))(*static_cast<P*>(arguments[I])...);
#endif
}
template <class... P>
void invoke(const void* function, void** arguments) {
  invoke_kernel<P...>(function, arguments, std::index_sequence_for<P...>{});
}
}  // namespace detail

template <class... P, class... A>
void launch(Queue& queue, const Grid& grid, void (*kernel)(P...), const A&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the kernel has parameters");
  std::tuple<P...> values(arguments...);
  std::apply(
      [&](auto&... value) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
        CaseQueue::of(queue).submit(
            {reinterpret_cast<const void*>(kernel), pointers, detail::invoke<P...>, grid});
      },
      values);
}

template <class... P>
Index persistent_blocks(const Queue& queue, void (*kernel)(P...), int threads, std::size_t shared_bytes) {
  const KernelCall call{reinterpret_cast<const void*>(kernel),
                        nullptr,
                        nullptr,
                        {.threads = threads, .shared_bytes = shared_bytes}};
  return Index(queue.device().multiprocessors) * CaseQueue::of(queue).resident_blocks(call);
}

}  // namespace REDBENCH_TARGET

}  // namespace redbench
