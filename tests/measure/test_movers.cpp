// Movers of the CPU move what they are told: a ceiling over fewer bytes than it counts would be too high.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "src/measure/movers.hpp"
#include "tests/measure/mover_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

constexpr char untouched = 7;

struct Moved {
  explicit Moved(std::vector<std::size_t> reads, std::size_t written) : to(written + 64, untouched) {
    for (const std::size_t bytes : reads) {
      from.emplace_back(bytes);
      std::iota(from.back().begin(), from.back().end(), char(from.size()));
    }
    for (const std::vector<char>& bytes : from) move.from.push_back({bytes.data(), bytes.size()});
    move.to = to.data();
    move.written = written;
  }
  /// Whether every byte up to `written` was written, and none past it.
  bool wrote_all() const {
    const auto end = to.begin() + std::ptrdiff_t(move.bytes_written());
    return std::none_of(to.begin(), end, [](char c) { return c == untouched; }) &&
           std::all_of(end, to.end(), [](char c) { return c == untouched; });
  }

  std::vector<std::vector<char>> from;
  std::vector<char> to;
  Move move;
};

TEST(Movers, BytesAreCountedInWholeWordsOfEachSpan) {
  const Moved moved({40, 17, 15}, 33);
  EXPECT_EQ(moved.move.bytes_read(), 48u);
  EXPECT_EQ(moved.move.bytes_written(), 32u);
  EXPECT_EQ(moved.move.bytes(), 80u);
}

/// A move of its own for each of the ways.
template <class Check>
void try_all(const std::vector<std::size_t>& reads, std::size_t written, const Check& check) {
  const std::size_t ways = host_movers(Moved(reads, written).move).size();
  ASSERT_GE(ways, 1u);
  for (std::size_t way = 0; way < ways; ++way) {
    const Moved moved(reads, written);
    const Mover mover = host_movers(moved.move)[way];
    mover.enqueue();
    check(moved, mover.how);
  }
}

TEST(Movers, AMixWritesAllOfItsBytesAndNoMore) {
  for (const std::size_t written : {16u, 5000u, 100'000u, 999'984u, 2'000'000u})
    try_all({600'000, 100'000}, written, [&](const Moved& moved, const std::string& how) {
      EXPECT_TRUE(moved.wrote_all()) << written << ": " << how;
    });
}

/// Pages that nobody has touched yet.
class UntouchedPages {
 public:
  static constexpr std::size_t page = 4096;
  explicit UntouchedPages(std::size_t count) : count_(count) {
    memory_ = mmap(nullptr, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, count * page, MADV_NOHUGEPAGE);
  }
  ~UntouchedPages() { munmap(memory_, count_ * page); }
  UntouchedPages(const UntouchedPages&) = delete;
  UntouchedPages& operator=(const UntouchedPages&) = delete;

  Span span() const { return {memory_, count_ * page}; }
  std::size_t touched() const {
    std::vector<unsigned char> resident(count_);
    if (mincore(memory_, count_ * page, resident.data()) != 0) return 0;
    return std::size_t(std::count_if(resident.begin(), resident.end(), [](auto r) { return r & 1; }));
  }

 private:
  void* memory_;
  std::size_t count_;
};

TEST(Movers, AReadTouchesEveryPageOfEachSpan) {
  const auto ways_of = [](const UntouchedPages& a, const UntouchedPages& b) {
    return host_movers({.from = {a.span(), b.span()}});
  };
  const std::size_t ways = ways_of(UntouchedPages(1), UntouchedPages(1)).size();
  EXPECT_GE(ways, 8u);
  for (std::size_t way = 0; way < ways; ++way) {
    const UntouchedPages many(301), few(13);
    ASSERT_EQ(many.touched() + few.touched(), 0u);
    const Mover mover = ways_of(many, few)[way];
    mover.enqueue();
    EXPECT_EQ(many.touched(), 301u) << mover.how;
    EXPECT_EQ(few.touched(), 13u) << mover.how;
  }
}

// The span's first byte is the last of a page.
TEST(Movers, AReadBeginsAtTheFirstByte) {
  const auto ways_of = [](const UntouchedPages& pages) {
    return host_movers(
        {.from = {{static_cast<const char*>(pages.span().start) + UntouchedPages::page - 1, 64}}});
  };
  const std::size_t ways = ways_of(UntouchedPages(2)).size();
  for (std::size_t way = 0; way < ways; ++way) {
    const UntouchedPages pages(2);
    const Mover mover = ways_of(pages)[way];
    mover.enqueue();
    EXPECT_EQ(pages.touched(), 2u) << mover.how;
  }
}

TEST(Movers, WritingAloneWritesAll) {
  try_all({}, 300'000,
          [](const Moved& moved, const std::string& how) { EXPECT_TRUE(moved.wrote_all()) << how; });
}

// A ceiling that one core reaches is none for variants that use all: each of four touches its own pages.
TEST(Movers, EachCoreMovesItsShare) {
  const Threads four(4);
  const auto faults_of = [](std::size_t way) {
    const UntouchedPages pages(1024);
    Move move{.from = {}};
    move.to = const_cast<void*>(pages.span().start);
    move.written = pages.span().bytes;
    const Mover mover = host_movers(move).at(way);
    const long before = faults();
    mover.enqueue();
    EXPECT_EQ(pages.touched(), 1024u) << mover.how;
    return faults() - before;
  };
  const long of_one = faults_of(0), of_one_in_four = faults_of(1);
  if (of_one == 0) GTEST_SKIP() << "this system counts no page faults";
  EXPECT_GE(of_one, 1024);
  EXPECT_GE(of_one_in_four, 256);
  EXPECT_LT(of_one_in_four, of_one / 2) << "a quarter, and some of threads that start";
  const Threads two(2);
  const long of_one_in_two = faults_of(1);
  EXPECT_GE(of_one_in_two, 512);
  EXPECT_LT(of_one_in_two, of_one * 3 / 4);
}

// The record names the fastest way, by which somebody may read the same.
TEST(Movers, AWayToReadSaysItsCoresStreamsAndPrefetch) {
  const Threads four(4);
  const UntouchedPages pages(1);
  const std::vector<Mover> ways = host_movers({.from = {pages.span()}});
  ASSERT_EQ(ways.size(), 16u) << "by 1 core and by 4, with 1, 2, 4 or 8 streams, prefetched or not";
  const std::string first = "1 core, 1 stream of ";
  ASSERT_TRUE(ways[0].how.starts_with(first)) << ways[0].how;
  const std::string word = ways[0].how.substr(first.size(), ways[0].how.find(" bytes") - first.size());
  EXPECT_EQ(word, widest_by_the_system());
  std::size_t way = 0;
  for (const char* const cores : {"1 core, ", "4 cores, "})
    for (const char* const end : {" bytes at once", " bytes at once, prefetched by 512"})
      for (const char* const streams :
           {"1 stream of ", "2 streams each of ", "4 streams each of ", "8 streams each of "})
        EXPECT_EQ(ways[way++].how, cores + (streams + word) + end);
}

// What is copied or written is left to the C library.
TEST(Movers, AWayToWriteOrToCopySaysItsCores) {
  const Threads four(4);
  const Moved written({}, 4096), copied({4096}, 4096);
  for (const Moved* const moved : {&written, &copied}) {
    const std::vector<Mover> ways = host_movers(moved->move);
    ASSERT_EQ(ways.size(), 2u);
    EXPECT_EQ(ways[0].how, "1 core");
    EXPECT_EQ(ways[1].how, "4 cores");
  }
}

// The modelled GPU has no time of its own.
TEST(Movers, AreThoseOfTheDevice) {
  const Moved moved({4096}, 0);
  EXPECT_EQ(movers(*make_host(), moved.move).size(), host_movers(moved.move).size());
  EXPECT_TRUE(movers(*modelled(), moved.move).empty());
}

// A span of whole cache lines ends with a page, behind which there may be nothing.
TEST(Movers, AReadEndsWithTheSpan) {
  const auto ways_of = [](const UntouchedPages& pages) {
    return host_movers({.from = {{pages.span().start, UntouchedPages::page}}});
  };
  const std::size_t ways = ways_of(UntouchedPages(2)).size();
  for (std::size_t way = 0; way < ways; ++way) {
    const UntouchedPages pages(2);
    const Mover mover = ways_of(pages)[way];
    mover.enqueue();
    EXPECT_EQ(pages.touched(), 1u) << mover.how;
  }
}

TEST(Movers, ACopyOfSeveralSpansIsTheirBytesInARow) {
  const std::size_t first = 500'000, second = 70'000;
  try_all({first, second}, first + second, [&](const Moved& moved, const std::string& how) {
    EXPECT_TRUE(std::equal(moved.from[0].begin(), moved.from[0].end(), moved.to.begin())) << how;
    EXPECT_TRUE(std::equal(moved.from[1].begin(), moved.from[1].end(), moved.to.begin() + first)) << how;
    EXPECT_TRUE(std::all_of(moved.to.end() - 64, moved.to.end(), [](char c) { return c == untouched; }));
  });
}

}  // namespace
}  // namespace redbench
