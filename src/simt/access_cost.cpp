#include "src/simt/access_cost.hpp"

#include <algorithm>
#include <boost/container/static_vector.hpp>

#include "src/simt/block.hpp"

namespace redbench::simt {
namespace {

constexpr unsigned word_bytes = 4;
constexpr unsigned sector_bytes = 32, cache_line_bytes = 128;
constexpr unsigned most_banks = 32;

/// At most 96: a lane that is not aligned has two sectors or cache lines, and of words 4 bytes are 2, 8 bytes
/// 3 in each of 32 lanes, 16 bytes 5 in each of 16.
using Units = boost::container::static_vector<std::uintptr_t, 96>;

/// The units of memory in which the accesses of the lanes have a byte, each once.
Units units_touched(const Addresses& addresses, unsigned active, unsigned bytes, unsigned unit) {
  Units units;
  for_lanes(active, [&](unsigned lane) {
    const std::uintptr_t last = (addresses[lane] + bytes - 1) / unit;
    for (std::uintptr_t at = addresses[lane] / unit; at <= last; ++at) units.push_back(at);
  });
  if (!std::ranges::is_sorted(units)) std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  return units;
}

/// Whether no two active lanes whose numbers differ in the bit `apart` access different addresses.
bool partners_agree(const Addresses& addresses, unsigned active, unsigned apart) {
  unsigned differ = 0;
  for_lanes(active, [&](unsigned lane) {
    differ |= active >> (lane ^ apart) & unsigned(addresses[lane ^ apart] != addresses[lane]);
  });
  return !differ;
}

}  // namespace

SharedCost shared_cost(const Addresses& addresses, unsigned active, unsigned bytes, unsigned banks,
                       bool loads) {
  unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;  // that go together
  if (loads && lanes < 32 && (partners_agree(addresses, active, 1) || partners_agree(addresses, active, 2)))
    lanes *= 2;
  SharedCost cost{0, 0};
  for (unsigned first = 0; first < 32; first += lanes) {
    const unsigned group = active & (lanes == 32 ? ~0u : ((1u << lanes) - 1) << first);
    if (!group) continue;
    std::array<unsigned, most_banks> of_bank{};
    for (const std::uintptr_t word : units_touched(addresses, group, bytes, word_bytes))
      ++of_bank[word % banks];
    cost.wavefronts += *std::ranges::max_element(of_bank);  // the busiest bank serves a word in each
    cost.ideal += 1;
  }
  return cost;
}

GlobalCost global_cost(const Addresses& addresses, unsigned active, unsigned bytes) {
  const auto count = [&](unsigned of_each, unsigned unit) {
    return unsigned(units_touched(addresses, active, of_each, unit).size());
  };
  const unsigned packed = count(1, 1) * bytes;  // of distinct addresses
  return {count(bytes, sector_bytes), (packed + sector_bytes - 1) / sector_bytes,
          count(bytes, cache_line_bytes)};
}

unsigned same_address_degree(const Addresses& addresses, unsigned active) {
  int most = 0;
  for_groups(
      active, [&](unsigned lane) { return addresses[lane]; },
      [&](unsigned same, std::uintptr_t) { most = std::max(most, std::popcount(same)); });
  return unsigned(most);
}

}  // namespace redbench::simt
