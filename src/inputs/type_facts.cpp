#include "src/inputs/type_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace redbench {
namespace {

template <class T>
using Real = typename TypeTraits<T>::Real;

template <class T>
double component(const void* values, std::size_t index) {
  return double(static_cast<const Real<T>*>(values)[index]);
}

template <class T>
Index whole(const void* values, std::size_t index) {
  return Index(static_cast<const T*>(values)[index]);
}

template <class T>
std::string text(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (is_complex<T>) return fmt::format("({}, {})", value.re, value.im);
  else if constexpr (std::is_same_v<T, AffineMap>) return fmt::format("x -> {} x + {}", value.a, value.b);
  else if constexpr (!TypeTraits<T>::integer && sizeof(T) < sizeof(f32)) return fmt::format("{}", f32(value));
  else return fmt::format("{}", value);
}

template <class T>
Index first_not_finite(const void* values, Index count) {
  if constexpr (TypeTraits<T>::integer) return count;
  constexpr int components = TypeTraits<T>::components;
  Index first = count * components;
#pragma omp parallel for reduction(min : first)
  for (Index i = 0; i < count * components; ++i)
    if (!std::isfinite(component<T>(values, std::size_t(i)))) first = std::min(first, i);
  return first / components;
}

template <class T>
constexpr TypeFacts facts() {
  using Traits = TypeTraits<T>;
  TypeFacts facts{.type = Traits::type,
                  .name = Traits::name,
                  .npy = Traits::npy,
                  .bytes = sizeof(T),
                  .component_bytes = sizeof(Real<T>),
                  .components = Traits::components,
                  .columns = Traits::columns,
                  .integer = Traits::integer,
                  .digits = Traits::digits,
                  .unit = Traits::integer ? 0 : 1 / double(std::uint64_t(1) << Traits::digits),
                  .largest = double(Traits::largest()),
                  .low_poison = Traits::low_poison,
                  .high_poison = Traits::high_poison,
                  .text = text<T>,
                  .component = component<T>,
                  .whole = nullptr,
                  .first_not_finite = first_not_finite<T>};
  if constexpr (Traits::integer && Traits::components == 1) facts.whole = whole<T>;
  return facts;
}

template <class... T>
constexpr auto table_of(TypeList<T...>) {
  return std::array<TypeFacts, sizeof...(T)>{facts<T>()...};
}
constexpr auto table = table_of(DataTypes{});

/// In the order of Type, as its values are places in the table.
static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (std::size_t(table[i].type) != i) return false;
  return true;
}());

constexpr TypeFacts map_facts = facts<AffineMap>();

}  // namespace

std::span<const TypeFacts> all_types() { return table; }

const TypeFacts& facts_of(Type type) { return table[std::size_t(type)]; }

const TypeFacts& facts_of_maps() { return map_facts; }

}  // namespace redbench
