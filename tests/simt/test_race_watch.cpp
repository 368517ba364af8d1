// What verify --races makes of single accesses, fences and places. It is told of them alone: none is made, so
// the addresses may be any.
#include "src/simt/model.hpp"
#include "src/simt/races.hpp"
#include "src/simt/source.hpp"
#include "tests/simt_support.hpp"

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
  void* arguments[] = {const_cast<std::function<void()>*>(&acts)};
  const KernelCall call{reinterpret_cast<const void*>(test_kernels().at("indices").kernel), arguments,
                        [](const void*, void** given) { (*static_cast<std::function<void()>*>(given[0]))(); },
                        grid};
  try {
    simt::execute(call, simt::load_model("gtx480"), {}, [&](const simt::Launch& launch) {
      return std::make_unique<simt::RaceWatch>(launch, states, blocks);
    });
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

std::string by(int block, int thread = 0) {
  return "kernel indices, block " + std::to_string(block) + ", thread " + std::to_string(thread) +
         " (an unknown line): ";
}

// 250 bytes that end 6 before the page behind them: around them there are 1 MiB, all told, and 64 KiB on
// either side into which an access may run.
TEST(RaceWatch, DynamicSharedMemoryAndWhatIsAroundIt) {
  const auto report = [](std::ptrdiff_t offset, std::uint32_t bytes) {
    return report_of({.threads = 1, .shared_bytes = 250}, [&] {
      tell(AccessKind::write, static_cast<const std::byte*>(simt::running.dynamic_shared) + offset, bytes,
           false);
    });
  };
  constexpr std::ptrdiff_t end = 256, lowest = end - (1 << 20) - (64 << 10), behind = end + (64 << 10);
  EXPECT_EQ(report(0, 1), "");
  EXPECT_EQ(report(246, 4), "");
  EXPECT_EQ(report(249, 1), "");
  struct {
    std::ptrdiff_t offset;
    std::uint32_t bytes;
    const char* access;
  } const outside[] = {{247, 4, "4 bytes at byte 247"},
                       {250, 1, "1 byte at byte 250"},
                       {-1, 2, "2 bytes at byte -1"},
                       {lowest, 1, "1 byte at byte -1113856"},
                       {behind - 1, 1, "1 byte at byte 65791"}};
  for (const auto& one : outside)
    EXPECT_EQ(report(one.offset, one.bytes),
              by(0) + "out of bounds: writes " + one.access + " of dynamic shared memory, which has 250");
  EXPECT_EQ(report(lowest - 1, 1), "") << "memory of somebody else";
  EXPECT_EQ(report(behind, 1), "") << "memory of somebody else";
}

struct Kind {
  AccessKind kind;
  bool relaxed;
  const char *does, *did;
};

// Of two threads of a block, and of two blocks: nothing orders them. A volatile read is held against plain
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

// An access of 16 bytes may be two of 8.
TEST(RaceWatch, AlignmentIsToTheSizeUpTo8Bytes) {
  const auto report = [](std::ptrdiff_t offset, std::uint32_t bytes, bool aligned = true) {
    return report_of({.threads = 1}, [&] { tell(AccessKind::write, buffer + offset, bytes, aligned); });
  };
  struct {
    std::uint32_t bytes;
    std::vector<int> fit, do_not;
  } const cases[] = {{1, {0, 1, 3}, {}},
                     {2, {0, 2, 6}, {1, 3}},
                     {4, {0, 4, 12}, {2, 6}},
                     {8, {0, 8}, {4, 12}},
                     {16, {0, 8, 16, 24}, {4, 12}}};
  for (const auto& one : cases) {
    for (const int offset : one.fit) EXPECT_EQ(report(offset, one.bytes), "") << one.bytes << ' ' << offset;
    for (const int offset : one.do_not) {
      EXPECT_EQ(report(offset, one.bytes),
                by(0) + "misaligned: writes " + std::to_string(one.bytes) + " bytes at byte " +
                    std::to_string(offset) +
                    " of a buffer of 1024 bytes of global memory, an address that is no multiple of " +
                    std::to_string(one.bytes));
      EXPECT_EQ(report(offset, one.bytes, false), "") << "a struct of smaller members";
    }
  }
}

TEST(RaceWatch, AWordOfSharedMemoryIsReadWhereAllOfItWasWritten) {
  const auto report = [](std::uint32_t written) {
    return report_of({.threads = 1, .shared_bytes = 64}, [&] {
      const auto* const word = static_cast<const std::byte*>(simt::running.dynamic_shared);
      for (std::uint32_t i = 0; i < written; ++i) tell(AccessKind::write, word + i, 1);
      tell(AccessKind::read, word);
    });
  };
  EXPECT_EQ(report(4), "");
  for (const std::uint32_t written : {0, 1, 3})
    EXPECT_EQ(report(written),
              by(0) + "reads 4 bytes at byte 0 of dynamic shared memory, which nobody has written");
}

TEST(RaceWatch, WhatNobodyHasWrittenIsNotReadAndNotUpdated) {
  const std::byte* const last = buffer + 1020;
  const auto report = [&](AccessKind kind, const std::byte* address) {
    return report_of({.threads = 1}, [&] { tell(kind, address); });
  };
  const std::string unwritten =
      " 4 bytes at byte 1020 of a buffer of 1024 bytes of global memory, which nobody has written";
  EXPECT_EQ(report(AccessKind::read, last), by(0) + "reads" + unwritten);
  EXPECT_EQ(report(AccessKind::atomic, last), by(0) + "atomically updates" + unwritten);
  EXPECT_EQ(report(AccessKind::write, last), "");
  EXPECT_EQ(report(AccessKind::read, last - 4), "");
  EXPECT_EQ(report_of({.threads = 1},
                      [&] {
                        tell(AccessKind::write, last);
                        tell(AccessKind::read, last);
                      }),
            "");
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
