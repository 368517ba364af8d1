// Atomics on real memory: blocks run on several OS threads at once.

#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/gpus/language.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {
namespace {

/// After so many atomics of an OS thread its running thread yields, so that one that spins lets the others
/// run. Most threads make fewer and never yield.
constexpr unsigned atomics_per_turn = 4096;
constinit thread_local unsigned atomics_done = 0;
/// The next atomic of this OS thread is of system scope.
constinit thread_local bool next_in_system = false;

void take_turn(const void* where, const void* address, std::uint32_t bytes) {
  if (!running.thread) return;
  running.thread->where = where;
  const bool in_system = std::exchange(next_in_system, false);
  if (running.watch)
    running.watch->access(*running.thread, {.kind = AccessKind::atomic,
                                            .bytes = bytes,
                                            .address = address,
                                            .where = where,
                                            .in_system = in_system});
  if (++atomics_done % atomics_per_turn == 0) running.runner->yield();
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

/// Replaces *address by next(*address), atomically; returns the old value.
template <class T, class Next>
T update(T* address, Next next) {
  auto* const word = reinterpret_cast<Bits<T>*>(address);
  Bits<T> seen = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(word, &seen, std::bit_cast<Bits<T>>(next(std::bit_cast<T>(seen))), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return std::bit_cast<T>(seen);
}

}  // namespace

void next_atomic_in_system() { next_in_system = true; }

template <class T>
T atomic(AtomicOp op, T* address, T value) {
  take_turn(__builtin_return_address(0), address, sizeof(T));
  if constexpr (std::is_integral_v<T>) switch (op) {
      case AtomicOp::add:
        return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
      case AtomicOp::sub:
        return __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST);
      case AtomicOp::bit_and:
        return __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);
      case AtomicOp::bit_or:
        return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
      case AtomicOp::bit_xor:
        return __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
      default:
        break;
    }
  switch (op) {
    case AtomicOp::add:
      return update(address, [=](T old) { return T(old + value); });
    case AtomicOp::sub:
      return update(address, [=](T old) { return T(old - value); });
    case AtomicOp::min:
      return update(address, [=](T old) { return value < old ? value : old; });
    case AtomicOp::max:
      return update(address, [=](T old) { return old < value ? value : old; });
    case AtomicOp::exchange:
      return update(address, [=](T) { return value; });
    case AtomicOp::increment:
      return update(address, [=](T old) { return old >= value ? T(0) : T(old + 1); });
    case AtomicOp::decrement:
      return update(address, [=](T old) { return old == T(0) || old > value ? value : T(old - 1); });
    default:
      running.runner->fail(__builtin_return_address(0),
                           [] { return "a bitwise atomic on a floating-point number"; });
  }
}

template <class T>
T atomic_cas(T* address, T expected, T desired) {
  take_turn(__builtin_return_address(0), address, sizeof(T));
  auto* const word = reinterpret_cast<Bits<T>*>(address);
  auto seen = std::bit_cast<Bits<T>>(expected);
  __atomic_compare_exchange_n(word, &seen, std::bit_cast<Bits<T>>(desired), false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return std::bit_cast<T>(seen);
}

template <class T>
void relaxed_store(T* address, T value) {
  if (running.thread && running.watch)
    running.watch->access(*running.thread, {.kind = AccessKind::write,
                                            .bytes = sizeof(T),
                                            .address = address,
                                            .where = __builtin_return_address(0),
                                            .relaxed = true});
  __atomic_store_n(reinterpret_cast<Bits<T>*>(address), std::bit_cast<Bits<T>>(value), __ATOMIC_RELAXED);
}

namespace {

/// The functions above for each number among T, of 2 bytes or more.
template <class... T>
struct AtomicsOf {
  template <class Number>
  static constexpr bool made() {
    if constexpr (std::is_arithmetic_v<Number>) return sizeof(Number) >= 2;
    else return TypeTraits<Number>::components == 1;
  }
  template <class Number>
  static constexpr auto functions() {
    if constexpr (made<Number>())
      return std::tuple(&atomic<Number>, &atomic_cas<Number>, &relaxed_store<Number>);
    else return std::tuple();
  }
  static constexpr auto all = std::tuple_cat(functions<T>()...);
};
template <class... T>
constexpr auto atomics_of(TypeList<T...>) {
  return AtomicsOf<T..., unsigned short, unsigned long, long long, unsigned long long>::all;
}
[[gnu::used]] constexpr auto instantiated = atomics_of(DataTypes{});

}  // namespace

}  // namespace redbench::simt
