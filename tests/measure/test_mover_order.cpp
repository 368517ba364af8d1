// In which order a mover of the CPU comes to its pages: whether it reads from as many places as it says, and
// writes while it reads.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "src/measure/movers.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

/// Notes the pages of a range in the order in which they are first touched, a letter for what they are.
class FirstTouches {
 public:
  FirstTouches(std::size_t read_pages, std::size_t written_pages)
      : read_pages_(read_pages), bytes_((read_pages + written_pages) * page()) {
    memory_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    order_.reserve(read_pages + written_pages);
    watching = this;
    struct sigaction action {};
    action.sa_sigaction = on_touch;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &before_);
  }
  ~FirstTouches() {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(memory_, bytes_);
  }
  FirstTouches(const FirstTouches&) = delete;

  static std::size_t page() { return std::size_t(sysconf(_SC_PAGESIZE)); }
  Move move() const {
    Move all{.from = {{memory_, read_pages_ * page()}}};
    all.to = memory_ + read_pages_ * page();
    all.written = bytes_ - read_pages_ * page();
    return all;
  }
  /// Numbers of pages: those that are written come after those that are read.
  const std::vector<int>& order() const { return order_; }

 private:
  static void on_touch(int, siginfo_t* info, void*) {
    const std::size_t at = std::size_t(static_cast<char*>(info->si_addr) - watching->memory_);
    if (at >= watching->bytes_) _exit(1);
    watching->order_.push_back(int(at / page()));
    mprotect(watching->memory_ + at / page() * page(), page(), PROT_READ | PROT_WRITE);
  }
  inline static FirstTouches* watching = nullptr;

  std::size_t read_pages_, bytes_;
  char* memory_ = nullptr;
  std::vector<int> order_;
  struct sigaction before_ {};
};

// One part of 64 KiB is 16 pages of 4 KiB: each of the streams begins with a page of its own, so that of 4
// streams the pages 0, 4, 8 and 12 come first. Half as much is written, 8 pages behind each part that was
// read.
TEST(MoverOrder, StreamsRunSideBySideAndWritesKeepUp) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer looks at the pages itself";
  if (FirstTouches::page() != 4096) GTEST_SKIP() << "pages are not of 4 KiB";
  constexpr int parts = 3, part = 16, written = part / 2;
  std::size_t checked = 0;
  for (std::size_t way = 0; way < 8; ++way) {
    FirstTouches touches(parts * part, parts * written);
    const Mover mover = host_movers(touches.move()).at(way);
    ASSERT_TRUE(mover.how.starts_with("1 core, ")) << mover.how;
    const int streams = mover.how[std::strlen("1 core, ")] - '0';
    mover.enqueue();
    std::vector<int> expected;
    for (int p = 0; p < parts; ++p) {
      for (int page = 0; page < part / streams; ++page)
        for (int s = 0; s < streams; ++s) expected.push_back(p * part + s * (part / streams) + page);
      for (int page = 0; page < written; ++page) expected.push_back(parts * part + p * written + page);
    }
    std::vector<int> order = touches.order();
    ASSERT_EQ(order.size(), expected.size()) << mover.how;
    // The C library may write a piece's end before its middle.
    for (auto piece = order.begin(); piece != order.end(); piece += part + written)
      std::sort(piece + part, piece + part + written);
    EXPECT_EQ(order, expected) << mover.how;
    checked += std::size_t(streams);
  }
  EXPECT_EQ(checked, 2 * (1 + 2 + 4 + 8u));
}

// Without anything to write a span is read in one piece: the streams share all of it.
TEST(MoverOrder, WhatIsReadAloneIsReadInOnePiece) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer looks at the pages itself";
  constexpr int pages = 48;
  for (std::size_t way = 0; way < 8; ++way) {
    FirstTouches touches(pages, 0);
    const Mover mover = host_movers(touches.move()).at(way);
    const int streams = mover.how[std::strlen("1 core, ")] - '0';
    mover.enqueue();
    std::vector<int> expected;
    for (int page = 0; page < pages / streams; ++page)
      for (int s = 0; s < streams; ++s) expected.push_back(s * (pages / streams) + page);
    EXPECT_EQ(touches.order(), expected) << mover.how;
  }
}

}  // namespace
}  // namespace redbench
