#include "src/cachesim/hierarchy.hpp"

#include <algorithm>

#include "src/inputs/words.hpp"

namespace redbench::cachesim {
namespace {

// Page tables lie beyond the arrays of any loop.
constexpr std::uint64_t entry_bytes = 8, entries_of_a_table = 512;
constexpr std::uint64_t page_table = std::uint64_t(1) << 52, directory = std::uint64_t(1) << 53;

const Words frames(1);

}  // namespace

Counts& Counts::add(const Counts& other, double factor) {
  for (const auto member : {&Counts::misses, &Counts::write_backs, &Counts::tlb_misses}) {
    std::vector<double>& to = this->*member;
    const std::vector<double>& from = other.*member;
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] += factor * from[i];
  }
  for (const auto member : {&Counts::loads, &Counts::stores, &Counts::memory_lines, &Counts::prefetches,
                            &Counts::tlb_load_misses, &Counts::walks, &Counts::walk_reads})
    this->*member += factor * other.*member;
  return *this;
}

Hierarchy::Hierarchy(const Machine& machine, std::uint64_t page_bytes) : machine_(machine) {
  for (const Level& level : machine.levels)
    caches_.emplace_back(level.bytes / machine.line_bytes / level.ways, level.ways, level.replacement);
  for (const Translation& translation : machine.translations)
    if (translation.page_bytes == page_bytes) translation_ = &translation;
  if (translation_) {
    for (const TlbLevel& level : translation_->levels)
      tlbs_.emplace_back(level.entries / level.ways, level.ways, Replacement::lru);
    directories_.emplace(1, translation_->directories, Replacement::lru);
  }
  frame_bytes_ = page_bytes ? page_bytes : 4096;
  counts_.misses.resize(caches_.size());
  counts_.write_backs.resize(caches_.size());
  counts_.tlb_misses.resize(tlbs_.size());
}

Block Hierarchy::line_of(std::uint64_t address) const {
  if (!machine_.scattered_frames) return address / machine_.line_bytes;
  // One of 2^40 frames: two pages hardly ever share one.
  const std::uint64_t frame = frames[address / frame_bytes_] >> 24;
  return frame * (frame_bytes_ / machine_.line_bytes) + address % frame_bytes_ / machine_.line_bytes;
}

void Hierarchy::evict(std::size_t from, const Cache::Victim& victim) {
  if (!victim.is_dirty) return;
  ++counts_.write_backs[from];
  for (std::size_t level = from + 1; level < caches_.size(); ++level)
    if (caches_[level].write_back(victim.block)) return;
  ++counts_.memory_lines;
}

/// Fetches a line that missed the first level into all levels above the one that has it, which is returned.
unsigned Hierarchy::fetch(Block line, bool write, bool prefetched) {
  unsigned found = 1;
  while (found < caches_.size() && !caches_[found].use(line, false).hit) ++found;
  if (found == caches_.size()) ++counts_.memory_lines;
  for (unsigned level = found; level-- > 0;)
    evict(level, caches_[level].insert(line, write && level == 0, prefetched && level == 0));
  return found;
}

void Hierarchy::prefetch(Block line, Block from) {
  const std::uint64_t lines_of_page = frame_bytes_ / machine_.line_bytes;
  if (machine_.scattered_frames && line / lines_of_page != from / lines_of_page) return;
  if (caches_.front().holds(line)) return;
  fetch(line, false, true);
  ++counts_.prefetches;
}

/// Prefetches one step ahead of a site whose last two steps were equal.
void Hierarchy::prefetch_stride(Site site, Block line) {
  Stride& stride = strides_[std::size_t(site)];
  const auto step = std::int64_t(line - stride.last);
  if (step == 0) return;
  if (step == stride.step) prefetch(line + Block(step), line);
  stride = {line, step};
}

void Hierarchy::prefetch_stream(Block line) {
  const Block page = line * machine_.line_bytes / 4096;
  auto found = std::ranges::find(streams_, page, &Stream::page);
  if (found == streams_.end()) *--found = {page, line};  // in the place of the one used longest ago
  std::rotate(streams_.begin(), found, found + 1);
  Block& last = streams_.front().last;
  const bool in_order = line == last + 1;
  last = line;
  if (in_order && (line + 1) * machine_.line_bytes / 4096 == page) prefetch(line + 1, line);
}

void Hierarchy::walk(Block page, Access& access) {
  const auto read = [&](std::uint64_t address) {
    ++counts_.walk_reads;
    const Block line = address / machine_.line_bytes;
    const unsigned found = caches_.front().use(line, false).hit ? 0 : fetch(line, false, false);
    access.translation_ns += found < caches_.size() ? machine_.levels[found].ns : machine_.memory_ns;
  };
  ++counts_.walks;
  access.walked = true;
  access.translation_ns += translation_->walk_ns;
  const Block table = page / entries_of_a_table;
  if (!directories_->use(table, false).hit) {
    directories_->insert(table, false, false);
    read(directory + table * entry_bytes);
  }
  read(page_table + page * entry_bytes);
}

void Hierarchy::translate(std::uint64_t address, bool write, Access& access) {
  const Block page = address / translation_->page_bytes;
  std::size_t found = 0;
  while (found < tlbs_.size() && !tlbs_[found].use(page, false).hit) ++counts_.tlb_misses[found++];
  if (found < tlbs_.size()) {
    access.translation_ns = translation_->levels[found].ns;
  } else {
    if (!write) ++counts_.tlb_load_misses;
    walk(page, access);
  }
  while (found-- > 0) tlbs_[found].insert(page, false, false);
}

Hierarchy::Access Hierarchy::access(Site site, std::uint64_t address, bool write) {
  ++(write ? counts_.stores : counts_.loads);
  Access access;
  const double lines_before = counts_.memory_lines;
  if (translation_) translate(address, write, access);
  const Block line = line_of(address);
  const Cache::Found first = caches_.front().use(line, write);
  if (!first.hit) {
    access.level = fetch(line, write, false);
    for (unsigned level = 0; level < access.level; ++level) ++counts_.misses[level];
  }
  access.ns = access.level < caches_.size() ? machine_.levels[access.level].ns : machine_.memory_ns;
  if (machine_.prefetch == Prefetch::stride) prefetch_stride(site, line);
  else if (machine_.prefetch == Prefetch::streams) prefetch_stream(line);
  else if (machine_.prefetch == Prefetch::next_line && (!first.hit || first.first_use))
    prefetch(line + 1, line);
  access.memory_lines = unsigned(counts_.memory_lines - lines_before);
  return access;
}

void Hierarchy::store_uncounted(std::uint64_t address) {
  const Block line = line_of(address);
  if (!caches_.front().use(line, true).hit) fetch(line, true, false);
}

}  // namespace redbench::cachesim
