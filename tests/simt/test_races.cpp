// What verify --races finds and what it must not: every rule kept and broken by the same kernel
// (tests/simt/races.cu). Without a seed the lanes run in order, each until it waits, and the last to come to
// a barrier continues at once: which two threads are reported follows by hand.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/json/strict.hpp"
#include "src/registry.hpp"
#include "tests/golden.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

/// On one OS thread.
std::unique_ptr<Device> watched(std::uint64_t seed = 0) {
  setenv("REDBENCH_SIMT_THREADS", "1", 1);
  auto device = make_simt("gtx480", {.seed = seed, .races = true});
  unsetenv("REDBENCH_SIMT_THREADS");
  return device;
}

/// Runs on a buffer of `outputs` ints; the sentence that it ends with, empty where it ends well.
std::string report_of(const std::string& kernel, const Grid& grid, const std::vector<int>& in,
                      int outputs = 64, std::uint64_t seed = 0) {
  try {
    run_kernel(*watched(seed), kernel, grid, in, outputs);
  } catch (const DeviceError& error) {
    return with_lines(error.what());
  }
  return "";
}

/// One launch of a kernel of races.cu.
struct Launched {
  const char* kernel;
  Grid grid;
  std::vector<int> in;  // in[0] says what is broken; 0: nothing
  int outputs = 64;
};

/// What is reported with lanes and blocks in order: which two threads they are follows by hand.
std::string reports(const std::vector<Launched>& runs) {
  std::string text;
  for (const Launched& run : runs) {
    const std::string report = report_of(run.kernel, run.grid, run.in, run.outputs);
    text += report.empty() ? fmt::format("kernel {} with {}: clean\n", run.kernel, run.in[0]) : report + "\n";
  }
  return text;
}

// Each kernel is clean under four schedules, and has a race under as many where in[0] is not 0.
TEST(Races, AreFoundUnderEverySchedule) {
  const std::vector<Launched> runs{
      // Thread 63 goes on first, to the word that thread 0 has not written yet.
      {"race_mirror", {.threads = 64}, {1}},
      // Lane 31 goes on first and waits for its half; of the other half lane 15 comes last.
      {"race_halves", {.threads = 32}, {1}},
      // Lane 15 goes on first, then 0 and 1.
      {"race_halves", {.threads = 32}, {2}},
      // A shuffle orders nothing. Lane 31 comes first to it and lane 30 last.
      {"race_shuffle", {.threads = 32}, {1}},
      // Order is passed on. Thread 95 comes first to barrier 2, thread 94 last.
      {"race_chain", {.threads = 32}, {1}},
      {"race_named_chain", {.threads = 96}, {1}},
      // Of the consumers thread 63 comes first to a named barrier and thread 62 last, whose word is thread
      // 1's.
      {"race_named", {.threads = 64}, {1}},
      {"race_named", {.threads = 64}, {2}},
      {"race_named", {.threads = 64}, {3}},
      // Bytes of a word are their own.
      {"race_bytes", {.threads = 64}, {1}},
      {"race_bytes", {.threads = 64}, {2}},
      {"race_global_bytes", {.blocks = 4, .threads = 1}, {1}},
      // Of the many that have read, the lowest is reported.
      {"race_broadcast", {.threads = 64}, {1}},
      {"race_broadcast", {.threads = 64}, {2}},
      // Thread 63 has written and ended when the others continue; its word is that of thread 31.
      {"race_ended", {.threads = 64}, {1}},
      // The same where those who go on meet, which those who have ended do not: thread 0 goes on first.
      {"race_ended", {.threads = 64}, {2}},
      {"race_barrier_skipped", {.threads = 256}, {100}},
      {"race_barrier_skipped", {.threads = 256}, {255}},
      // Threads 201 to 223 told threads of their warp that go on; of warp 7 thread 224 is the first reader.
      {"race_returned", {.threads = 256}, {255}, 256},
      {"race_returned", {.threads = 256}, {1}, 256},
      {"race_returned", {.threads = 256}, {2}, 256},
      {"race_returned", {.threads = 256}, {3}, 256},
      {"race_left_partial", {.blocks = 3, .threads = 128}, {1}},
      // Relaxed stores, volatile ones among them, and atomics race with plain accesses alone.
      {"race_relaxed", {.threads = 32}, {1}},
      {"race_relaxed", {.threads = 32}, {2}},
      {"race_atomic", {.threads = 64}, {1}},
      {"race_atomic", {.threads = 64}, {2}},
      // Volatile orders nothing: the code of before Volta, which relies on a warp in step, is found.
      {"race_volatile", {.threads = 32}, {1}},
      // A grid barrier is a block barrier, too, and nothing else orders blocks.
      {"race_grid", {.blocks = 1, .threads = 64, .cooperative = true}, {1}},
      {"race_blocks", {.blocks = 2, .threads = 1}, {1}},
      // Thread 33 leaves the partial and thread 0 tells: without the barrier between them the fence is not
      // thread 33's.
      {"race_last_block", {.blocks = 3, .threads = 64}, {1}},
      {"race_last_block", {.blocks = 3, .threads = 64}, {2}},
      {"race_last_block", {.blocks = 3, .threads = 64}, {3}},
      {"race_last_block", {.blocks = 3, .threads = 64}, {4}}};
  // Blocks of a cooperative grid have an OS thread each: either of the two comes second to the word.
  const Launched words{"race_grid_words", {.blocks = 2, .threads = 1, .cooperative = true}, {1}};
  const auto race_of_words = [](int block, const char* at, const char* does, const char* did,
                                const char* where) {
    return fmt::format(
        "kernel race_grid_words, block {}, thread 0 (\"{}\"): race in global memory: {} 4 bytes at byte 0 of a "
        "buffer of 256 bytes of global memory, which thread 0 of block {} {} at \"{}\", with no grid_sync and no "
        "memory fence with an atomic between\n",
        block, at, does, 1 - block, did, where);
  };
  const char *const before = "a word before all met", *const after = "the word after all met";
  EXPECT_THAT(reports({words}), testing::AnyOf(race_of_words(1, after, "reads", "wrote", before),
                                               race_of_words(0, before, "writes", "read", after)));
  std::vector<Launched> all = runs;
  all.push_back(words);
  for (const Launched& run : all)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EXPECT_EQ(report_of(run.kernel, run.grid, {0}, run.outputs, seed), "") << run.kernel << ' ' << seed;
      EXPECT_TRUE(has(report_of(run.kernel, run.grid, run.in, run.outputs, seed), {"race in "}))
          << run.kernel << ' ' << seed;
    }
  expect_golden("simt/races.txt", reports(runs));
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(report_of("producer_consumer", {.threads = 64}, iota(32 * 9), 64, seed), "");
    EXPECT_EQ(report_of("race_flags", {.blocks = 3, .threads = 2}, {0}, 64, seed), "");
  }
}

// Races that only some schedules show, and accesses of memory that is not there, not aligned or not written.
TEST(Races, AccessesAreReported) {
  const Grid warp{.threads = 32}, block{.threads = 64}, dynamic{.threads = 64, .shared_bytes = 256};
  expect_golden(
      "simt/accesses.txt",
      reports(
          {// A struct that is copied as a range of bytes is no volatile one, of which any may win.
           {"race_structs", warp, {0, 5, 7}},
           {"race_structs", warp, {1, 5, 7}},
           // A flag hands on what its writer knows, and a fence serves all that follows it.
           {"race_flags", {.blocks = 3, .threads = 2}, {1}},
           {"race_flags", {.blocks = 3, .threads = 2}, {2}},
           // What block 1 has come to know block 2, which the same OS thread runs, has to come to by itself.
           {"race_uncounted", {.blocks = 3, .threads = 1}, {0}},
           {"race_uncounted", {.blocks = 3, .threads = 1}, {1}},
           // A new block finds neither accesses nor values of the one before it.
           {"race_mirror", {.blocks = 20, .threads = 64}, {0}, 20 * 64},
           {"first_block_writes", block, {0}},
           {"first_block_writes", {.blocks = 2, .threads = 64}, {0}},
           {"index_static", block, {63}},
           {"index_static", block, {64}},
           {"index_static", block, {-1}},
           {"index_dynamic", dynamic, {63}},
           {"index_dynamic", dynamic, {64}},
           {"index_dynamic", dynamic, {-1}},
           {"index_dynamic", dynamic, {1 << 13}},
           {"index_global", warp, {9}, 10},
           {"index_global", warp, {10}, 10},
           {"index_global", warp, {-1}, 10},
           {"vector_global", warp, std::vector<int>(10, 1)},  // of 10 ints the third vector has two
           {"offset_dynamic", {.threads = 1, .shared_bytes = 256}, {8}},
           {"offset_dynamic", {.threads = 1, .shared_bytes = 256}, {12}},
           {"offset_global", {.threads = 1}, {4}},
           {"offset_global", {.threads = 1}, {6}, 4},
           {"pair_of_words", {.threads = 1}, {1, 2, 3}},
           {"unwritten_words", block, {0}},
           {"unwritten_words", block, {2}}}));  // words 0 and 1; thread 63 goes on first
  EXPECT_TRUE(has(report_of("index_global", warp, {1 << 28}, 10), {"out of bounds", "far from any buffer"}));
}

/// What ends a launch with these arguments; empty where it ends well.
std::string report_of(Device& device, const char* name, const void* in, const void* out, int n, int threads) {
  const auto [kernel, invoke] = test_kernels().at(name);
  void* arguments[] = {&in, &out, &n};
  try {
    device.execute({reinterpret_cast<const void*>(kernel), arguments, invoke, {.threads = threads}});
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(Bounds, PiecesOfOneAllocation) {
  const auto device = watched();
  GuardedMemory memory(*device, GuardedMemory::room_for({4, 36}));
  const std::vector<void*> pieces = memory.cut({4, 36}, 0xff);
  const auto report = [&](int index) {
    device->upload(pieces[0], &index, 4);
    return report_of(*device, "index_global", pieces[0], pieces[1], 1, 32);
  };
  EXPECT_EQ(report(8), "");
  EXPECT_TRUE(has(report(9), {"writes 4 bytes at byte 36 of a buffer of 36 bytes of global memory"}));
  EXPECT_TRUE(has(report(-1), {"writes 4 bytes at 4 bytes before a buffer of 36 bytes of global memory"}));
}

// What is filled counts as unwritten, what is uploaded as written, and what a launch writes another may read.
TEST(Unwritten, GlobalMemory) {
  const auto device = watched();
  const std::vector<int> zeros(64, 0);
  void *const a = device->allocate(256), *const b = device->allocate(256);
  const auto report = [&](const void* from, const void* to) {
    return report_of(*device, "reverse", from, to, 64, 64);
  };
  const char* const unwritten =
      "reads 4 bytes at byte 0 of a buffer of 256 bytes of global memory, which nobody has written";
  EXPECT_TRUE(has(report(a, b), {"kernel reverse, block 0, thread 0 (tests/simt/barriers.cu:", unwritten}));
  device->upload(a, zeros.data(), 256);
  EXPECT_EQ(report(a, b), "");
  EXPECT_EQ(report(b, a), "");
  device->fill(b, 0, 256);
  EXPECT_TRUE(has(report(b, a), {unwritten}));
  device->release(a);
  EXPECT_TRUE(has(report(a, b), {"out of bounds: reads 4 bytes at "}));
  device->release(b);
}

// Every wrong kernel by its own sentence, on 1009 ints in one block of 256 threads, lanes in order. Of
// no_barrier thread 0 goes through all the steps before thread 1 takes the first. In reuse_race the second
// reduction's first warp to come is warp 1: warp 0 wrote its own word after it had read it. reads_past: 1009
// = 3 x 256 + 241.
TEST(RacesWrong, EachIsFoundByItsOwnCheck) {
  // What the checks of accesses have to find.
  std::map<std::string, CaughtBy> expected, found;
  std::string names, text;
  for (const WrongKernel& wrong : wrong_kernels()) {
    using enum CaughtBy;
    if (wrong.problem() != "reduce" ||
        !std::set{bounds, alignment, unwritten, race, barrier, collective}.contains(wrong.races))
      continue;
    expected[wrong.variant] = wrong.races;
    names += (names.empty() ? "" : "|") + wrong.variant;
  }
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY,
                "verify -d simt:gtx480 --races --schedules 1 --json -b '^(" + names + ")$'", ".");
  EXPECT_EQ(answer.exit_code, exit_failed);
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  for (const auto& [variant, caught] : expected) {
    std::string reason;
    for (const Json& bad : tallies.value(variant, Json::object()).value("bad", Json::array()))
      if (bad["key"] == variant + " n=1009 type=i32 operator=sum values=uniform") reason = bad["reason"];
    found[variant] = caught_by("failed", reason);
    text += variant + ": " + with_lines(reason) + "\n";
  }
  EXPECT_EQ(found, expected);
  expect_golden("simt/wrong_kernels.txt", text);
}

// All shapes of most variants. Those of problems with labels, which took nine tenths of the time so, are
// checked on fewer: on a GPU of two multiprocessors, where a persistent grid goes over 10007 inputs many
// times.
TEST(RacesFlag, EveryVariantIsClean) {
  Json model = read_json_file(REDBENCH_SOURCE_DIR "/configs/devices/h200.json");
  model["multiprocessors"] = 2;
  const TemporaryFolder folder;
  const std::string small = folder.write("small.json", model.dump());
  std::set<std::string> with_labels, others;
  for (const Variant& variant : variants())
    (variant.problem.starts_with("multi") ? with_labels : others).insert(variant.problem);
  const auto verify = [](const std::string& flags, const std::set<std::string>& problems) {
    const Answer answer =
        redbench(fmt::format("verify --races --schedules 1 {} -b '^({})/'", flags, fmt::join(problems, "|")));
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    EXPECT_NE(answer.text.find(" passed, 0 failed\n"), std::string::npos) << answer.text;
  };
  verify("-d simt", others);
  verify("-d simt:" + small + " --small", with_labels);
}

TEST(RacesFlag, IsForTheModelledDevice) {
  const Answer answer = redbench("verify -d host --races -b reduce/cpu_serial");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_NE(answer.text.find("--races"), std::string::npos) << answer.text;
  const Answer small = redbench("verify -d host --small -b ^reduce/harris1$");
  EXPECT_EQ(small.exit_code, exit_usage);
  EXPECT_NE(small.text.find("--small is of kernels alone"), std::string::npos) << small.text;
}

// A launch comes after all of the one before it.
TEST(GlobalRaces, LaunchesAreInOrder) {
  const std::unique_ptr<Device> device = watched();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run_kernel(*device, "race_blocks", {.blocks = 2, .threads = 1}, {0}, 64)[1], 1);
}

// Both launches have their buffers at the same place. What block 0 let others know in the first orders
// nothing in the second.
TEST(GlobalRaces, WhatOneLaunchLetBlocksKnowTheNextDoesNot) {
  const Grid grid{.blocks = 3, .threads = 2};
  const std::unique_ptr<Device> device = watched();
  EXPECT_EQ(run_kernel(*device, "race_flags", grid, {0}, 64)[1], 7);
  const std::string error =
      message_of<DeviceError>([&] { run_kernel(*device, "race_flags", grid, {1}, 64); });
  EXPECT_TRUE(has(with_lines(error), {"block 2, thread 0 (\"the third reads\")",
                                      "thread 0 of block 0 wrote at \"the first writes\""}));
}

}  // namespace
}  // namespace redbench
