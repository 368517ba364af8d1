// How long a stream of accesses takes, one after the other or overlapping. A loop tells a clock its accesses,
// each with the time from which its address (and what it stores) is known; the clock gives the time at which
// the access has ended. So a loop says which accesses wait for which.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "src/caches/hierarchy.hpp"

namespace redbench::caches {

using Time = double;  // ns

/// The thesis' rule (Eilers 2014, 2.4): each access begins when the one before has ended.
class SerialClock {
 public:
  explicit SerialClock(Hierarchy& hierarchy) : hierarchy_(hierarchy) {}
  Time chained(Time known) const { return known; }
  Time load(Site site, std::uint64_t address, Time) { return access(site, address, false); }
  Time store(Site site, std::uint64_t address, Time) { return access(site, address, true); }
  void next_input() {}
  Time now() const { return now_; }

 private:
  Time access(Site site, std::uint64_t address, bool write) {
    const Hierarchy::Access found = hierarchy_.access(site, address, write);
    return now_ += found.translation_ns + found.ns;
  }

  Hierarchy& hierarchy_;
  Time now_ = 0;
};

/// Things of one kind, of which a machine has so many; each is taken for a while.
class Slots {
 public:
  explicit Slots(unsigned count) : free_(count, 0) {}
  /// From when on one is free, `from` at the earliest.
  Time begin(Time from) {
    next_ = std::ranges::min_element(free_);
    return std::max(from, *next_);
  }
  /// Takes the one that `begin` found until then.
  void take(Time until) { *next_ = until; }

 private:
  std::vector<Time> free_;
  std::vector<Time>::iterator next_ = free_.begin();
};

/// The same in order: each waits for the one so many before it, whichever ends first.
class Line {
 public:
  explicit Line(unsigned places) : free_(places, 0) {}
  Time begin(Time from) const { return std::max(from, free_[next_]); }
  void take(Time until) {
    free_[next_] = until;
    next_ = next_ + 1 == free_.size() ? 0 : next_ + 1;
  }

 private:
  std::vector<Time> free_;
  std::size_t next_ = 0;
};

/// Ours, not the thesis': accesses that do not wait for each other overlap, as far as Core lets them.
class OverlappedClock {
 public:
  OverlappedClock(Hierarchy& hierarchy, const Machine& machine);
  /// When an address that follows from a value loaded at that time is known.
  Time chained(Time known) const { return known + core_.chain_ns; }
  Time load(Site site, std::uint64_t address, Time known);
  Time store(Site site, std::uint64_t address, Time known);
  void next_input();
  Time now() const { return ended_; }

 private:
  Time access(Site site, std::uint64_t address, bool write, Time known);

  Hierarchy& hierarchy_;
  const Core& core_;
  Slots misses_, store_misses_, walks_;
  Line window_, stores_;
  Time begin_ = 0;  // of the input
  Time input_ = 0;  // when all of it has ended
  Time ended_ = 0;  // when all inputs so far have
  Time bus_ = 0;    // from when on memory takes the next line
  // The last updates, by address: what they left is forwarded to a load of the same.
  struct Update {
    std::uint64_t address = ~std::uint64_t(0);
    Time there = 0;
  };
  std::array<Update, 64> updates_;
};

}  // namespace redbench::caches
