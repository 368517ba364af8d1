// The facts of launches in which two kernels differ, whole and in order; and that a step is told without
// progress.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/why/counted.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

std::vector<std::string> told(const Record& from, const Record& to) {
  std::vector<std::string> all;
  for (const LaunchDifference& one : launch_differences(from, to))
    all.push_back(fmt::format("{}, {} [{}]: {} {}", one.name, one.what, one.unit, one.from, one.to));
  return all;
}

Record with(const std::vector<Json>& launches, Index scratch_bytes) {
  Record record = record_of("reduce/a");
  record["launches"] = launches;
  record["scratch_bytes"] = scratch_bytes;
  return record;
}

Json launch(Index blocks, int threads, int shared, const Json& registers) {
  Json one = launch_of(blocks, 300);
  one.update({{"threads", threads},
              {"shared_bytes", shared},
              {"registers", registers},
              {"occupancy", 0.75},
              {"bytes_written", 20.0}});
  return one;
}

// A library's launches are not known: each fact is 0 there, and is not told where the other has it not
// either.
TEST(LaunchDifferences, AgainstNoLaunchesAreWhole) {
  const Record none = with({}, 0), one = with({launch(4, 96, 512, 24)}, 70);
  EXPECT_EQ(
      told(none, one),
      (std::vector<std::string>{
          "launches, number of launches []: 0 1", "blocks, blocks of all launches []: 0 4",
          "threads, threads of a block of the largest launch []: 0 96",
          "shared_bytes, shared memory of a block [bytes]: 0 512",
          "registers, registers of a thread []: 0 24", "occupancy, occupancy of the largest launch [%]: 0 75",
          "bytes_read, bytes read, as the kernels state [bytes]: 0 300",
          "bytes_written, bytes written, as the kernels state [bytes]: 0 20",
          "scratch_bytes, scratch memory [bytes]: 0 70"}));
  EXPECT_EQ(told(one, none).at(4), "registers, registers of a thread []: 24 0");
  EXPECT_EQ(told(with({launch(4, 96, 512, nullptr)}, 70), one),
            std::vector<std::string>{"registers, registers of a thread []: 0 24"});
  EXPECT_EQ(told(with({launch(4, 96, 512, nullptr)}, 70), with({launch(4, 96, 512, nullptr)}, 70)),
            std::vector<std::string>());
}

// The largest launch has the most threads in all, and of equals is the first; a hundredth of the larger is no
// difference.
TEST(LaunchDifferences, AreOfTheFirstOfTheLargest) {
  const Record from = with({launch(1, 128, 7, 16), launch(4, 64, 512, 30), launch(2, 128, 9, 18)}, 1000),
               to = with({launch(4, 64, 256, 31), launch(2, 32, 8, 17), launch(1, 128, 7, 16)}, 1010);
  EXPECT_EQ(told(from, to),
            (std::vector<std::string>{"shared_bytes, shared memory of a block [bytes]: 512 256",
                                      "registers, registers of a thread []: 30 31"}));
  EXPECT_EQ(told(with({}, 990), with({}, 1000)), std::vector<std::string>());
  EXPECT_EQ(told(with({}, 1000), with({}, 989)),
            std::vector<std::string>{"scratch_bytes, scratch memory [bytes]: 1000 989"});
}

// A terminal, too, gets the step alone.
TEST(WhyText, HasNoProgress) {
  const std::string arguments = "why reduce/harris1 reduce/harris2 -d simt:gtx480 -a n=1Ki --width 100";
  const Answer answer = redbench(arguments);
  ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  const auto shown = on_terminal([&] {
    ::execl("/bin/sh", "sh", "-c",
            ("cd " REDBENCH_SOURCE_DIR " && exec " REDBENCH_BINARY " " + arguments).c_str(), nullptr);
  });
  if (!shown) GTEST_SKIP() << "the machine gives no terminal";
  std::string lines;
  for (const char c : *shown)
    if (c != '\r') lines += c;
  EXPECT_EQ(lines, answer.text);
}

}  // namespace
}  // namespace redbench
