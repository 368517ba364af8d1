#include "src/simt/access_cost.hpp"

#include <algorithm>

#include "src/simt/lanes.hpp"

namespace redbench::simt {
namespace {

constexpr unsigned word_bytes = 4;
constexpr unsigned sector_bytes = 32, cache_line_bytes = 128;
constexpr unsigned most_banks = 32;

/// The distinct words that are accessed in each bank: as many wavefronts as the busiest bank has words.
class Wavefronts {
 public:
  void add(std::uint32_t word, unsigned banks) {
    const std::size_t bank = word % banks;
    const auto begin = words_[bank].begin(), end = begin + counts_[bank];
    if (std::find(begin, end, word) != end) return;
    *end = word;
    most_ = std::max<unsigned>(most_, ++counts_[bank]);
  }
  unsigned count() const { return most_; }

 private:
  std::array<std::uint8_t, most_banks> counts_{};
  // A group of lanes accesses 32 words, twice as many where none is aligned.
  std::array<std::array<std::uint32_t, 64>, most_banks> words_;
  unsigned most_ = 0;
};

/// Sorted keys of the active lanes; `count` of them are set.
struct Keys {
  std::array<std::uintptr_t, 64> values;
  unsigned count = 0;

  void add(std::uintptr_t key) { values[count++] = key; }
  void sort() {
    if (!std::is_sorted(values.begin(), values.begin() + count))
      std::sort(values.begin(), values.begin() + count);
  }
  unsigned distinct() {
    sort();
    return unsigned(std::unique(values.begin(), values.begin() + count) - values.begin());
  }
};

unsigned units_touched(const Addresses& addresses, unsigned active, unsigned bytes, unsigned unit) {
  Keys keys;
  for_lanes(active, [&](unsigned lane) {
    const std::uintptr_t first = addresses[lane] / unit, last = (addresses[lane] + bytes - 1) / unit;
    keys.add(first);
    if (last != first) keys.add(last);
  });
  return keys.distinct();
}

}  // namespace

SharedCost shared_cost(const Addresses& addresses, unsigned active, unsigned bytes, unsigned banks) {
  const unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;  // that go together
  SharedCost cost{0, 0};
  for (unsigned first = 0; first < 32; first += lanes) {
    const unsigned group = active & (lanes == 32 ? ~0u : ((1u << lanes) - 1) << first);
    if (!group) continue;
    Wavefronts wavefronts;
    for_lanes(group, [&](unsigned lane) {
      const std::uintptr_t last = (addresses[lane] + bytes - 1) / word_bytes;
      for (std::uintptr_t word = addresses[lane] / word_bytes; word <= last; ++word)
        wavefronts.add(std::uint32_t(word), banks);
    });
    cost.wavefronts += wavefronts.count();
    cost.ideal += 1;
  }
  return cost;
}

GlobalCost global_cost(const Addresses& addresses, unsigned active, unsigned bytes) {
  const unsigned packed = units_touched(addresses, active, 1, 1) * bytes;  // of distinct addresses
  return {units_touched(addresses, active, bytes, sector_bytes), (packed + sector_bytes - 1) / sector_bytes,
          units_touched(addresses, active, bytes, cache_line_bytes)};
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
