#include "src/simt/access_cost.hpp"

#include <algorithm>

#include "src/simt/lanes.hpp"

namespace redbench::simt {
namespace {

constexpr unsigned word_bytes = 4;
constexpr unsigned sector_bytes = 32, cache_line_bytes = 128;
constexpr unsigned most_banks = 32;

/// Words, sectors or addresses of the active lanes, of which `count` are set; a lane that is not aligned has two.
struct Keys {
  std::array<std::uintptr_t, 64> values;
  unsigned count = 0;

  void add(std::uintptr_t key) { values[count++] = key; }
  void sort() {
    if (!std::is_sorted(values.begin(), values.begin() + count))
      std::sort(values.begin(), values.begin() + count);
  }
  void make_distinct() {
    sort();
    count = unsigned(std::unique(values.begin(), values.begin() + count) - values.begin());
  }
};

/// The units of memory in which the accesses of the lanes have a byte, each once. At most 64 are there.
Keys units_touched(const Addresses& addresses, unsigned active, unsigned bytes, unsigned unit) {
  Keys keys;
  for_lanes(active, [&](unsigned lane) {
    const std::uintptr_t last = (addresses[lane] + bytes - 1) / unit;
    for (std::uintptr_t at = addresses[lane] / unit; at <= last; ++at) keys.add(at);
  });
  keys.make_distinct();
  return keys;
}

}  // namespace

SharedCost shared_cost(const Addresses& addresses, unsigned active, unsigned bytes, unsigned banks) {
  const unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;  // that go together
  SharedCost cost{0, 0};
  for (unsigned first = 0; first < 32; first += lanes) {
    const unsigned group = active & (lanes == 32 ? ~0u : ((1u << lanes) - 1) << first);
    if (!group) continue;
    const Keys words = units_touched(addresses, group, bytes, word_bytes);
    std::array<unsigned, most_banks> of_bank{};
    for (unsigned i = 0; i < words.count; ++i) ++of_bank[words.values[i] % banks];
    cost.wavefronts += *std::ranges::max_element(of_bank);  // the busiest bank serves a word in each
    cost.ideal += 1;
  }
  return cost;
}

GlobalCost global_cost(const Addresses& addresses, unsigned active, unsigned bytes) {
  const unsigned packed = units_touched(addresses, active, 1, 1).count * bytes;  // of distinct addresses
  return {units_touched(addresses, active, bytes, sector_bytes).count,
          (packed + sector_bytes - 1) / sector_bytes,
          units_touched(addresses, active, bytes, cache_line_bytes).count};
}

unsigned same_address_degree(const Addresses& addresses, unsigned active) {
  Keys keys;
  for_lanes(active, [&](unsigned lane) { keys.add(addresses[lane]); });
  keys.sort();
  unsigned most = 0, run = 0;
  for (unsigned i = 0; i < keys.count; ++i) {
    run = i > 0 && keys.values[i] == keys.values[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

}  // namespace redbench::simt
