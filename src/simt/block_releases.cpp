#include "src/simt/block_releases.hpp"

#include <algorithm>

namespace redbench::simt {

bool Release::covers(const BlockStamp& done) const {
  if (done.phase != at.phase) return done.phase < at.phase;
  return done.thread / warp_lanes == at.thread / warp_lanes && known[done.thread % warp_lanes] >= done.clock;
}

void BlockReleases::start_launch() {
  of_block_.clear();
  at_.clear();
}

std::uint32_t BlockReleases::add(std::uint32_t block, const Release& release) {
  const std::lock_guard lock(mutex_);
  std::vector<Release>& all = of_block_[block];
  all.push_back(release);
  return std::uint32_t(all.size());
}

void BlockReleases::publish(const void* address, const KnownReleases& known) {
  const std::lock_guard lock(mutex_);
  join(at_[address], known);
}

void BlockReleases::acquire(const void* address, KnownReleases& known) {
  const std::lock_guard lock(mutex_);
  if (const auto found = at_.find(address); found != at_.end()) join(known, found->second);
}

bool BlockReleases::covers(const KnownReleases& known, std::uint32_t block, const BlockStamp& done) {
  const auto found = known.find(block);
  if (found == known.end()) return false;
  const std::lock_guard lock(mutex_);
  const std::vector<Release>& all = of_block_[block];
  return std::any_of(all.begin(), all.begin() + found->second,
                     [&](const Release& release) { return release.covers(done); });
}

void BlockReleases::join(KnownReleases& known, const KnownReleases& more) {
  for (const auto& [block, count] : more) {
    std::uint32_t& so_far = known[block];
    so_far = std::max(so_far, count);
  }
}

}  // namespace redbench::simt
