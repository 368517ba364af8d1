// What stands in the way of a run under Nsight Compute: signals meanwhile, no place for its table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdlib>

#include "src/run/nsight_compute.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// The bug: a signal that is handled meanwhile counted as the end of ncu, whose table was not there yet.
TEST(NcuObstacles, ASignalIsNotItsEnd) {
  const TemporaryFolder folder;
  const std::string script = folder.write("ncu", "#!/bin/sh\nsleep 0.1\nexit 3\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  struct sigaction caught {
  }, before{};
  caught.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &caught, &before);
  const itimerval often{{0, 5'000}, {0, 5'000}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const std::string message = usage_error([&] { run_again_under(script); });
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_EQ(message, script + " ended with 3");
}

// No file can be made in /proc, by anybody.
TEST(NcuObstacles, ItsTableNeedsAPlace) {
  const char* const before = std::getenv("TMPDIR");
  const std::string folder = before ? before : "";
  ::setenv("TMPDIR", "/proc", 1);
  const std::string message = usage_error([] { run_again_under("/bin/false"); });
  if (before) ::setenv("TMPDIR", folder.c_str(), 1);
  else ::unsetenv("TMPDIR");
  EXPECT_THAT(message, testing::MatchesRegex("/proc/redbench-[A-Za-z0-9]+: cannot be made: [A-Z].*"));
}

}  // namespace
}  // namespace redbench
