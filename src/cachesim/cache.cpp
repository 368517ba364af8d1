#include "src/cachesim/cache.hpp"

#include <algorithm>
#include <bit>

namespace redbench::cachesim {

Cache::Cache(std::uint64_t sets, unsigned ways, Replacement replacement)
    : sets_(sets),
      mask_(std::has_single_bit(sets) ? sets - 1 : 0),
      ways_(ways),
      is_lru_(replacement == Replacement::lru),
      entries_(std::size_t(sets) * ways, none),
      trees_(is_lru_ ? 0 : std::size_t(sets), 0) {}

unsigned Cache::way_of(const Entry* set, Block block) const {
  unsigned way = 0;
  while (way < ways_ && set[way] >> 2 != block) ++way;
  return way;
}

void Cache::point_away(std::uint64_t index, unsigned way) {
  std::uint64_t& tree = trees_[std::size_t(index)];
  for (unsigned node = ways_ + way; node > 1; node /= 2) {
    const std::uint64_t bit = std::uint64_t(1) << (node / 2);
    if (node % 2) tree &= ~bit;  // a right child: point to the left one
    else tree |= bit;
  }
}

unsigned Cache::way_pointed_at(std::uint64_t index) const {
  const std::uint64_t tree = trees_[std::size_t(index)];
  unsigned node = 1;
  while (node < ways_) node = 2 * node + unsigned(tree >> node & 1);
  return node - ways_;
}

Cache::Found Cache::use(Block block, bool write) {
  Entry* const set = set_of(block);
  const unsigned way = way_of(set, block);
  if (way == ways_) return {};
  Entry entry = set[way];
  const bool first_use = entry & prefetched_bit;
  entry = (entry & ~prefetched_bit) | (write ? dirty_bit : 0);
  if (is_lru_) {
    for (unsigned i = way; i > 0; --i) set[i] = set[i - 1];
    set[0] = entry;
  } else {
    set[way] = entry;
    point_away(index_of(block), way);
  }
  return {true, first_use};
}

Cache::Victim Cache::insert(Block block, bool dirty, bool prefetched) {
  Entry* const set = set_of(block);
  const Entry entry = block << 2 | (prefetched ? prefetched_bit : 0) | (dirty ? dirty_bit : 0);
  Entry victim;
  if (is_lru_) {
    victim = set[ways_ - 1];
    for (unsigned i = ways_ - 1; i > 0; --i) set[i] = set[i - 1];
    set[0] = entry;
  } else {
    unsigned way = unsigned(std::find(set, set + ways_, none) - set);
    if (way == ways_) way = way_pointed_at(index_of(block));
    victim = set[way];
    set[way] = entry;
    point_away(index_of(block), way);
  }
  if (victim == none) return {};
  return {victim >> 2, (victim & dirty_bit) != 0};
}

bool Cache::holds(Block block) const {
  const Entry* const set = &entries_[std::size_t(index_of(block)) * ways_];
  return way_of(set, block) < ways_;
}

bool Cache::write_back(Block block) {
  Entry* const set = set_of(block);
  const unsigned way = way_of(set, block);
  if (way == ways_) return false;
  set[way] |= dirty_bit;
  return true;
}

}  // namespace redbench::cachesim
