// How long a stream of accesses takes, one after the other or overlapping. A loop calls a clock for each
// access, with the time at which its address (and what it stores) is known; the clock returns the time at
// which the access has ended. Dependences between accesses are thus passed on as times.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "src/cachesim/hierarchy.hpp"

namespace redbench::cachesim {

using Time = double;  // ns

/// Serial timing, as in Eilers' thesis (2014, 2.4): each access begins when the one before has ended.
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

/// A pool of equal resources (miss buffers, page walkers), each of which is occupied for a while.
class Slots {
 public:
  explicit Slots(unsigned count) : free_(count, 0) {}
  /// The time at which a resource is free, `from` at the earliest.
  Time begin(Time from) {
    next_ = std::ranges::min_element(free_);
    return std::max(from, *next_);
  }
  /// Occupies the one that `begin` found until then.
  void take(Time until) { *next_ = until; }

 private:
  std::vector<Time> free_;
  std::vector<Time>::iterator next_ = free_.begin();
};

/// A ring of resources that are taken in order (reorder window, store buffer): each waits for the one
/// `places` before it, whichever ends first.
class Ring {
 public:
  explicit Ring(unsigned places) : free_(places, 0) {}
  Time begin(Time from) const { return std::max(from, free_[next_]); }
  void take(Time until) {
    free_[next_] = until;
    next_ = next_ + 1 == free_.size() ? 0 : next_ + 1;
  }

 private:
  std::vector<Time> free_;
  std::size_t next_ = 0;
};

/// Overlapped timing, ours: accesses that do not depend on each other overlap within the limits of Core.
class OverlappedClock {
 public:
  OverlappedClock(Hierarchy& hierarchy, const Machine& machine)
      : hierarchy_(hierarchy),
        core_(machine.core),
        misses_(core_.misses),
        store_misses_(core_.store_misses),
        walks_(core_.walks),
        window_(core_.window),
        stores_(core_.stores) {}

  /// When an address is known that is computed from a value loaded at that time.
  Time chained(Time known) const { return known + core_.chain_ns; }

  Time load(Site site, std::uint64_t address, Time known) {
    Time end = access(site, address, false, known);
    const Update& update = updates_[address / 4 % updates_.size()];
    if (update.address == address) end = std::max(end, update.there);
    input_ = std::max(input_, end);
    return end;
  }

  Time store(Site site, std::uint64_t address, Time known) {
    updates_[address / 4 % updates_.size()] = {address, known + core_.forward_ns};
    // A store retires once the store buffer has room, and reaches the first level afterwards.
    const Time room = stores_.begin(std::max(known, begin_));
    input_ = std::max(input_, room);
    const Time end = access(site, address, true, known);
    stores_.take(end);
    return end;
  }

  void next_input() {
    ended_ = std::max(ended_, input_);
    window_.take(ended_);
    begin_ = window_.begin(begin_ + core_.input_ns);
    input_ = begin_;
  }
  Time now() const { return ended_; }

 private:
  Time access(Site site, std::uint64_t address, bool write, Time known) {
    const Hierarchy::Access found = hierarchy_.access(site, address, write);
    Time start = std::max(known, begin_);
    if (found.walked) {
      start = walks_.begin(start) + found.translation_ns;
      walks_.take(start);
    } else {
      start += found.translation_ns;
    }
    Slots& misses = write ? store_misses_ : misses_;
    if (found.level > 0) start = misses.begin(start);
    Time end = start + found.ns;
    if (found.memory_lines > 0) {  // prefetches and write-backs, too
      bus_ = std::max(bus_, start) + core_.line_ns * found.memory_lines;
      end = std::max(end, bus_);
    }
    if (found.level > 0) misses.take(end);
    return end;
  }

  Hierarchy& hierarchy_;
  const Core& core_;
  Slots misses_, store_misses_, walks_;
  Ring window_, stores_;
  Time begin_ = 0;  // of the current input
  Time input_ = 0;  // when all accesses of the current input have ended
  Time ended_ = 0;  // when all inputs so far have ended
  Time bus_ = 0;    // when the memory bus is free
  // Store-to-load forwarding: the last stores, by address.
  struct Update {
    std::uint64_t address = ~std::uint64_t(0);
    Time there = 0;
  };
  std::array<Update, 64> updates_;
};

}  // namespace redbench::cachesim
