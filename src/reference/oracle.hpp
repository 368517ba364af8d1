// Oracles: the operators as a reference applies them. Independent of kernels/operators.hpp, so that a mistake
// there shows.
#pragma once

#include <cmath>
#include <type_traits>

#include "src/inputs/problem.hpp"
#include "src/inputs/type_facts.hpp"
#include "src/reference/wide.hpp"

namespace redbench {

/// Type-erased reduction of a list of values in order. A state is trivially copyable memory of the caller's;
/// a state or an array of states begins at a multiple of 16 bytes.
struct Oracle {
  std::size_t state_bytes;
  /// Initialises a state: the reduction of no values.
  void (*start)(void* state);
  /// Appends `count` values, `stride` elements apart.
  void (*add)(void* state, const void* values, Index count, Index stride);
  /// Appends one value.
  void (*add_one)(void* state, const void* value);
  /// Appends all values of another state.
  void (*append)(void* state, const void* later);
  /// Writes the reduction in the result's type. Sums and products of floats: only where no operation rounds.
  void (*put_result)(const void* state, void* result);
  /// Writes `wide` and `magnitude` of Expected, for each component. Null for exact operators.
  void (*put_wide)(const void* state, std::pair<double, double>* wide, double* magnitude);
};

/// Upper bounds of a state's size and alignment.
inline constexpr std::size_t most_state_bytes = 64, state_alignment = 16;

namespace oracles {

/// The oracle of operator `op` on values of T with results of R: State, and add, append and result as in
/// Oracle.
template <Operator op, class T, class R>
struct OracleOf;

/// Computes modulo 2^64, and thereby modulo 2^bits of any result.
template <Operator op, class T, class R>
  requires(std::is_integral_v<T> && (op == Operator::sum || op == Operator::product))
struct OracleOf<op, T, R> {
  struct State {
    std::uint64_t total = op == Operator::product;
  };
  static void add(State& state, T value) { append(state, {std::uint64_t(value)}); }
  static void append(State& state, const State& later) {
    if constexpr (op == Operator::sum) state.total += later.total;
    else state.total *= later.total;
  }
  static R result(const State& state) { return R(state.total); }
};

/// Of 0 and -0, which are equal, the first one stays; the check accepts either. No input holds a NaN.
template <Operator op, class T>
  requires(op == Operator::min || op == Operator::max)
struct OracleOf<op, T, T> {
  struct State {
    T chosen = op == Operator::min ? TypeTraits<T>::highest() : TypeTraits<T>::lowest();
  };
  static void add(State& state, T value) {
    if (op == Operator::min ? value < state.chosen : value > state.chosen) state.chosen = value;
  }
  static void append(State& state, const State& later) { add(state, later.chosen); }
  static T result(const State& state) { return state.chosen; }
};

/// The last value that is not the one set aside as identity.
template <class T>
struct OracleOf<Operator::right, T, T> {
  struct State {
    T last;
    bool any = false;
  };
  static void add(State& state, T value) {
    if (!(value == set_aside<T>())) state = {value, true};
  }
  static void append(State& state, const State& later) {
    if (later.any) state = later;
  }
  static T result(const State& state) { return state.any ? state.last : set_aside<T>(); }
};

/// Follows the images of 0 and 1 through the maps, which determine the composition.
template <>
struct OracleOf<Operator::affine, AffineMap, AffineMap> {
  struct State {
    u32 of_0 = 0, of_1 = 1;
  };
  static u32 value(AffineMap map, u32 x) { return map.a * x + map.b; }
  static void add(State& state, AffineMap map) { state = {value(map, state.of_0), value(map, state.of_1)}; }
  static void append(State& state, const State& later) { add(state, result(later)); }
  static AffineMap result(const State& state) { return {state.of_1 - state.of_0, state.of_0}; }
};

/// The value of an f16, without a library call. Infinities and NaN, which no input holds, are not handled.
inline double double_of(f16 finite) {
  const auto bits = std::bit_cast<std::uint16_t>(finite);
  const std::uint32_t moved = std::uint32_t(bits & 0x7FFF) << 13;  // exponent and fraction where f32 has them
  constexpr std::uint32_t one = 1u << 23;                          // in the exponent of f32
  const float magnitude = moved < one ? std::bit_cast<float>(moved + 113 * one) - 0x1p-14f  // subnormal
                                      : std::bit_cast<float>(moved + 112 * one);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Conversion between a real or complex float and its components in double precision.
template <class T>
constexpr int components = TypeTraits<T>::components;
template <class T>
double component(const T& value, int c) {
  if constexpr (is_complex<T>) return double(c == 0 ? value.re : value.im);
  else if constexpr (std::is_same_v<T, f16>) return double_of(value);
  else return double(value);
}
template <class T>
T from_components(double re, [[maybe_unused]] double im) {
  using R = typename TypeTraits<T>::Real;
  if constexpr (is_complex<T>) return {R(re), R(im)};
  else return R(re);
}

/// Double-double sums. Within add_list low words are summed in plain double, over at most 2^16 values in
/// eight chains: their error is below (2^13 x 2^-53)^2 = 2^-80 of the magnitude, that is 2^-96 for each
/// value.
template <class T, class R>
  requires(!std::is_integral_v<T>)
struct OracleOf<Operator::sum, T, R> {
  struct State {
    Wide sum[components<T>];
    double magnitude[components<T>]{};
  };
  static void add(State& state, T value) {
    for (int c = 0; c < components<T>; ++c) {
      const double x = component(value, c);
      state.sum[c] = state.sum[c] + Wide{x, 0};
      state.magnitude[c] += std::abs(x);
    }
  }
  static void append(State& state, const State& later) {
    for (int c = 0; c < components<T>; ++c) {
      state.sum[c] = state.sum[c] + later.sum[c];
      state.magnitude[c] += later.magnitude[c];
    }
  }
  static R result(const State& state) {
    return from_components<R>(state.sum[0].high, state.sum[components<T> - 1].high);
  }
  static double magnitude(const State& state, int c) { return state.magnitude[c]; }
  static const Wide& wide(const State& state, int c) { return state.sum[c]; }

  /// Eight independent sums, as within one each addition waits for the one before.
  static void add_list(State& state, const T* values, Index count, Index stride) {
    constexpr int chains = 8;
    constexpr Index most = Index(1) << 16;
    for (; count > most; values += most * stride, count -= most) add_list(state, values, most, stride);
    if (count < 2 * chains) {
      for (Index i = 0; i < count; ++i) add(state, values[i * stride]);
      return;
    }
    for (int c = 0; c < components<T>; ++c) {
      double high[chains]{}, low[chains]{}, magnitude[chains]{};
      const auto add_to = [&](int chain, Index i) {
        const double x = component(values[i * stride], c);
        const Wide next = two_sum(high[chain], x);
        high[chain] = next.high;
        low[chain] += next.low;
        magnitude[chain] += std::abs(x);
      };
      Index i = 0;
      for (; i + chains <= count; i += chains)
        for (int chain = 0; chain < chains; ++chain) add_to(chain, i + chain);
      for (; i < count; ++i) add_to(int(i % chains), i);
      for (int chain = 0; chain < chains; ++chain) {
        state.sum[c] = state.sum[c] + two_sum(high[chain], low[chain]);
        state.magnitude[c] += magnitude[chain];
      }
    }
  }
};

template <class T>
  requires(!std::is_integral_v<T>)
struct OracleOf<Operator::product, T, T> {
  struct State {
    Wide re{1, 0}, im;
  };
  static void add(State& state, T value) {
    if constexpr (is_complex<T>) append(state, {{double(value.re), 0}, {double(value.im), 0}});
    else state.re = state.re * double(value);
  }
  static void append(State& state, const State& later) {
    const State& x = state;
    const State& y = later;
    if constexpr (is_complex<T>) state = {x.re * y.re + -(x.im * y.im), x.re * y.im + x.im * y.re};
    else state.re = x.re * y.re;
  }
  static T result(const State& state) { return from_components<T>(state.re.high, state.im.high); }
  static double magnitude(const State& state, int) { return std::hypot(state.re.high, state.im.high); }
  static const Wide& wide(const State& state, int c) { return c == 0 ? state.re : state.im; }
};

template <class O, class T, class R>
constexpr Oracle erased() {
  using State = typename O::State;
  static_assert(std::is_trivially_copyable_v<State> && alignof(State) <= state_alignment &&
                sizeof(State) <= most_state_bytes);
  Oracle oracle{.state_bytes = sizeof(State),
                .start = [](void* state) { new (state) State(); },
                .add =
                    [](void* state, const void* values, Index count, Index stride) {
                      const T* const first = static_cast<const T*>(values);
                      State& all = *static_cast<State*>(state);
                      if constexpr (requires { O::add_list(all, first, count, stride); }) {
                        O::add_list(all, first, count, stride);
                      } else {
                        State local = all;
                        for (Index i = 0; i < count; ++i) O::add(local, first[i * stride]);
                        all = local;
                      }
                    },
                .add_one =
                    [](void* state, const void* value) {
                      O::add(*static_cast<State*>(state), *static_cast<const T*>(value));
                    },
                .append =
                    [](void* state, const void* later) {
                      O::append(*static_cast<State*>(state), *static_cast<const State*>(later));
                    },
                .put_result =
                    [](const void* state, void* result) {
                      *static_cast<R*>(result) = O::result(*static_cast<const State*>(state));
                    },
                .put_wide = nullptr};
  if constexpr (requires(State state) { O::wide(state, 0); })
    oracle.put_wide = [](const void* state, std::pair<double, double>* wide, double* magnitude) {
      const State& all = *static_cast<const State*>(state);
      for (int c = 0; c < components<T>; ++c) {
        wide[c] = {O::wide(all, c).high, O::wide(all, c).low};
        magnitude[c] = O::magnitude(all, c);
      }
    };
  return oracle;
}

}  // namespace oracles

/// The oracle of an operator on elements of T with results of R.
template <Operator op, class T, class R = T>
inline constexpr Oracle oracle_of = oracles::erased<oracles::OracleOf<op, T, R>, T, R>();

}  // namespace redbench
