#include "src/reference/planted.hpp"

#include <algorithm>
#include <cstring>

#include "src/inputs/distributions.hpp"
#include "src/reference/oracle.hpp"

namespace redbench {

bool hides_values(const InputSpec& input) {
  const Pair& pair = *input.pair;
  if (!pair.takes_planted) return false;
  const OperatorTraits& op = traits_of(pair.op);
  return op.selects != Selects::nothing || (op.arithmetic == Arithmetic::multiplication && !pair.exact);
}

HostBuffer identities(const Pair& pair, std::size_t bytes) {
  const std::size_t element = pair.value->bytes;
  alignas(state_alignment) std::byte state[most_state_bytes];
  HostBuffer one(element), all(bytes);
  pair.oracle->start(state);
  pair.oracle->put_result(state, one.data.get());
#pragma omp parallel for
  for (std::size_t at = 0; at < bytes; at += element)
    std::memcpy(all.data.get() + at, one.data.get(), element);
  return all;
}

HostBuffer planted_value(const Pair& pair, std::uint64_t seed) {
  const std::size_t element = pair.value->bytes;
  const HostBuffer identity = identities(pair, element);
  constexpr Index not_a_unit = 2;  // of the factors of a product, whatever the seed (exact_factor)
  HostBuffer drawn((not_a_unit + 1) * element), value(element);
  do {
    pair.generate({Distribution::uniform, seed++, not_a_unit + 1}, drawn.data.get());
    std::memcpy(value.data.get(), drawn.data.get() + not_a_unit * element, element);
  } while (std::memcmp(value.data.get(), identity.data.get(), element) == 0);
  return value;
}

HostBuffer other_planted_value(const Pair& pair, std::uint64_t seed, const HostBuffer& value) {
  HostBuffer other = planted_value(pair, ++seed);
  const bool by_place = traits_of(pair.op).selects == Selects::by_place;
  while (by_place && std::memcmp(other.data.get(), value.data.get(), value.bytes) == 0)
    other = planted_value(pair, ++seed);
  return other;
}

std::vector<Index> planting_places(Index count, std::uint64_t seed, const std::vector<Index>& blocks) {
  if (count == 0) return {};
  std::vector<Index> wanted{count - 1, 0, count / 2};
  for (const Index sharing : blocks) {
    const Index share = ceil_div(count, std::max<Index>(sharing, 1));
    if (sharing > 1) wanted.insert(wanted.end(), {share - 1, share, (count - 1) / share * share});
  }
  const Words words(seed);
  for (const std::uint64_t i : {0, 1, 2}) wanted.push_back(Index(words[i] % std::uint64_t(count)));
  std::vector<Index> places;
  for (const Index place : wanted)
    if (place < count && std::find(places.begin(), places.end(), place) == places.end())
      places.push_back(place);
  return places;
}

}  // namespace redbench
