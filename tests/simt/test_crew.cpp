// OS threads that work together, and faults that are not theirs.
#include <gmock/gmock.h>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "src/simt/launch.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// The OS threads that work, and how often each does.
std::multiset<std::thread::id> who_works(Index count) {
  std::mutex mutex;
  std::multiset<std::thread::id> ids;
  simt::run_on_crew(count, [&] {
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  return ids;
}

TEST(Crew, EachOfSoManyWorksTheCallerAmongThem) {
  for (const Index count : {1, 2, 5, 3}) {
    const auto ids = who_works(count);
    EXPECT_EQ(ids.size(), std::size_t(count));
    EXPECT_GE(ids.count(std::this_thread::get_id()), 1u);
  }
  EXPECT_EQ(who_works(0).size(), 1u) << "the caller";
}

// Work that some have begun could not be taken back.
TEST(Crew, NobodyWorksApartWhereThereAreTooFew) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer ends the program where it finds no memory";
  std::atomic<int> calls = 0;
  simt::run_apart(4, [&] { ++calls; });  // whose stacks the library keeps for the next threads
  EXPECT_EQ(calls, 4);
  rlimit as_before;
  getrlimit(RLIMIT_AS, &as_before);
  const rlimit nothing_more{1 << 20, as_before.rlim_max};
  std::string error;
  setrlimit(RLIMIT_AS, &nothing_more);
  try {
    simt::run_apart(1000, [&] { ++calls; });
  } catch (const DeviceError& caught) {
    error = caught.what();
  }
  setrlimit(RLIMIT_AS, &as_before);
  EXPECT_THAT(error,
              testing::MatchesRegex(
                  "a cooperative launch of 1000 blocks needs as many OS threads; the system gave [0-9]+: "
                  "Resource temporarily unavailable"));
  EXPECT_EQ(calls, 4);
}

// A fault of the program itself ends it, also where the model's handler is there.
TEST(Faults, OneOfNoKernelEndsTheProgram) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer has a handler of its own";
  const auto fault = [] {
    run_kernel(*modelled(), "indices", {.threads = 1}, {0}, 1);
    alarm(30);  // ends this process, should the instruction run again for ever
    rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    *reinterpret_cast<volatile int*>(std::size_t(getpid()) % 2 + 16) = 1;
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace redbench
