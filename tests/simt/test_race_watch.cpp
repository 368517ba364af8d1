// What verify --races makes of single accesses, fences and places. It is only informed of them: none is made,
// so the addresses may be any.
#include <fmt/format.h>

#include "src/simt/races.hpp"
#include "src/simt/watch.hpp"
#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::AccessKind;

/// The only buffer of global memory there is.
alignas(1024) std::byte buffer[1024];
/// A place of the program that is no code.
const char site = 0;

/// Tells of an access of the current thread.
void tell(AccessKind kind, const std::byte* address, std::uint32_t bytes = 4, bool aligned = true,
          bool relaxed = false) {
  simt::running.watch->access(*simt::running.thread, {kind, bytes, address, &site, aligned, relaxed});
}

/// Each thread of a kernel does `acts`. All of the buffer but its last 4 bytes has been written.
std::string report_of(const Grid& grid, const std::function<void()>& acts) {
  simt::ByteStates states(buffer);
  states.set(buffer, sizeof buffer, simt::ByteState::written);
  states.set(buffer + sizeof buffer - 4, 4, simt::ByteState::unwritten);
  simt::BlockShadow blocks;
  blocks.start_launch();
  std::string error;
  with_runner([&](simt::BlockRunner& runner) {
    error = run(
        runner, grid, [&](unsigned) { acts(); },
        [&](const simt::Launch& launch) { return simt::make_race_watch(launch, states, blocks); });
  });
  return error;
}

std::string by(int block, int thread = 0) {
  return "kernel indices, block " + std::to_string(block) + ", thread " + std::to_string(thread) +
         " (an unknown line): ";
}

struct Kind {
  AccessKind kind;
  bool relaxed;
  const char *does, *did;
};

// Of two threads of a block, and of two blocks: nothing orders them. A volatile read is compared with plain
// writes alone.
TEST(RaceWatch, WhichTwoAccessesOfGlobalMemoryRace) {
  constexpr Kind kinds[] = {{AccessKind::read, false, "reads", "read"},
                            {AccessKind::write, false, "writes", "wrote"},
                            {AccessKind::atomic, false, "atomically updates", "atomically updated"},
                            {AccessKind::write, true, "writes", "atomically updated"},
                            {AccessKind::read, true, "reads", ""}};
  // By the earlier one and the later one, in the order of `kinds`.
  constexpr bool race[5][5] = {{false, true, true, true, false},
                               {true, true, true, true, true},
                               {true, true, false, false, false},
                               {true, true, false, false, false},
                               {false, false, false, false, false}};
  for (const bool blocks : {false, true})
    for (int first = 0; first < 5; ++first)
      for (int second = 0; second < 5; ++second) {
        const Kind &earlier = kinds[first], &later = kinds[second];
        const Grid grid{.blocks = blocks ? 2 : 1, .threads = blocks ? 1 : 2};
        const std::string report = report_of(grid, [&] {
          const bool is_first = simt::running.block + simt::running.thread->number == 0;
          const Kind& own = is_first ? earlier : later;
          tell(own.kind, buffer + 20, 4, true, own.relaxed);
        });
        const std::string expected =
            by(blocks ? 1 : 0, blocks ? 0 : 1) + "race in global memory: " + later.does +
            " 4 bytes at byte 20 of a buffer of 1024 bytes of global memory, which thread 0 " +
            (blocks ? "of block 0 " : "") + earlier.did + " at an unknown line, with no " +
            (blocks ? "grid_sync and no memory fence with an atomic" : "barrier") + " between";
        EXPECT_EQ(report, race[first][second] ? expected : "") << blocks << ' ' << first << ' ' << second;
      }
}

// An access of 16 bytes may be two of 8, and one of a struct of smaller members may be anywhere.
TEST(RaceWatch, AlignmentIsToTheSizeUpTo8Bytes) {
  const auto report = [](std::ptrdiff_t offset, std::uint32_t bytes, bool aligned = true) {
    return report_of({.threads = 1}, [&] { tell(AccessKind::write, buffer + offset, bytes, aligned); });
  };
  for (const auto& [bytes, fits, does_not] : {std::tuple(2, 6, 3), {4, 12, 6}, {8, 8, 4}, {16, 24, 12}}) {
    EXPECT_EQ(report(fits, std::uint32_t(bytes)), "") << bytes;
    EXPECT_EQ(report(does_not, std::uint32_t(bytes), false), "") << bytes;
    EXPECT_EQ(
        report(does_not, std::uint32_t(bytes)),
        by(0) + fmt::format("misaligned: writes {0} bytes at byte {1} of a buffer of 1024 bytes of global "
                            "memory, an address that is no multiple of {0}",
                            bytes, does_not));
  }
}

// The last word of the buffer, and the first of dynamic shared memory, have not been written before.
TEST(RaceWatch, AWordIsReadWhereAllOfItWasWritten) {
  const auto report = [](bool is_shared, std::uint32_t written) {
    return report_of({.threads = 1, .shared_bytes = 64}, [&] {
      const auto* const word =
          is_shared ? static_cast<const std::byte*>(simt::running.dynamic_shared) : buffer + 1020;
      for (std::uint32_t i = 0; i < written; ++i) tell(AccessKind::write, word + i, 1);
      tell(AccessKind::read, word);
    });
  };
  for (const bool is_shared : {true, false}) {
    EXPECT_EQ(report(is_shared, 4), "");
    for (const std::uint32_t written : {0, 1, 3})
      EXPECT_EQ(
          report(is_shared, written),
          by(0) + "reads 4 bytes at byte " +
              (is_shared ? "0 of dynamic shared memory" : "1020 of a buffer of 1024 bytes of global memory") +
              ", which nobody has written");
  }
}

TEST(RaceWatch, WhatNobodyHasWrittenIsNotUpdated) {
  EXPECT_EQ(report_of({.threads = 1}, [&] { tell(AccessKind::atomic, buffer + 1020); }),
            by(0) +
                "atomically updates 4 bytes at byte 1020 of a buffer of 1024 bytes of global memory, which "
                "nobody has written");
}

// Block 0 leaves a word and then counts itself, block 1 does so without a fence of its own: that of the block
// that the same OS thread ran before is not its.
TEST(RaceWatch, AFenceIsOfItsBlockAlone) {
  constexpr int count = 32;
  const auto acts = [](int reads) {
    const unsigned block = simt::running.block;
    if (block < 2) tell(AccessKind::write, buffer + 4 * block);
    if (block == 0) simt::running.watch->fence(*simt::running.thread);
    tell(AccessKind::atomic, buffer + count);
    if (block == 2) tell(AccessKind::read, buffer + reads);
  };
  EXPECT_EQ(report_of({.blocks = 3, .threads = 1}, [&] { acts(0); }), "");
  EXPECT_EQ(report_of({.blocks = 3, .threads = 1}, [&] { acts(4); }),
            by(2) +
                "race in global memory: reads 4 bytes at byte 4 of a buffer of 1024 bytes of global memory, "
                "which thread 0 of block 1 wrote at an unknown line, with no grid_sync and no memory fence "
                "with an atomic between");
}

}  // namespace
}  // namespace redbench
