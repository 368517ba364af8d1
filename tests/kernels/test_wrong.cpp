// The wrong kernels of tests/wrong, each caught by the check that is there for it, and costing no other case.
#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

constexpr int hang_s = 3;

class Wrong : public testing::TestWithParam<WrongKernel> {};

TEST_P(Wrong, IsCaughtByItsCheck) {
  expect_caught(GetParam(), GetParam().simt, REDBENCH_WRONG_BINARY, "simt:gtx480", hang_s);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Wrong, testing::ValuesIn(wrong_kernels()), name_of_test);

// A wrong kernel that no row names would be caught by nothing.
TEST(WrongKernels, EachHasItsCheck) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY, "list --json -b /wrong_", ".");
  std::set<std::string> built, named;
  const Json cards = Json::parse(answer.text);
  for (const auto& [name, card] : cards.items()) built.insert(name);
  for (const WrongKernel& one : wrong_kernels()) {
    named.insert(one.variant);
    EXPECT_EQ(one.cuda == CaughtBy::unknown, !one.why.empty()) << one;
  }
  EXPECT_EQ(built, named);
}

/// By the variant's name, the rows of a battery that went wrong.
std::map<std::string, Json> battery(const std::string& arguments) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY, "verify -d simt:gtx480 --json " + arguments, ".");
  const Json tallies = Json::parse(answer.text, nullptr, false);
  std::map<std::string, Json> bad;
  if (!tallies.is_object()) {
    ADD_FAILURE() << answer.text;
    return bad;
  }
  int wrong = 0;
  for (const auto& [name, tally] : tallies.items()) {
    bad[name] = tally["bad"];
    wrong += tally["wrong"].get<int>();
  }
  EXPECT_EQ(answer.exit_code, wrong ? exit_wrong : exit_fine);
  return bad;
}

TEST(WrongKernels, ACellSurvivesAllAtOnce) {
  expect_that_a_cell_survives(REDBENCH_WRONG_BINARY, "simt:gtx480", hang_s);
}

// The battery finds what one size does not, by the same checks.
TEST(WrongKernels, TheBatteryCatchesThemAll) {
  std::map<std::string, std::set<CaughtBy>> checks;
  for (const WrongKernel& one : wrong_kernels()) {
    checks[one.variant].insert(one.simt);
    if (one.simt == CaughtBy::comparison) checks[one.variant].insert(CaughtBy::rounding_bound);
  }
  const auto bad = battery(
      "--schedules 4 -b '^reduce/wrong_(zero|last_tile|one_dropped|swapped|stale|writes_input|no_barrier)$'");
  EXPECT_EQ(bad.size(), 7u);
  for (const auto& [name, rows] : bad) {
    EXPECT_FALSE(rows.empty()) << name;
    for (const Json& row : rows) EXPECT_TRUE(checks[name].contains(caught_by(row))) << row << caught_by(row);
  }
}

// Lanes in order make it right; of four schedules some do not.
TEST(WrongKernels, SchedulesCatchWhatOneOrderDoesNot) {
  const std::string variant = "-b '^reduce/wrong_lucky_order$'";
  EXPECT_TRUE(battery("--schedules 1 " + variant)["reduce/wrong_lucky_order"].empty());
  EXPECT_FALSE(battery("--schedules 4 " + variant)["reduce/wrong_lucky_order"].empty());
}

/// The value that a case's key gives an axis.
std::string axis_of(const std::string& key, const std::string& axis) {
  const std::size_t start = key.find(" " + axis + "=") + axis.size() + 2;
  return key.substr(start, key.find(' ', start) - start);
}

// Of segments of 10 to 50, the default, these kernels with their tiles of 64 make the right results.
TEST(WrongKernels, SegmentsOfOtherShapesCatchWhatTheDefaultDoesNot) {
  using Names = std::set<std::string>;
  std::map<std::string, Names> shapes, operators;
  const auto bad =
      battery("--schedules 1 -b '^segreduce/wrong_(empty_unwritten|carry_lost|carries_swapped|tile_twice)$'");
  for (const auto& [name, rows] : bad)
    for (const Json& row : rows) {
      EXPECT_EQ(row["outcome"], "wrong") << row;
      shapes[name].insert(axis_of(row["key"], "segments"));
      operators[name].insert(axis_of(row["key"], "operator"));
    }
  EXPECT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes["segreduce/wrong_empty_unwritten"],
            (Names{"fixed:3+empty", "uniform:0..6", "geometric:0.5"}));
  // A segment k of 65 values fills tile t from its second value on where 64 t = 65 k + 1: k = 63, t = 64.
  EXPECT_EQ(shapes["segreduce/wrong_carry_lost"], (Names{"one", "uniform:1..3000", "zipf:1.5", "fixed:65"}));
  EXPECT_EQ(shapes["segreduce/wrong_carries_swapped"], (Names{"one", "uniform:1..3000", "zipf:1.5"}));
  EXPECT_EQ(operators["segreduce/wrong_carries_swapped"], (Names{"affine"}));
  // By chance also where sizes are random: segments that start with a tile.
  EXPECT_EQ(shapes["segreduce/wrong_tile_twice"].count("fixed:64"), 1u);
  EXPECT_EQ(shapes["segreduce/wrong_tile_twice"].count("uniform:10..50"), 0u);
}

TEST(WrongKernels, ScansOfSegmentsShowAtTheBordersOfTiles) {
  std::map<std::string, std::set<std::string>> shapes;
  for (const auto& [name, rows] : battery("--schedules 1 -b '^segscan/wrong_'"))
    for (const Json& row : rows) {
      EXPECT_EQ(row["outcome"], "wrong") << row;
      shapes[name].insert(axis_of(row["key"], "segments"));
    }
  EXPECT_EQ(shapes["segscan/wrong_carry_lost"].count("fixed:65"), 1u);
  EXPECT_EQ(shapes["segscan/wrong_carry_lost"].count("fixed:64"), 0u);
  EXPECT_EQ(shapes["segscan/wrong_not_restarted"].count("fixed:64"), 1u);
  EXPECT_EQ(shapes["segscan/wrong_not_restarted"].count("one"), 0u);
}

/// Processes with this variable in their environment, by id.
std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string id = entry.path().filename();
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    if (!std::isdigit(id[0]) || !file) continue;
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (environment.find(variable) != environment.npos) found.push_back(std::stoi(id));
  }
  return found;
}

/// Waits for `ready`, half a minute at most; whether it came.
template <class F>
bool comes_true(const F& ready) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

/// CPU time of a process in clock ticks.
long ticks_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string word;
  for (int field = 1; field <= 14 && file >> word; ++field) {
  }
  return file ? std::stol(word) : 0;
}

// What the test below kills; run by it alone.
TEST(Killed, DISABLED_ATestOfAKernelThatHangs) {
  run_wrong(REDBENCH_WRONG_BINARY, "simt:gtx480", "reduce", {"wrong_hangs"},
            R"("n": 1000, "type": "i32", "operator": "sum")", 600);
}

// ctest kills a test that takes too long: the program that it runs ends with it, and that one's worker, in
// the middle of a kernel.
TEST(Killed, ATestLeavesNoProcessBehind) {
  const std::string mark = "REDBENCH_TEST_KILLED=" + std::to_string(getpid());
  const std::string test = std::filesystem::read_symlink("/proc/self/exe").string();
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t child = start("env " + mark + " " + test,
                            "--gtest_also_run_disabled_tests --gtest_filter=Killed.DISABLED_*", nothing);
  close(nothing);
  // The test, the program, and its worker, which is busy for longer than it takes to start.
  EXPECT_TRUE(comes_true([&] {
    const std::vector<pid_t> all = processes_with(mark);
    return all.size() == 3 &&
           std::ranges::any_of(all, [](pid_t one) { return ticks_of(one) > sysconf(_SC_CLK_TCK); });
  }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(comes_true([&] { return processes_with(mark).empty(); }));
  for (const pid_t left : processes_with(mark)) kill(left, SIGKILL);
}

TEST(Verify, ARightVariantPasses) {
  const Answer answer = redbench("verify -d simt:gtx480 --schedules 2 -b 'reduce/tb2$'");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_NE(answer.text.find(" passed, 0 failed\n"), std::string::npos) << answer.text;
}

TEST(Verify, AnUnknownVariantIsAMistake) {
  const Answer answer = redbench("verify -d simt -b 'reduce/harriss3'");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_NE(answer.text.find("harris3"), std::string::npos) << answer.text;
}

}  // namespace
}  // namespace redbench
