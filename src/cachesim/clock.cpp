#include "src/cachesim/clock.hpp"

#include <algorithm>

namespace redbench::cachesim {

OverlappedClock::OverlappedClock(Hierarchy& hierarchy, const Machine& machine)
    : hierarchy_(hierarchy),
      core_(machine.core),
      misses_(core_.misses),
      store_misses_(core_.store_misses),
      walks_(core_.walks),
      window_(core_.window),
      stores_(core_.stores) {}

Time OverlappedClock::access(Site site, std::uint64_t address, bool write, Time known) {
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

Time OverlappedClock::load(Site site, std::uint64_t address, Time known) {
  Time end = access(site, address, false, known);
  const Update& update = updates_[address / 4 % updates_.size()];
  if (update.address == address) end = std::max(end, update.there);
  input_ = std::max(input_, end);
  return end;
}

Time OverlappedClock::store(Site site, std::uint64_t address, Time known) {
  updates_[address / 4 % updates_.size()] = {address, known + core_.forward_ns};
  // A store retires once the store buffer has room, and reaches the first level afterwards.
  const Time room = stores_.begin(std::max(known, begin_));
  input_ = std::max(input_, room);
  const Time end = access(site, address, true, known);
  stores_.take(end);
  return end;
}

void OverlappedClock::next_input() {
  ended_ = std::max(ended_, input_);
  window_.take(ended_);
  begin_ = window_.begin(begin_ + core_.input_ns);
  input_ = begin_;
}

}  // namespace redbench::cachesim
