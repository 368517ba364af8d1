// The race detector of a block keeps the last accesses alone, and finds a race exactly where a search of all
// accesses does.
#include "src/simt/thread_shadow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redbench::simt {
namespace {

// Places of code, one for each access.
const char sites[8] = {};

struct Done {
  unsigned thread;
  AccessKind kind;  // a relaxed store is an update
  std::uint32_t clock;
  std::size_t begin, end;
  int site;
};

/// Those of another thread with a byte in common that are not ordered before, where not both are reads nor
/// both updates.
std::vector<Done> racing_with(const std::vector<Done>& all, const Done& own, ThreadClocks& clocks) {
  std::vector<Done> found;
  for (const Done& one : all) {
    const bool conflict = one.kind != own.kind || one.kind == AccessKind::write;
    if (one.thread != own.thread && one.begin < own.end && own.begin < one.end && conflict &&
        !clocks.knows(own.thread, one.thread, one.clock))
      found.push_back(one);
  }
  return found;
}

// Five threads of two warps, on 12 bytes; barriers of a warp, named ones and of the block among them, and the
// ends of threads.
TEST(ThreadShadow, FindsARaceWhereThereIsOne) {
  std::mt19937 random(9);
  int races = 0, fine = 0;
  for (int round = 0; round < 600; ++round) {
    ThreadClocks clocks;
    clocks.start_block(64);
    ThreadShadow shadow(clocks);
    shadow.start_block();
    std::vector<Done> all;
    std::vector<unsigned> threads{0, 1, 31, 32, 45};
    for (int step = 0; step < 120; ++step) {
      const unsigned thread = threads[random() % threads.size()], what = unsigned(random() % 100);
      if (what < 10) {
        clocks.join(thread / 32, unsigned(random()) | 1u << thread % 32);
      } else if (what < 20) {
        clocks.release(thread, 1 + int(random() % 2));
      } else if (what < 30) {
        Thread one;
        one.number = thread;
        Thread* const waited[] = {&one};
        clocks.acquire(1 + int(random() % 2), waited);
      } else if (what < 32) {
        clocks.meet();
        if (threads.size() == 5) all.clear();
      } else if (what < 33) {
        if (threads.size() == 1) break;
        clocks.end(thread);
        std::erase(threads, thread);
      } else {
        const auto kind = AccessKind(random() % 3);
        const bool relaxed = kind == AccessKind::write && random() % 2;
        const std::uint32_t bytes = 1u << random() % 4;
        const std::size_t begin = 1022 + random() % (13 - bytes);
        const int site = int(random() % 8);
        const Done own{
            thread, relaxed ? AccessKind::atomic : kind, clocks.clock_of(thread), begin, begin + bytes, site};
        const std::vector<Done> earlier = racing_with(all, own, clocks);
        if (!earlier.empty() && random() % 8) continue;
        const auto found = shadow.enter(thread, {kind, bytes, nullptr, sites + site, true, relaxed}, begin);
        ASSERT_EQ(found.has_value(), !earlier.empty()) << round << ' ' << step;
        if (found) {
          EXPECT_TRUE(std::ranges::any_of(earlier,
                                          [&](const Done& one) {
                                            return one.kind == found->kind && one.thread == found->thread &&
                                                   one.clock == found->clock &&
                                                   sites + one.site == found->where;
                                          }))
              << round << ' ' << step;
          ++races;
          break;
        }
        ++fine;
        all.push_back(own);
      }
    }
  }
  EXPECT_GT(races, 100);
  EXPECT_GT(fine, 5000);
}

}  // namespace
}  // namespace redbench::simt
