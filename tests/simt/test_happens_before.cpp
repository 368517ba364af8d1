// What orders accesses of a block's threads, against vector clocks that hold a row for each thread, without
// the short cuts of ThreadClocks.
#include "src/simt/happens_before.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace redbench::simt {
namespace {

/// Vector clocks as in a textbook: whoever hears takes the larger of each thread's clocks.
struct Textbook {
  using Row = std::vector<std::uint32_t>;
  std::vector<Row> rows;
  std::map<int, Row> named;
  std::set<unsigned> ended;

  explicit Textbook(unsigned threads) : rows(threads, Row(threads, 0)) {
    for (unsigned thread = 0; thread < threads; ++thread) rows[thread][thread] = 1;
  }
  static void hear(Row& row, const Row& more) {
    for (std::size_t i = 0; i < more.size(); ++i) row[i] = std::max(row[i], more[i]);
  }
  void join(unsigned warp, unsigned lanes) {
    Row all(rows.size(), 0);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1) hear(all, rows[warp * 32 + lane]);
    for (unsigned lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1) {
        rows[warp * 32 + lane] = all;
        ++rows[warp * 32 + lane][warp * 32 + lane];
      }
  }
  void release(unsigned thread, int id) {
    named.try_emplace(id, rows.size(), 0);
    hear(named.at(id), rows[thread]);
    ++rows[thread][thread];
  }
  void meet() {
    Row all(rows.size(), 0);
    for (unsigned thread = 0; thread < rows.size(); ++thread)
      if (!ended.contains(thread)) hear(all, rows[thread]);
    for (unsigned thread = 0; thread < rows.size(); ++thread)
      if (!ended.contains(thread)) rows[thread] = all, ++rows[thread][thread];
  }
  void acquire(int id, std::span<Thread* const> threads) {
    if (const auto found = named.find(id); found != named.end())
      for (const Thread* thread : threads) hear(rows[thread->number], found->second);
    named.erase(id);
  }
};

TEST(ThreadClocks, AreVectorClocks) {
  std::mt19937 random(3);
  ThreadClocks clocks;
  for (int round = 0; round < 60; ++round) {
    const unsigned threads = 32 * (1 + unsigned(random() % 3));
    const std::uint32_t phase = clocks.phase();
    // A barrier of the block begins a phase, too, in which nobody knows of anybody.
    if (round % 3 == 0) clocks.start_block(int(threads) - int(random() % 32));
    else clocks.start_block(int(threads)), clocks.release(7, 1), clocks.join(0, 0x82), clocks.meet();
    EXPECT_GT(clocks.phase(), phase);
    Textbook expected(threads);
    for (int step = 0; step < 40; ++step) {
      const auto any = [&] {
        return random() % 3 ? unsigned(random() % threads) : random() % 2 * (threads - 1);
      };
      const unsigned thread = any();
      const int id = 1 + int(random() % 3);
      Thread first, second;
      first.number = thread;
      second.number = any();
      Thread* const waited[] = {&first, &second};
      switch (random() % 6) {
        case 0: {
          const unsigned lanes = (unsigned(random()) & unsigned(random())) | 1u << thread % 32;
          clocks.join(thread / 32, lanes);
          expected.join(thread / 32, lanes);
          break;
        }
        case 1:
          clocks.release(thread, id);
          expected.release(thread, id);
          break;
        case 2:
          clocks.acquire(id, waited);
          expected.acquire(id, waited);
          break;
        case 3:
          clocks.end(thread);
          expected.ended.insert(thread);
          break;
        case 4:  // a barrier of the others; without a thread that has ended it begins a phase
          if (expected.ended.empty()) break;
          clocks.meet();
          expected.meet();
          break;
        default:
          clocks.advance(thread);
          ++expected.rows[thread][thread];
      }
    }
    for (unsigned thread = 0; thread < threads; ++thread) {
      ASSERT_EQ(clocks.clock_of(thread), expected.rows[thread][thread]) << round;
      for (unsigned other = 0; other < threads; ++other) {
        const std::uint32_t known = expected.rows[thread][other];
        ASSERT_TRUE(known == 0 || clocks.knows(thread, other, known))
            << round << ' ' << thread << ' ' << other;
        ASSERT_EQ(clocks.knows(thread, other, known + 1), thread == other)
            << round << ' ' << thread << ' ' << other;
        if (thread / 32 == other / 32) {
          ASSERT_EQ(clocks.warp_row(thread)[other % 32], known) << round << ' ' << thread << ' ' << other;
        }
      }
    }
  }
}

}  // namespace
}  // namespace redbench::simt
