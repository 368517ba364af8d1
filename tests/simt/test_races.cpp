// What verify --races finds and what it must not: every rule kept and broken by the same kernel
// (tests/simt/races.cu). Without a seed the lanes run in order, each until it waits, and the last to come to
// a barrier goes on at once: which two threads are told follows by hand.
#include <cctype>
#include <map>
#include <set>

#include "src/cell/buffers.hpp"
#include "tests/simt/race_support.hpp"
#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

std::string by(const std::string& kernel, int thread, const std::string& comment) {
  return "kernel " + kernel + ", block 0, thread " + std::to_string(thread) + " (" + at(comment) + "): ";
}

std::string earlier(int thread, const std::string& did, const std::string& comment) {
  return ", which thread " + std::to_string(thread) + " " + did + " at " + at(comment) +
         ", with no barrier between";
}

/// Clean under four schedules, and a race under as many where in[0] is `fault`. Without a seed it is this
/// one.
void expect_race(const std::string& kernel, const Grid& grid, int fault, const std::string& race) {
  EXPECT_EQ(report_of(kernel, grid, {fault}), race);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(report_of(kernel, grid, {0}, 64, seed), "") << "seed " << seed;
    EXPECT_TRUE(has(report_of(kernel, grid, {fault}, 64, seed), {"race in "})) << "seed " << seed;
  }
}

/// Of thread 0 of `block`, with an access of 4 bytes of out.
std::string global_race(const std::string& kernel, int block, const std::string& comment,
                        const std::string& does, int byte, const std::string& earlier) {
  return "kernel " + kernel + ", block " + std::to_string(block) + ", thread 0 (" + at(comment) +
         "): race in global memory: " + does + " 4 bytes at byte " + std::to_string(byte) +
         " of a buffer of 256 bytes of global memory, which " + earlier;
}
std::string by_block(int thread, int block, const std::string& did, const std::string& comment) {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(block) + " " + did + " at " +
         at(comment) + ", with no grid_sync and no memory fence with an atomic between";
}

// Thread 63 goes on first, to the word that thread 0 has not written yet.
TEST(Races, AMissingBlockBarrier) {
  expect_race("race_mirror", {.threads = 64}, 1,
              by("race_mirror", 0, "mirror writes") + "race in shared memory: writes 4 bytes at byte 0 of s" +
                  earlier(63, "read", "mirror reads"));
}

// Lane 31 goes on first and waits for its half; of the other half lane 15 comes last.
TEST(Races, AWarpBarrierOrdersItsLanesAlone) {
  expect_race("race_halves", {.threads = 32}, 1,
              by("race_halves", 15, "half reads") + "race in shared memory: reads 4 bytes at byte 124 of s" +
                  earlier(31, "wrote", "a half writes"));
  // Lane 15 goes on first, then 0 and 1.
  expect_race("race_halves", {.threads = 32}, 2,
              by("race_halves", 1, "half writes again") +
                  "race in shared memory: writes 4 bytes at byte 4 of s" + earlier(0, "read", "half reads"));
}

// Lane 31 comes first to the shuffle and lane 30 last.
TEST(Races, AShuffleOrdersNothing) {
  expect_race("race_shuffle", {.threads = 32}, 1,
              by("race_shuffle", 30, "after the shuffle") +
                  "race in shared memory: reads 4 bytes at byte 124 of s" +
                  earlier(31, "wrote", "before the shuffle"));
}

TEST(Races, OrderIsPassedOn) {
  expect_race("race_chain", {.threads = 32}, 1,
              by("race_chain", 2, "chain reads") + "race in shared memory: reads 4 bytes at byte 0 of s" +
                  earlier(0, "wrote", "chain writes"));
  // Thread 95 comes first to barrier 2, thread 94 last.
  expect_race("race_named_chain", {.threads = 96}, 1,
              by("race_named_chain", 94, "third warp reads") +
                  "race in shared memory: reads 4 bytes at byte 120 of s" +
                  earlier(30, "wrote", "first warp writes"));
}

// Of the consumers thread 63 comes first to a barrier and thread 62 last, whose word is that of thread 1.
TEST(Races, NamedBarriersHandOver) {
  for (int fault : {1, 2, 3})
    expect_race("race_named", {.threads = 64}, fault,
                by("race_named", 62, "consumer reads") +
                    "race in shared memory: reads 4 bytes at byte 4 of buffer" +
                    earlier(1, "wrote", "producer writes"));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(report_of("producer_consumer", {.threads = 64}, iota(32 * 9), 64, seed), "");
}

TEST(Races, BytesOfAWordAreTheirOwn) {
  expect_race("race_bytes", {.threads = 64}, 1,
              by("race_bytes", 1, "writes a byte") +
                  "race in shared memory: writes 1 byte at byte 0 of bytes" +
                  earlier(0, "wrote", "writes a byte"));
  expect_race("race_bytes", {.threads = 64}, 2,
              by("race_bytes", 1, "writes a byte") +
                  "race in shared memory: writes 1 byte at byte 1 of bytes" +
                  earlier(0, "read", "reads a word"));
  expect_race("race_halfwords", {.threads = 64}, 1,
              by("race_halfwords", 1, "writes two bytes") +
                  "race in shared memory: writes 2 bytes at byte 0 of pairs" +
                  earlier(0, "wrote", "writes two bytes"));
}

// Of the many that have read, the lowest is told.
TEST(Races, ManyMayReadWhatOneThenWrites) {
  expect_race("race_broadcast", {.threads = 64}, 1,
              by("race_broadcast", 5, "one writes") +
                  "race in shared memory: writes 4 bytes at byte 0 of word" + earlier(0, "read", "all read"));
  expect_race("race_broadcast", {.threads = 64}, 2,
              by("race_broadcast", 5, "a byte of it changes") +
                  "race in shared memory: writes 1 byte at byte 1 of word" + earlier(0, "read", "all read"));
}

// Thread 63 has written and ended when the others go on; its word is that of thread 31.
TEST(Races, ThreadsThatHaveEndedCountAtABarrier) {
  expect_race("race_ended", {.threads = 64}, 1,
              by("race_ended", 31, "goes on") + "race in shared memory: reads 4 bytes at byte 252 of s" +
                  earlier(63, "wrote", "writes and ends"));
}

TEST(Races, RelaxedStoresRaceWithPlainAccessesAlone) {
  expect_race("race_relaxed", {.threads = 32}, 1,
              by("race_relaxed", 1, "stored by all") +
                  "race in shared memory: writes 4 bytes at byte 0 of word" +
                  earlier(0, "read", "what is left"));
  expect_race("race_relaxed", {.threads = 32}, 2,
              by("race_relaxed", 1, "plainly stored") +
                  "race in shared memory: writes 4 bytes at byte 0 of word" +
                  earlier(0, "wrote", "plainly stored"));
}

TEST(Races, AtomicsRaceWithPlainAccessesAlone) {
  expect_race("race_atomic", {.threads = 64}, 1,
              by("race_atomic", 0, "adds to the sum") +
                  "race in shared memory: atomically updates 4 bytes at byte 0 of sum" +
                  earlier(63, "read", "reads the sum"));
  expect_race("race_atomic", {.threads = 64}, 2,
              by("race_atomic", 3, "writes between") +
                  "race in shared memory: writes 4 bytes at byte 0 of sum" +
                  earlier(0, "atomically updated", "adds to the sum"));
}

TEST(Races, AGridBarrierIsABlockBarrier) {
  expect_race("race_grid", {.blocks = 1, .threads = 64, .cooperative = true}, 1,
              by("race_grid", 1, "after the grid met") +
                  "race in shared memory: reads 4 bytes at byte 0 of mine" +
                  earlier(0, "wrote", "before the grid meets"));
  const Grid many{.blocks = 40, .threads = 64, .cooperative = true};
  EXPECT_EQ(report_of("race_grid", many, {0}, 40 * 64), "");
  EXPECT_TRUE(has(report_of("race_grid", many, {1}, 40 * 64), {"race in shared memory: reads"}));
}

// A new block finds neither accesses nor values of the one before it, on the same OS thread.
TEST(Races, BlocksDoNotShare) {
  EXPECT_EQ(report_of("race_mirror", {.blocks = 20, .threads = 64}, {0}, 20 * 64), "");
  EXPECT_EQ(report_of("first_block_writes", {.blocks = 1, .threads = 64}, {0}), "");
  EXPECT_EQ(report_of("first_block_writes", {.blocks = 2, .threads = 64}, {0}),
            "kernel first_block_writes, block 1, thread 63 (" + at("reads what block 0 wrote") +
                "): reads 4 bytes at byte 0 of s, which nobody has written");
}

TEST(Bounds, StaticSharedMemory) {
  const Grid grid{.threads = 64};
  EXPECT_EQ(report_of("index_static", grid, {63}), "");
  const std::string by_0 = by("index_static", 0, "static index");
  EXPECT_EQ(report_of("index_static", grid, {64}),
            by_0 + "out of bounds: reads 4 bytes at byte 256 of s, which has 256");
  EXPECT_EQ(report_of("index_static", grid, {-1}), by_0 + "out of bounds: reads 4 bytes at 4 bytes before s");
}

TEST(Bounds, DynamicSharedMemory) {
  const Grid grid{.threads = 64, .shared_bytes = 256};
  EXPECT_EQ(report_of("index_dynamic", grid, {63}), "");
  for (const int index : {64, 65, -1, 1 << 13})
    EXPECT_EQ(report_of("index_dynamic", grid, {index}),
              by("index_dynamic", 0, "dynamic index") + "out of bounds: writes 4 bytes at byte " +
                  std::to_string(4 * index) + " of dynamic shared memory, which has 256");
}

TEST(Bounds, GlobalMemory) {
  const Grid grid{.threads = 32};
  EXPECT_EQ(report_of("index_global", grid, {9}, 10), "");
  const std::string by_0 = by("index_global", 0, "global index") + "out of bounds: writes 4 bytes at ";
  EXPECT_EQ(report_of("index_global", grid, {10}, 10),
            by_0 + "byte 40 of a buffer of 40 bytes of global memory");
  EXPECT_EQ(report_of("index_global", grid, {-1}, 10),
            by_0 + "4 bytes before a buffer of 40 bytes of global memory");
  EXPECT_TRUE(has(report_of("index_global", grid, {1 << 28}, 10), {"out of bounds", "far from any buffer"}));
  // Of 10 ints the third vector has two.
  EXPECT_EQ(report_of("vector_global", grid, std::vector<int>(10, 1)),
            by("vector_global", 0, "global vector") +
                "out of bounds: reads 16 bytes at byte 32 of a buffer of 40 bytes of global memory");
}

TEST(Bounds, PiecesOfOneAllocation) {
  const auto device = watched();
  GuardedMemory memory(*device, GuardedMemory::room_for({4, 36}));
  const std::vector<void*> pieces = memory.cut({4, 36}, 0xff);
  const auto [kernel, invoke] = test_kernels().at("index_global");
  const auto report = [&](int index) {
    device->upload(pieces[0], &index, 4);
    void* arguments[] = {const_cast<void**>(&pieces[0]), const_cast<void**>(&pieces[1]), &index};
    try {
      device->execute({reinterpret_cast<const void*>(kernel), arguments, invoke, {.threads = 32}});
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(report(8), "");
  EXPECT_TRUE(has(report(9), {"writes 4 bytes at byte 36 of a buffer of 36 bytes of global memory"}));
  EXPECT_TRUE(has(report(-1), {"writes 4 bytes at 4 bytes before a buffer of 36 bytes of global memory"}));
}

TEST(Alignment, AnAddressIsAMultipleOfTheSize) {
  const Grid grid{.threads = 1, .shared_bytes = 256};
  EXPECT_EQ(report_of("offset_dynamic", grid, {8}), "");
  EXPECT_EQ(report_of("offset_dynamic", grid, {12}),
            by("offset_dynamic", 0, "writes 8 bytes") +
                "misaligned: writes 8 bytes at byte 12 of dynamic shared memory, an address that is no "
                "multiple of 8");
  EXPECT_EQ(report_of("offset_global", grid, {4}), "");
  EXPECT_EQ(report_of("offset_global", grid, {6}, 4),
            by("offset_global", 0, "adds 4 bytes") +
                "misaligned: atomically updates 4 bytes at byte 6 of a buffer of "
                "16 bytes of global memory, an address that is no multiple of 4");
  EXPECT_EQ(report_of("pair_of_words", {.threads = 1}, {1, 2, 3}), "");
}

TEST(Unwritten, SharedMemory) {
  EXPECT_EQ(report_of("unwritten_words", {.threads = 64}, {0}), "");
  // Words 0 and 1; thread 63 goes on first.
  EXPECT_EQ(report_of("unwritten_words", {.threads = 64}, {2}),
            by("unwritten_words", 63, "reads all words") +
                "reads 4 bytes at byte 0 of s, which nobody has written");
}

// What is filled counts as unwritten, what is uploaded as written, and what a launch writes another may read.
TEST(Unwritten, GlobalMemory) {
  const auto device = watched();
  const int n = 64;
  std::vector<int> zeros(n, 0), back(n);
  int* const a = static_cast<int*>(device->allocate(n * sizeof(int)));
  int* const b = static_cast<int*>(device->allocate(n * sizeof(int)));
  const auto [kernel, invoke] = test_kernels().at("reverse");
  const auto report = [&](const int* from, int* to) {
    int count = n;
    void* arguments[] = {&from, &to, &count};
    try {
      device->execute({reinterpret_cast<const void*>(kernel), arguments, invoke, {.threads = n}});
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string unwritten =
      "reads 4 bytes at byte 0 of a buffer of 256 bytes of global memory, which nobody has written";
  EXPECT_TRUE(
      has(report(a, b), {"kernel reverse, block 0, thread 0 (tests/simt/barriers.cu:", unwritten.c_str()}));
  device->upload(a, zeros.data(), n * sizeof(int));
  EXPECT_EQ(report(a, b), "");
  EXPECT_EQ(report(b, a), "");
  device->fill(b, 0, n * sizeof(int));
  EXPECT_TRUE(has(report(b, a), {unwritten.c_str()}));
  device->release(a);
  EXPECT_TRUE(has(report(a, b), {"out of bounds: reads 4 bytes at "}));
  device->release(b);
}

/// Whether `text` is `pattern`, in which # stands for any number.
bool fits(const std::string& text, const std::string& pattern) {
  std::size_t at = 0;
  for (const char wanted : pattern) {
    if (at == text.size() || (wanted != '#' && text[at] != wanted) ||
        (wanted == '#' && !std::isdigit(text[at])))
      return false;
    do ++at;
    while (wanted == '#' && at < text.size() && std::isdigit(text[at]));
  }
  return at == text.size();
}

/// "tests/wrong/x.cu:12": the line with `text`, or so many lines further on.
std::string line_of(const std::string& file, const std::string& text, int further = 0) {
  return file + ":" + std::to_string(line_with(file, text) + further);
}
std::string wrong(const std::string& name, const std::string& text, int further = 0) {
  return line_of("tests/wrong/" + name + ".cu", text, further);
}

// Every wrong kernel by its own sentence, on 1009 ints in one block of 256 threads, lanes in order. # is a
// thread whose place in the order is open.
TEST(RacesWrong, EachIsFoundByItsOwnCheck) {
  const std::string shuffles = "kernels/parts/block_shuffle.hpp", loads = "kernels/parts/load_vector.hpp";
  const std::map<std::string, std::string> expected{
      // Thread 0 goes through all the steps before thread 1 takes the first.
      {"no_barrier",
       ", thread 1 (" + wrong("no_barrier", "s[t + stride]") +
           "): race in shared memory: writes 4 bytes at byte 4 of dynamic shared memory, which thread 0 "
           "read at " +
           wrong("no_barrier", "s[t + stride]") + ", with no barrier between"},
      {"no_warp_barrier",
       ", thread 1 (" + wrong("no_warp_barrier", "warp_size / 2") +
           "): race in shared memory: writes 4 bytes at byte 4 of dynamic shared memory, which "
           "thread 0 read at " +
           wrong("no_warp_barrier", "warp_size / 2") + ", with no barrier between"},
      {"lucky_order",
       ", thread 32 (" + wrong("lucky_order", "*out = s[0]") +
           "): race in shared memory: reads 4 bytes at byte 0 of dynamic shared memory, which thread 0 "
           "wrote at " +
           wrong("lucky_order", "s[0] = reduction") + ", with no barrier between"},
      // The second reduction's first warp to come is warp 1: warp 0 wrote its own word after it had read it.
      {"reuse_race",
       ", thread 32 (" + line_of(shuffles, "of_warp[warp] = value") +
           "): race in shared memory: writes 4 bytes at byte 4 of of_warp, which thread 1 read at " +
           line_of(shuffles, "? of_warp[lane]") + ", with no barrier between"},
      {"atomic_plain",
       ", thread # (" + wrong("atomic_plain", "arrived > 0") +
           "): race in shared memory: reads 4 bytes at byte 0 of arrived, which thread # atomically "
           "updated at " +
           wrong("atomic_plain", "atomicAdd") + ", with no barrier between"},
      {"named_reuse",
       ", thread 32 (" + wrong("named_reuse", "*out = s[0]") +
           "): race in shared memory: reads 4 bytes at byte 0 of dynamic shared memory, which thread 0 "
           "wrote at " +
           wrong("named_reuse", "named_barrier_arrive", 1) + ", with no barrier between"},
      {"named_count",
       ", thread 32 (" + wrong("named_count", "*out = s[0]") +
           "): race in shared memory: reads 4 bytes at byte 0 of dynamic shared memory, which thread 0 "
           "wrote at " +
           wrong("named_count", "named_barrier_arrive", -1) + ", with no barrier between"},
      {"unwritten", ", thread 0 (" + wrong("unwritten", "s[wrong_block - 1]") +
                        "): reads 4 bytes at byte 1020 of dynamic shared memory, which nobody has written"},
      {"unwritten_global",
       ", thread 0 (" + wrong("unwritten_global", "Op()(reduction, *out)") +
           "): reads 4 bytes at byte 0 of a buffer of 4 bytes of global memory, which nobody has "
           "written"},
      {"unwritten_scratch",
       ", thread 0 (" + wrong("unwritten_scratch", "scratch[count - 1]") +
           "): reads 4 bytes at byte 8 of a buffer of 12 bytes of global memory, which nobody has written"},
      {"timed_only", ", thread 0 (" + wrong("timed_only", "*mark == 5") +
                         "): reads 4 bytes at byte 0 of a buffer of 4 bytes of global memory, which nobody "
                         "has written"},
      // 1009 = 3 x 256 + 241.
      {"reads_past",
       ", thread 241 (" + line_of(loads, "return reinterpret_cast") +
           "): out of bounds: reads 4 bytes at byte 4036 of a buffer of 4036 bytes of global memory"},
      {"writes_past",
       ", thread 0 (" + wrong("writes_past", "out[1] = reduction") +
           "): out of bounds: writes 4 bytes at byte 4 of a buffer of 4 bytes of global memory"},
      {"writes_before",
       ", thread 0 (" + wrong("writes_before", "(in)[-1] = reduction") +
           "): out of bounds: writes 4 bytes at 4 bytes before a buffer of 4036 bytes of global memory"},
      {"writes_past_scratch",
       ", thread 0 (" + wrong("writes_past_scratch", "scratch[count] = reduction") +
           "): out of bounds: writes 4 bytes at byte 12 of a buffer of 12 bytes of global memory"},
      {"static_past", ", thread 32 (" + wrong("static_past", "s[t] = reduction") +
                          "): out of bounds: writes 4 bytes at byte 128 of s, which has 128"},
      {"dynamic_past",
       ", thread 0 (" + wrong("dynamic_past", "s[wrong_block] = reduction") +
           "): out of bounds: writes 4 bytes at byte 1024 of dynamic shared memory, which has 1024"},
      {"misaligned",
       ", thread 0 (" + wrong("misaligned", "unsigned long long*>") +
           "): misaligned: writes 8 bytes at byte 4 of dynamic shared memory, an address that is no "
           "multiple of 8"},
      {"mixed_collective",
       ", thread # (" + wrong("mixed_collective", "shuffle_down(") +
           "): mismatched collective: __shfl_down_sync with mask 0xffffffff, while thread # of the "
           "warp waits in __shfl_up_sync with mask 0xffffffff (" +
           wrong("mixed_collective", "shuffle_up(") + ")"},
      {"divergent_barrier",
       ": no thread can go on: threads 0 to 127 wait in __syncthreads (" +
           wrong("divergent_barrier", "__syncthreads()") + "); threads 128 to 255 wait in named barrier 1 (" +
           wrong("divergent_barrier", "named_barrier_sync") + "); 128 of 256 threads are at named barrier 1"},
  };
  std::string names;
  for (const auto& [name, sentence] : expected) names += (names.empty() ? "" : "|") + name;
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY,
                "verify -d simt:gtx480 --races --schedules 1 --json -b '/wrong_(" + names + ")$'", ".");
  EXPECT_EQ(answer.exit_code, exit_failed);
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  std::map<std::string, CaughtBy> found;
  for (const auto& [name, sentence] : expected) {
    const std::string variant = "reduce/wrong_" + name;
    std::string reason;
    for (const Json& bad : tallies.value(variant, Json::object()).value("bad", Json::array()))
      if (bad["key"] == variant + " n=1009 type=i32 operator=sum values=uniform") reason = bad["reason"];
    EXPECT_PRED2(fits, reason, "kernel wrong_kernel<Sum<int>>, block 0" + sentence) << name;
    found[variant] = caught_by("failed", reason);
  }
  // What the checks of accesses are said to find.
  std::map<std::string, CaughtBy> by_accesses;
  for (const WrongKernel& one : wrong_kernels()) {
    using enum CaughtBy;
    if (one.problem() == "reduce" &&
        std::set{bounds, alignment, unwritten, race, barrier, collective}.contains(one.races))
      by_accesses[one.variant] = one.races;
  }
  EXPECT_EQ(found, by_accesses);
}

TEST(RacesFlag, EveryVariantIsClean) {
  const Answer answer = redbench("verify -d simt --races --schedules 1");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_NE(answer.text.find(" passed, 0 failed\n"), std::string::npos) << answer.text;
}

TEST(RacesFlag, IsForTheModelledDevice) {
  const Answer answer = redbench("verify -d host --races -b reduce/cpu_serial");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_NE(answer.text.find("--races"), std::string::npos) << answer.text;
  const Answer small = redbench("verify -d host --small -b ^reduce/harris1$");
  EXPECT_EQ(small.exit_code, exit_usage);
  EXPECT_NE(small.text.find("--small is of kernels alone"), std::string::npos) << small.text;
}

// Thread 31 has read what thread 32 comes to write.
TEST(GlobalRaces, WithinABlockABarrierOrders) {
  expect_race(
      "race_global_mirror", {.threads = 64}, 1,
      by("race_global_mirror", 32, "a mirrored write") +
          "race in global memory: writes 4 bytes at byte 128 of a buffer of 256 bytes of global memory" +
          earlier(31, "read", "a mirrored read"));
}

TEST(GlobalRaces, NothingOrdersBlocks) {
  expect_race(
      "race_blocks", {.blocks = 2, .threads = 1}, 1,
      global_race("race_blocks", 1, "blocks write", "writes", 0, by_block(0, 0, "wrote", "blocks write")));
  expect_race("race_blocks_read", {.blocks = 3, .threads = 1}, 1,
              global_race("race_blocks_read", 2, "another writes", "writes", 0,
                          by_block(0, 1, "read", "a block reads")));
}

// A byte of a word that others write is no race; the same byte is.
TEST(GlobalRaces, AreOfBytes) {
  EXPECT_EQ(report_of("race_global_bytes", {.blocks = 4, .threads = 1}, {0}), "");
  EXPECT_TRUE(has(report_of("race_global_bytes", {.blocks = 4, .threads = 1}, {1}),
                  {"writes 1 byte at byte 2 of", "thread 0 of block 2 wrote"}));
}

TEST(GlobalRaces, AtomicsRaceWithPlainAccesses) {
  expect_race("race_global_atomic", {.blocks = 4, .threads = 1}, 1,
              global_race("race_global_atomic", 3, "plain among atomics", "writes", 0,
                          by_block(0, 2, "atomically updated", "adds atomically")));
  expect_race("race_global_atomic", {.blocks = 4, .threads = 1}, 2,
              global_race("race_global_atomic", 3, "reads among atomics", "reads", 0,
                          by_block(0, 2, "atomically updated", "adds atomically")));
}

// Any of several values may be meant to win: volatile says so, within a block and between blocks.
TEST(GlobalRaces, VolatileWritesMayRace) {
  for (const Grid& grid : {Grid{.threads = 2}, Grid{.blocks = 2, .threads = 1}}) {
    EXPECT_EQ(report_of("race_any_wins", grid, {0}), "");
    EXPECT_TRUE(
        has(report_of("race_any_wins", grid, {1}), {"race in global memory: writes 4 bytes at byte 0"}));
  }
  EXPECT_EQ(report_of("race_any_wins_shared", {.threads = 2}, {0}), "");
  EXPECT_TRUE(has(report_of("race_any_wins_shared", {.threads = 2}, {1}), {"race in shared memory: writes"}));
}

// In shared memory volatile orders nothing: code that relies on a warp in step is found.
TEST(Races, VolatileIsNoBarrier) {
  EXPECT_EQ(report_of("race_volatile", {.threads = 32}, {0}), "");
  EXPECT_TRUE(has(report_of("race_volatile", {.threads = 32}, {1}), {"race in shared memory: "}));
}

TEST(GlobalRaces, GridSyncOrdersBlocks) {
  const Grid grid{.blocks = 2, .threads = 32, .cooperative = true};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(report_of("race_grid_words", grid, {0}, 64, seed), "");
    EXPECT_TRUE(has(report_of("race_grid_words", grid, {1}, 64, seed),
                    {"race in global memory: ", "with no grid_sync"}));
  }
}

// A launch comes after all of the one before it.
TEST(GlobalRaces, LaunchesAreInOrder) {
  const std::unique_ptr<Device> device = watched();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(run_kernel(*device, "race_blocks", {.blocks = 2, .threads = 1}, {0}, 64)[1], 1);
}

// Thread 33 leaves the partial and thread 0 tells: without the barrier between them the fence is not thread
// 33's.
TEST(GlobalRaces, AFenceAndAnAtomicHandOver) {
  const Grid grid{.blocks = 3, .threads = 64};
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(report_of("race_last_block", grid, {0}, 64, seed), "") << seed;
    for (const int fault : {1, 2, 3})
      EXPECT_TRUE(has(report_of("race_last_block", grid, {fault}, 64, seed),
                      {"race in global memory: reads 4 bytes"}))
          << fault << ' ' << seed;
    EXPECT_TRUE(
        has(report_of("race_last_block", grid, {4}, 64, seed), {"race in global memory: reads 4 bytes"}))
        << seed;
  }
  EXPECT_EQ(report_of("race_last_block", grid, {1}),
            global_race("race_last_block", 2, "reads the partials", "reads", 4,
                        by_block(33, 0, "wrote", "leaves a partial")));
  EXPECT_EQ(report_of("race_last_block", grid, {4}),
            global_race("race_last_block", 2, "reads what came after the fence", "reads", 36,
                        by_block(0, 0, "wrote", "leaves more after the fence")));
}

TEST(GlobalRaces, AFlagHandsOnWhatItsWriterKnows) {
  const Grid grid{.blocks = 3, .threads = 2};
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_EQ(report_of("race_flags", grid, {0}, 64, seed), "") << seed;
  EXPECT_EQ(report_of("race_flags", grid, {2}), "") << "a fence serves all that follows it";
  EXPECT_EQ(report_of("race_flags", grid, {1}), global_race("race_flags", 2, "the third reads", "reads", 0,
                                                            by_block(0, 0, "wrote", "the first writes")));
}

}  // namespace
}  // namespace redbench
