// How many OS threads a crew has, and when one is not asked for.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "src/simt/crew.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

std::ptrdiff_t os_threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

// Seen by a process that has no crew yet: its parent's threads are not in it. The caller is one of those that
// are asked for, and a smaller number later adds none.
TEST(CrewSize, IsTheMostThatWasAskedFor) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer has threads of its own";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // other tests of the process may have begun a crew
  const auto sizes = [] {
    const std::ptrdiff_t alone = os_threads();
    bool right = true;
    for (const auto& [count, more] : {std::pair(1, 0), {4, 3}, {2, 3}, {4, 3}, {5, 4}, {0, 4}}) {
      simt::run_on_crew(count, [] {});
      right = right && os_threads() - alone == more;
    }
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(sizes(), testing::ExitedWithCode(0), "");
}

// Two callers that ask for nobody else do not wait for each other.
TEST(CrewSize, OneAloneNeedsNoCrew) {
  std::atomic<int> there = 0;
  std::atomic<bool> met = true;
  const auto work = [&] {
    ++there;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (there < 2 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (there < 2) met = false;
  };
  std::thread other([&] { simt::run_on_crew(1, work); });
  simt::run_on_crew(1, work);
  other.join();
  EXPECT_TRUE(met);
  EXPECT_EQ(there, 2);
}

}  // namespace
}  // namespace redbench
