// Each term of what a cell is expected to take, by hand, on cases of round numbers: in microseconds.
#include <gmock/gmock.h>

#include <map>

#include "src/plan/cost.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// A device of which only the kind and the size of its caches are asked for.
struct Other : FakeDevice {
  explicit Other(Target target, std::size_t l2_bytes = 0) : target_(target) { facts_.l2_bytes = l2_bytes; }
  Target target() const override { return target_; }

 private:
  Target target_;
};

LaunchFacts launch_of(Index blocks, int threads, double bytes_read, int resident) {
  LaunchFacts launch;
  launch.grid.blocks = blocks;
  launch.grid.threads = threads;
  launch.grid.bytes_read = bytes_read;
  launch.resident_blocks = resident;
  return launch;
}

/// 2 GB read and written, 25000 results of 4 bytes, 4 million threads and 600000.
Case case_of(const std::string& device, const char* problem = "reduce", Operator op = Operator::sum) {
  Case one;
  one.variant = find_variant("reduce/harris3");
  one.device = device;
  one.input.type = Type::i32;
  one.input.op = op;
  one.input.n = 2'000'000;
  one.input.pair = find_problem(problem)->pair(Type::i32, op);
  if (problem != std::string("reduce")) one.input.axes["labels"] = "uniform";
  one.sizes.values = 7'000'000;
  one.sizes.labels = 1'000'000;
  one.sizes.offsets = 2'000'000;
  one.sizes.result = 100'000;
  one.sizes.m = 25'000;
  one.sizes.bytes_read = 1.8e9;
  one.sizes.bytes_written = 2e8;
  one.footprint.launches = {launch_of(40'000, 100, 8e6, 2), launch_of(3'000, 200, 5e6, 1)};
  one.footprint.chain = 1'000'000'000;
  return one;
}

Cell cell_of(std::vector<Case> cases, const char* problem = "reduce") {
  return {find_problem(problem), cases.at(0).input, std::move(cases)};
}

CostFacts facts_of() {
  CostFacts facts{.cores = 4, .multiprocessors = 20, .flush_s = 1e-3, .measure = {}};
  facts.measure.min_samples = 5;
  facts.measure.max_samples = 100;
  facts.measure.timeout_s = 100;
  return facts;
}

/// Kinds, what they are of, and microseconds of all parts.
std::vector<std::tuple<std::string, std::string, double>> parts_of(const Cell& cell, const CostFacts& facts) {
  std::vector<std::tuple<std::string, std::string, double>> parts;
  const std::vector<CellCost> costs = costs_of(Plan{{cell}}, facts);
  EXPECT_EQ(costs.size(), 1u);
  for (const CostPart& part : costs[0].parts)
    parts.emplace_back(part.kind, part.of, std::round(1e9 * part.seconds) / 1e3);
  return parts;
}

using Part = std::tuple<std::string, std::string, double>;

// Made on 4 cores: 20 ns for each of 2 million values. A sample takes 160, 1000 for its bytes at 2 TB/s, 3
// for each of two launches and 5 ps for each of 4.6 million threads: 1189, which is long, so there are 61
// rounds. 4 checks of 25000 results take 100 each. A mover takes 1160, in 40 trials and 4 beside each round.
// Inputs of 10 MB are uploaded at 4 GB/s within 50000.
constexpr double made = 10'000, sample = 1189, mover = 1160, upload = 52'500,
                 beside = 40 * mover + 4 * 61 * mover, on_gpu = 400 + 61 * sample + beside + upload;

TEST(CostTerms, OfAKernelOnAGpu) {
  const Cell cell = cell_of({case_of("cuda:0")});
  EXPECT_THAT(parts_of(cell, facts_of()),
              ElementsAre(Part("making", "reduce", made), Part("cuda", "reduce", on_gpu)));
  const auto with = [&](const std::function<void(MeasureOptions&)>& change) {
    CostFacts facts = facts_of();
    change(facts.measure);
    return std::get<2>(parts_of(cell, facts).back());
  };
  EXPECT_EQ(with([](MeasureOptions& m) { m.twice = true; }), on_gpu + 61 * sample);
  EXPECT_EQ(with([](MeasureOptions& m) { m.energy = true; }), on_gpu + 700'000);
  EXPECT_EQ(with([](MeasureOptions& m) { m.modes = {Mode::cold, Mode::graph}; }), 2 * on_gpu - upload);
  EXPECT_EQ(with([](MeasureOptions& m) { m.scattered = true; }), on_gpu) << "without labels";
  EXPECT_EQ(with([](MeasureOptions& m) { m.max_samples = 30; }), on_gpu - 30 * (sample + 4 * mover));
  EXPECT_EQ(with([](MeasureOptions& m) { m.min_samples = 80; }), on_gpu + 20 * (sample + 4 * mover));
  // A case that has had 10000 is not begun once more.
  EXPECT_EQ(with([](MeasureOptions& m) { m.timeout_s = 0.01; }),
            400 + (10'000 + sample) + 40 * mover + 4 * (10'000 + mover) + upload);
}

// Two cases are sampled in turn; of the second, without launches, a sample takes as long as of a mover.
TEST(CostTerms, OfSeveralCasesInTheSameRounds) {
  Case other = case_of("cuda:0");
  other.footprint.launches.clear();
  const Cell cell = cell_of({case_of("cuda:0"), other});
  EXPECT_THAT(parts_of(cell, facts_of()),
              ElementsAre(Part("making", "reduce", made), Part("cuda", "reduce", on_gpu + 400 + 61 * mover)));
}

// From 500 on a sample is long: 340 for 680 MB, and 160.
TEST(CostTerms, RoundsAreFewerFromTheFirstLongSampleOn) {
  const auto of = [](double bytes) {
    Case one = case_of("cuda:0");
    one.footprint.launches.clear();
    one.sizes.bytes_read = bytes;
    one.sizes.bytes_written = 0;
    return std::get<2>(parts_of(cell_of({one}), facts_of()).back());
  };
  EXPECT_EQ(of(6.8e8), 400 + (61 + 40 + 4 * 61) * 500 + upload);
  EXPECT_NEAR(of(6.8e8 - 1), 400 + (101 + 40 + 4 * 101) * 500 + upload, 1);
}

// A sum that rounds is judged on other values once, a minimum nine times: each a sample, a check of its
// results, and an exact answer. That of rounded sums takes three times as long.
TEST(CostTerms, OfOtherValues) {
  Case rounded = case_of("cuda:0");
  rounded.sizes.rounded_terms = 7;
  EXPECT_THAT(parts_of(cell_of({rounded}), facts_of()),
              ElementsAre(Part("making", "reduce", 3 * made),
                          Part("cuda", "reduce", on_gpu + 100 + sample + 3 * made)));
  const Cell least = cell_of({case_of("cuda:0", "reduce", Operator::min)});
  EXPECT_THAT(parts_of(least, facts_of()),
              ElementsAre(Part("making", "reduce", made),
                          Part("cuda", "reduce", on_gpu + 9 * (100 + sample + made))));
  CostFacts later = facts_of();
  later.other_values = false;
  EXPECT_THAT(parts_of(least, later),
              ElementsAre(Part("making", "reduce", made), Part("cuda", "reduce", on_gpu)));
}

// Labels are gone through at 2.5 ns each. Those of a GPU wait in its cache for 50 ps each, of all threads:
// 100; 8 MB in steps of 8 bytes of 1 for each of 4000 resident threads, 250, the second launch not among
// them, which reads fewer; and 10^9 updates of 25000 results of 0.7 ns each, 28.
TEST(CostTerms, OfLabelsOnAGpu) {
  const Cell cell = cell_of({case_of("cuda:0", "multireduce")}, "multireduce");
  const double of_labels = on_gpu + 61 * (100 + 250 + 28);
  EXPECT_THAT(parts_of(cell, facts_of()), ElementsAre(Part("making", "multireduce", made + 5000),
                                                      Part("cuda", "multireduce", of_labels)));
  CostFacts scattered = facts_of();
  scattered.measure.scattered = true;
  EXPECT_THAT(parts_of(cell, scattered)[1], Part("cuda", "multireduce", of_labels + 2 * 61 * mover));
  // One result has them all, one after the other: 0.7 seconds.
  Cell one_label = cell;
  one_label.cases[0].input.axes["labels"] = "degenerate";
  EXPECT_THAT(parts_of(one_label, facts_of())[1],
              Part("cuda", "multireduce", of_labels + 61 * (700'000 - 28.0)));
  // Labels of a byte are taken up 32 bytes at a time, those of two bytes as others.
  for (const auto& [bytes, seconds] : {std::pair(1, 62.5), {2, 250.0}, {8, 250.0}}) {
    TypeFacts value = *cell.cases[0].input.pair->value;
    value.bytes = decltype(value.bytes)(bytes);
    Pair pair = *cell.cases[0].input.pair;
    pair.value = &value;
    Cell other = cell;
    other.cases[0].input.pair = &pair;
    EXPECT_THAT(parts_of(other, facts_of())[1], Part("cuda", "multireduce", of_labels + 61 * (seconds - 250)))
        << bytes;
  }
  // One thread takes up all: a second. So does a launch of none. There is one launch less, of 23 for threads.
  for (const Index blocks : {0, 1}) {
    Cell alone = cell;
    alone.cases[0].footprint.launches = {launch_of(blocks, 1, 8e6, 3)};
    EXPECT_NEAR(std::get<2>(parts_of(alone, facts_of())[1]), of_labels + 61 * (1'000'000 - 250.0 - 3 - 23),
                0.01);
  }
  // A launch that fits nowhere counts as one block on each multiprocessor.
  Cell few = cell;
  few.cases[0].footprint.launches[0].resident_blocks = 0;
  EXPECT_THAT(parts_of(few, facts_of())[1], Part("cuda", "multireduce", of_labels + 61 * 250));
}

/// On the host: 2 ns for each of 2 million values, on as many of 4 cores, and a flush of 1000.
TEST(CostTerms, OfACpuAlgorithm) {
  Case one = case_of("host");
  one.sizes.bytes_read = 1.4856e7;  // and 1 % of it: 15 MB at 15 GB/s, and a flush
  one.sizes.bytes_written = 1.44e5;
  const double host_mover = 2000;
  // Ways to read, on 1 and on 4 cores: 16, 8, 4, 4 and 4; a copy and a write have two each, for five trials.
  const double trials = 36 + 2 * 10;
  const auto of = [&](const Case& host, const CostFacts& facts) {
    const auto parts = parts_of(cell_of({host}), facts);
    EXPECT_THAT(parts[0], Part("making", "reduce", made));
    EXPECT_EQ(std::get<0>(parts[1]), "host");
    return std::get<2>(parts[1]);
  };
  const double all = 400 + 101 * 5000.0 + trials * host_mover + 4 * 101 * host_mover;
  EXPECT_EQ(of(one, facts_of()), all);
  for (const auto& [threads, cores] : {std::pair(0, 4), {1, 1}, {2, 2}, {4, 4}, {9, 4}}) {
    Case some = one;
    some.parameters = {{"tile", 7}, {"threads", threads}};
    EXPECT_EQ(of(some, facts_of()), all - 101 * 4000.0 * (cores - 1) / cores) << threads;
  }
  // Where more than 1 % is written a read and a write are mixed, too.
  Case mixed = one;
  mixed.sizes.bytes_read = 1.48e7;
  mixed.sizes.bytes_written = 2e5;
  EXPECT_EQ(of(mixed, facts_of()), all + 36 * host_mover);
  Case exactly = one;  // 1 %: 15.15 MB
  exactly.sizes.bytes_read = 1.5e7;
  exactly.sizes.bytes_written = 1.5e5;
  EXPECT_EQ(of(exactly, facts_of()), all + (trials + 4 * 101) * 10);
  // On 5 cores there is a third number of them to try: 24, 12, 6, 4 and 4, and 3, five times.
  CostFacts five = facts_of();
  five.cores = 5;
  EXPECT_EQ(std::get<2>(parts_of(cell_of({one}), five)[1]), all + (50 + 2 * 15 - trials) * host_mover);
  CostFacts warm = facts_of();
  warm.measure.modes = {Mode::warm};
  EXPECT_EQ(of(one, warm), all - (101 + trials + 4 * 101) * 1000);
  warm.measure.modes = {Mode::warm, Mode::cold, Mode::graph};
  EXPECT_EQ(of(one, warm), 2 * all) << "a graph is for GPUs";
  warm.measure.modes = {Mode::warm, Mode::cold};
  EXPECT_EQ(of(one, warm), 2 * all);
  warm.measure.modes = {Mode::warm, Mode::graph};
  EXPECT_EQ(of(one, warm), all) << "another mode is never warm";
  warm.measure.modes = {Mode::graph};
  EXPECT_EQ(of(one, warm), 0);
  Case labels = case_of("host", "multireduce");
  labels.sizes.bytes_read = one.sizes.bytes_read;
  labels.sizes.bytes_written = one.sizes.bytes_written;
  EXPECT_THAT(parts_of(cell_of({labels}, "multireduce"), facts_of()),
              ElementsAre(Part("making", "multireduce", made + 5000),
                          Part("host", "multireduce", all + 101 * 2 * 4000)))
      << "6 ns for each";
  // Checked alone, a case runs once.
  CostFacts checked = facts_of();
  checked.timing = false;
  EXPECT_EQ(of(one, checked), 100 + 4000);
}

// 4.6 million threads of 300 ns and 2 million values of 100 ns, on 4 cores.
TEST(CostTerms, OfTheModelledDevice) {
  const double once = (1'380'000 + 200'000) / 4.0;
  const auto of = [](Operator op, bool counters) {
    CostFacts facts = facts_of();
    facts.measure.counters = counters;
    return parts_of(cell_of({case_of("simt:h200", "reduce", op)}), facts);
  };
  EXPECT_THAT(of(Operator::sum, false),
              ElementsAre(Part("making", "reduce", made), Part("simt", "reduce/harris3", once)));
  EXPECT_THAT(of(Operator::sum, true)[1], Part("simt", "reduce/harris3", 4 * once));
  EXPECT_THAT(of(Operator::min, false)[1], Part("simt", "reduce/harris3", 10 * once));
}

TEST(CostTerms, EachCaseIsOfItsPart) {
  Case refused = case_of("cuda:0");
  refused.refusal = "too large";
  const std::vector<CellCost> costs =
      costs_of(Plan{{cell_of({refused, case_of("host"), case_of("simt:h200"), case_of("cuda:0"),
                              case_of("simt:gtx480"), case_of("cuda:1")}),
                     cell_of({refused})}},
               facts_of());
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_THAT(costs[0].part_of_case, ElementsAre(0, 4, 2, 1, 3, 1));
  std::vector<std::string> kinds;
  for (const CostPart& part : costs[0].parts) kinds.push_back(part.kind);
  EXPECT_THAT(kinds, ElementsAre("making", "cuda", "simt", "simt", "host"));
  EXPECT_THAT(costs[1].part_of_case, ElementsAre(0));
  EXPECT_EQ(costs[1].parts.size(), 1u);
  EXPECT_EQ(costs[1].parts[0].seconds, 0);
}

/// A plan of one cell of these cases; "-host" is a refused one.
Plan plan_of(const std::vector<std::string>& devices, Operator op = Operator::sum) {
  std::vector<Case> cases;
  for (const std::string& device : devices) {
    cases.push_back(case_of(device.starts_with('-') ? device.substr(1) : device, "reduce", op));
    if (device.starts_with('-')) cases.back().refusal = "too large";
  }
  return Plan{{cell_of(cases)}};
}

TEST(CostTerms, OnlyWhatTakesTimesIsMeasuredInForks) {
  for (const auto& [devices, forks] :
       std::map<std::vector<std::string>, bool>{{{"host"}, true},
                                                {{"cuda:0"}, true},
                                                {{"simt:h200"}, false},
                                                {{"-host"}, false},
                                                {{"-cuda:0", "simt:h200"}, false},
                                                {{"-host", "cuda:0"}, true},
                                                {{"simt:h200", "host"}, true}})
    EXPECT_EQ(times_in_forks(plan_of(devices)), forks) << testing::PrintToString(devices);
}

TEST(CostTerms, AreAddedUpOverAllCells) {
  EXPECT_EQ(seconds_of({{{{"making", "a", 1.5}, {"host", "a", 2}}, {1}}, {{{"making", "b", 4}}, {0}}}), 7.5);
  EXPECT_EQ(seconds_of(std::vector<CellCost>()), 0);
}

// Each process of a GPU's takes 0.8 seconds to start.
TEST(CostTerms, OfAllProcesses) {
  MeasureOptions measure = facts_of().measure;
  measure.modes = {Mode::warm};
  measure.forks = 3;
  Other kernels(Target::simt), gpu(Target::cuda), host(Target::host, 1 << 20);
  const auto once = [&](const Plan& plan, bool timing) {
    return seconds_of(costs_of(plan, cost_facts(plan, measure, timing, {kernels, host})));
  };
  for (const bool timing : {false, true}) {
    const Plan simt = plan_of({"simt:h200"}), cpu = plan_of({"host"});
    EXPECT_NEAR(seconds_of(simt, measure, {kernels, host}, timing), once(simt, timing), 1e-9);
    EXPECT_NEAR(seconds_of(cpu, measure, {kernels, host}, timing), (timing ? 3 : 1) * once(cpu, timing),
                1e-9);
    EXPECT_NEAR(seconds_of(cpu, measure, {gpu, host}, timing), (timing ? 3 : 1) * (once(cpu, timing) + 0.8),
                1e-9);
  }
  // The first process alone judges other values, which a minimum has and a sum that is exact has not.
  const double first = once(plan_of({"host"}, Operator::min), true), later = once(plan_of({"host"}), true);
  EXPECT_GT(first, later + 0.01);
  EXPECT_NEAR(seconds_of(plan_of({"host"}, Operator::min), measure, {kernels, host}), first + 2 * later,
              1e-9);
}

/// Of the host with these caches, in a process that has not yet learnt how long it takes.
double flush_s(const std::vector<std::string>& devices, bool timing, std::size_t l2_bytes) {
  Other kernels(Target::simt), host(Target::host, l2_bytes);
  return cost_facts(plan_of(devices), {}, timing, {kernels, host}).flush_s;
}

TEST(CostFlush, IsNotLearntWhereNoTimesOfTheHostAreTaken) {
  constexpr std::size_t caches = 8 << 20;
  EXPECT_EQ(flush_s({"host"}, false, caches), 0);
  EXPECT_EQ(flush_s({"simt:h200"}, true, caches), 0);
  EXPECT_EQ(flush_s({"cuda:0", "-host"}, true, caches), 0);
}

TEST(CostFlushDeathTest, IsLearntWhereTimesOfTheHostAreTaken) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr std::size_t caches = 8 << 20;
  const auto learnt = [] {
    bool right = flush_s({"host"}, false, caches) == 0;
    right = right && flush_s({"simt:h200"}, true, caches) == 0 && flush_s({"-host"}, true, caches) == 0;
    const double seconds = flush_s({"simt:h200", "host"}, true, caches);
    std::exit(right && seconds > 1e-7 && seconds < 100 ? 0 : 1);  // 16 MB
  };
  EXPECT_EXIT(learnt(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(flush_s({"host"}, true, 0) == 0 ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace redbench
