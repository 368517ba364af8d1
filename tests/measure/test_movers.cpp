// Movers of the CPU read and write all of their bytes: a ceiling over fewer bytes than it counts would be too
// high.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "src/measure/movers.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// While it lives, OpenMP has this number of threads.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

/// Small pages of memory that nobody has touched yet.
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

  char* start() const { return static_cast<char*>(memory_); }
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

TEST(Movers, BytesAreCountedInWholeWordsOfEachSpan) {
  const std::vector<char> memory(40);
  Move move{.from = {{memory.data(), 40}, {memory.data(), 17}, {memory.data(), 15}}};
  move.written = 33;
  EXPECT_EQ(move.bytes_read(), 48u);
  EXPECT_EQ(move.bytes_written(), 32u);
  EXPECT_EQ(move.bytes(), 80u);
}

// What is written is ones, however many cores and spans there are, and nothing behind it is touched.
TEST(Movers, EveryByteIsWrittenAndNoneBehindThem) {
  const Threads three(3);
  const std::vector<char> first(200'000, 5), second(70'000, 6);
  for (const std::size_t written : {16u, 4096u, 90'000u, 400'000u})
    for (const bool reads : {true, false}) {
      Move move{.from = {}};
      if (reads) move.from = {{first.data(), first.size()}, {second.data(), second.size()}};
      move.written = written;
      const std::size_t ways = host_movers(move).size();
      for (std::size_t way = 0; way < ways; ++way) {
        std::vector<char> to(written + 64, 7);
        move.to = to.data();
        const Mover mover = host_movers(move)[way];
        mover.enqueue();
        const auto end = to.begin() + std::ptrdiff_t(written);
        EXPECT_EQ(std::count(to.begin(), end, 1), std::ptrdiff_t(written)) << mover.how << written;
        EXPECT_EQ(std::count(end, to.end(), 7), 64) << mover.how << written;
      }
    }
}

TEST(Movers, ACopyOfSeveralSpansIsTheirBytesInARow) {
  const Threads three(3);
  std::vector<char> first(500'000), second(70'000);
  std::iota(first.begin(), first.end(), 1);
  std::iota(second.begin(), second.end(), 2);
  Move move{.from = {{first.data(), first.size()}, {second.data(), second.size()}}};
  move.written = first.size() + second.size();
  for (const std::size_t way : {0u, 1u}) {
    std::vector<char> to(move.written + 64, 7), expected = first;
    move.to = to.data();
    host_movers(move).at(way).enqueue();
    expected.insert(expected.end(), second.begin(), second.end());
    expected.resize(to.size(), 7);
    EXPECT_EQ(to, expected) << way;
  }
}

// A span of whole cache lines may end with a page behind which there is nothing.
TEST(Movers, AReadTouchesEveryPageOfEachSpanAndNoOther) {
  constexpr std::size_t page = UntouchedPages::page;
  const struct {
    const char* what;
    std::size_t start, bytes, touched;
  } spans[] = {{"301 pages", 0, 301 * page, 301},
               {"64 bytes of which one is on the first page", page - 1, 64, 2},
               {"the first page alone", 0, page, 1}};
  for (const auto& span : spans) {
    const auto ways_of = [&](const UntouchedPages& a, const UntouchedPages& b) {
      return host_movers({.from = {{a.start() + span.start, span.bytes}, b.span()}});
    };
    const std::size_t ways = ways_of(UntouchedPages(302), UntouchedPages(1)).size();
    EXPECT_GE(ways, 8u);
    for (std::size_t way = 0; way < ways; ++way) {
      const UntouchedPages a(302), b(13);
      const Mover mover = ways_of(a, b)[way];
      mover.enqueue();
      EXPECT_EQ(a.touched(), span.touched) << span.what << ": " << mover.how;
      EXPECT_EQ(b.touched(), 13u) << span.what << ": " << mover.how;
    }
  }
}

/// Page faults of the calling thread.
long faults() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

// A ceiling that one core reaches is none for variants that use all: each of four touches its own pages.
TEST(Movers, EachCoreMovesItsShare) {
  const Threads four(4);
  const auto faults_of = [](std::size_t way) {
    const UntouchedPages pages(1024);
    const Mover mover = host_movers({.from = {}, .to = pages.start(), .written = pages.span().bytes}).at(way);
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
}

// The record names the fastest way, by which somebody may read the same. What is copied or written alone is
// left to the C library.
TEST(Movers, EachWayHasItsName) {
  const Threads three(3);
  std::vector<char> memory(4096), to(4096);
  const auto names = [](const Move& move) {
    std::vector<std::string> all;
    for (const Mover& mover : host_movers(move)) all.push_back(mover.how);
    return all;
  };
  for (const std::size_t written : {0, 1024}) {
    const std::vector<std::string> ways =
        names({.from = {{memory.data(), 4096}}, .to = to.data(), .written = written});
    ASSERT_EQ(ways.size(), 16u) << "by one core or three, in 1, 2, 4 or 8 streams, prefetched or not";
    EXPECT_EQ(std::set(ways.begin(), ways.end()).size(), 16u);
    EXPECT_TRUE(ways[0].starts_with("1 core, 1 stream of ")) << ways[0];
    EXPECT_TRUE(ways[15].starts_with("3 cores, 8 streams each of ")) << ways[15];
    EXPECT_TRUE(ways[15].ends_with(" bytes at once, prefetched by 512")) << ways[15];
  }
  const std::vector<std::string> cores{"1 core", "3 cores"};
  EXPECT_EQ(names({.from = {{memory.data(), 4096}}, .to = to.data(), .written = 4096}), cores);
  EXPECT_EQ(names({.from = {}, .to = to.data(), .written = 4096}), cores);
  const Threads five(5);
  const std::vector<std::string> all{"1 core", "4 cores", "5 cores"}, many{"4 cores", "5 cores"};
  EXPECT_EQ(names({.from = {}, .to = to.data(), .written = std::size_t(64) << 20}), all);
  EXPECT_EQ(names({.from = {}, .to = to.data(), .written = std::size_t(65) << 20}), many);
  EXPECT_EQ(names({.from = {}, .to = to.data(), .written = std::size_t(300) << 20}), many);
  EXPECT_TRUE(movers(*modelled(), {.from = {{memory.data(), 4096}}}).empty()) << "it has no time of its own";
}

}  // namespace
}  // namespace redbench
