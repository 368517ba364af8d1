#include "src/simt/block_shadow.hpp"

#include <algorithm>

namespace redbench::simt {
namespace {

constexpr std::size_t most_kept_pages = 256;  // of a shard, for the next launch: 370 MB in all

}  // namespace

bool Release::covers(const BlockStamp& done) const {
  if (done.phase != at.phase) return done.phase < at.phase;
  return done.thread / warp_lanes == at.thread / warp_lanes
             ? known[done.thread % warp_lanes] >= done.clock
             : done.thread < of_block.size() && of_block[done.thread] >= done.clock;
}

void BlockReleases::start_launch() {
  of_block_.clear();
  at_.clear();
  ended_.fill({});
  before_.fill({});
  of_several_ = false;
}

void BlockReleases::start_launch(unsigned gpu) {
  const std::lock_guard lock(mutex_);
  of_several_ = true;
  join(before_[gpu], ended_[gpu]);
}

void BlockReleases::hand_on(unsigned gpu, const KnownReleases& known) {
  const std::lock_guard lock(mutex_);
  join(ended_[gpu], known);
}

KnownReleases BlockReleases::handed_on(unsigned gpu) {
  const std::lock_guard lock(mutex_);
  return before_[gpu];
}

std::uint32_t BlockReleases::add(BlockName block, const Release& release) {
  const std::lock_guard lock(mutex_);
  std::vector<Release>& all = of_block_[block];
  all.push_back(release);
  return std::uint32_t(all.size());
}

void BlockReleases::publish(const void* address, const KnownReleases& known, unsigned gpu, bool in_system) {
  const std::lock_guard lock(mutex_);
  join(at_[place(address, gpu)], known);
  if (in_system) join(at_[place(address, any_gpu)], known);
}

void BlockReleases::acquire(const void* address, KnownReleases& known, unsigned gpu) {
  const std::lock_guard lock(mutex_);
  for (const unsigned scope : {gpu, any_gpu})
    if (const auto found = at_.find(place(address, scope)); found != at_.end()) join(known, found->second);
}

bool BlockReleases::covers(const KnownReleases& known, std::uint32_t block, const BlockStamp& done) {
  const auto any = [this](BlockName of, std::uint32_t count, const auto& holds) {
    const std::vector<Release>& all = of_block_[of];
    return std::any_of(all.begin(), all.begin() + count, holds);
  };
  const std::lock_guard lock(mutex_);
  const auto own = known.find(name_of(block, done));
  if (own != known.end() &&
      any(own->first, own->second, [&](const Release& release) { return release.covers(done); }))
    return true;
  // A later launch of the GPU, or a launch whose grid has met since, comes after all blocks of before.
  const auto later = [&](const Release& release) {
    return release.at.launch != done.launch ? release.at.launch > done.launch : release.at.grid > done.grid;
  };
  return of_several_ && std::ranges::any_of(known, [&](const auto& other) {
           return gpu_of(other.first) == done.gpu && any(other.first, other.second, later);
         });
}

void BlockReleases::join(KnownReleases& known, const KnownReleases& more) {
  for (const auto& [block, count] : more) {
    std::uint32_t& so_far = known[block];
    so_far = std::max(so_far, count);
  }
}

void BlockShadow::start_launch() {
  ++launch_;
  launches_.fill(0);
  releases_.start_launch();
  for (Shard& shard : shards_)
    if (shard.words.pages() > most_kept_pages) shard.words.clear();
}

std::uint32_t BlockShadow::start_launch(unsigned gpu) {
  releases_.start_launch(gpu);
  return std::min(launches_[gpu]++, most_counted);
}

std::optional<BlockShadow::Earlier> BlockShadow::enter(const Accessor& own, const Access& access) {
  const auto begin = reinterpret_cast<std::uintptr_t>(access.address), end = begin + access.bytes;
  const std::uint64_t era = std::uint64_t(launch_) << 32 | own.grid_phase;
  const Stamp stamp{own.block, own.stamp, CodeSite(access.where)};
  const auto refresh = [era](ShadowWord& word) {
    if (word.era == era) return;
    word = {};
    word.era = era;
  };
  const auto copied = [](const ShadowWord& whole) { return whole; };
  for (std::uintptr_t at = begin; at < end;) {  // a piece for each page
    const std::size_t page = at / Words::page_bytes;
    const std::uintptr_t piece_end = std::min(end, (page + 1) * Words::page_bytes);
    Shard& shard = shards_[page % shards];
    const std::lock_guard lock(shard.mutex);
    const auto earlier = shard.words.visit(at, piece_end - at, refresh, copied,
                                           [&](ShadowWord& word) { return enter(word, own, access, stamp); });
    if (earlier) return earlier;
    at = piece_end;
  }
  return std::nullopt;
}

std::optional<BlockShadow::Earlier> BlockShadow::enter(ShadowWord& word, const Accessor& own,
                                                       const Access& access, const Stamp& stamp) {
  const bool as_atomic = access.relaxed || access.kind == AccessKind::atomic;
  if (const auto earlier = racing(word.write, AccessKind::write, own)) return earlier;
  if (as_atomic)
    for (const Stamp& earlier : {word.atomics.last, word.atomics.other})
      if (const auto found = racing_atomic(earlier, own)) return found;
  if (as_atomic && access.kind == AccessKind::read) return std::nullopt;
  if (access.kind != AccessKind::read)
    if (const auto earlier = racing(word.reads, AccessKind::read, own)) return earlier;
  if (!as_atomic)
    if (const auto earlier = racing(word.atomics, AccessKind::atomic, own)) return earlier;
  if (as_atomic) word.atomics.add(stamp);
  else if (access.kind == AccessKind::read) word.reads.add(stamp);
  else word.write = stamp;
  return std::nullopt;
}

std::optional<BlockShadow::Earlier> BlockShadow::racing(const Stamp& earlier, AccessKind kind,
                                                        const Accessor& own) {
  if (earlier.block == Stamp::none) return std::nullopt;
  if (earlier.of.gpu == own.stamp.gpu &&
      (earlier.block == own.block || earlier.of.launch != own.stamp.launch ||
       earlier.of.grid != own.stamp.grid))
    return std::nullopt;
  if (releases_.covers(own.known, earlier.block, earlier.of)) return std::nullopt;
  return Earlier{kind, earlier.block, earlier.of.thread, earlier.site.where(), earlier.of.gpu};
}

/// Of two GPUs, where one of the two is of a narrower scope than the system.
std::optional<BlockShadow::Earlier> BlockShadow::racing_atomic(const Stamp& earlier, const Accessor& own) {
  if (earlier.of.gpu == own.stamp.gpu || (earlier.of.in_system && own.stamp.in_system)) return std::nullopt;
  return racing(earlier, AccessKind::atomic, own);
}

std::optional<BlockShadow::Earlier> BlockShadow::racing(const Stamps& earlier, AccessKind kind,
                                                        const Accessor& own) {
  if (const auto found = racing(earlier.last, kind, own)) return found;
  return racing(earlier.other, kind, own);
}

}  // namespace redbench::simt
