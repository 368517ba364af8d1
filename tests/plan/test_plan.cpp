// Plans: the table of a known figure, grids of the paper, and every reason to refuse a case.
#include <gmock/gmock.h>

#include <sstream>

#include "src/cli/flags.hpp"
#include "src/config/parameters.hpp"
#include "src/config/resolved.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class Planning : public testing::Test {
 protected:
  Plan plan(const std::string& device, const std::string& experiment) {
    const std::string path = folder_.write("x.json", R"({"experiments": [{"problem": )" + experiment + "}]}");
    open_ = std::make_unique<OpenDevices>(device);
    return make_plan(load_config(path, open_->kernels->target(), {}, record_columns()), open_->devices());
  }
  /// The only case's refusal.
  std::string refusal(const std::string& device, const std::string& experiment) {
    const Plan p = plan(device, experiment);
    EXPECT_EQ(p.cases(), 1u);
    EXPECT_EQ(p.runnable(), 0u);
    EXPECT_EQ(p.cells[0].cases[0].instance, nullptr);
    return p.cells[0].cases[0].refusal;
  }

  TemporaryFolder folder_;
  std::unique_ptr<OpenDevices> open_;
};

TEST_F(Planning, TableOfMartinsFigure4) {
  OpenDevices open("simt:gtx480");
  const Config config = load_config(REDBENCH_SOURCE_DIR "/configs/martin2012/fig4.json", Target::simt,
                                    {.axes = {"n=1Mi"}, .sets = {}, .variants = {}}, record_columns());
  // Tiles of 512 (2 x 256) and 1024; 6 and 5 resident blocks on each of 15 multiprocessors. The accumulator
  // that the persistent listings keep in shared memory is not in the paper's H(W+1) and 2H(W+1) words.
  EXPECT_EQ(
      format_plan(make_plan(config, open.devices()), 0.5),
      R"(variant                   n    type  operator  values   parameters  blocks      threads  shared  occupancy  scratch  memory
reduce/tb2                1Mi  f32   min       uniform  block=256   2048, 4, 1  256      2112    100 %      8.2 KiB  4.0 MiB
reduce/tb4_warp           1Mi  f32   min       uniform  -           1024, 1     256      4224    100 %      4.2 KiB  4.0 MiB
reduce/matrix             1Mi  f32   min       uniform  -           1024, 1     256      4224    100 %      4.2 KiB  4.0 MiB
reduce/persistent_matrix  1Mi  f32   min       uniform  -           90, 1       256      4228    100 %      512 B    4.0 MiB
reduce/diffwarps          1Mi  f32   min       uniform  -           75, 1       288      8452    94 %       512 B    4.0 MiB
5 cases in 1 cell, 0 refused; at most 4.0 MiB of device memory; less than a second
)");
}

TEST(PlanTable, EachLaunchInOrderOrOneForAllThatAreAlike) {
  Case one;
  one.variant = find_variant("reduce/harris3");
  one.input.n = 4096;
  one.parameters = {{"block", 64}, {"blocks", 7}};
  one.sizes.values = 3 << 10;
  one.sizes.result = 512;
  const auto row = [&](std::vector<LaunchFacts> launches, bool library = false) {
    one.footprint.launches = std::move(launches);
    one.footprint.library = library;
    std::string line = format_plan(Plan{{{find_problem("reduce"), one.input, {one}}}}, 1);
    line = line.substr(line.find('\n') + 1);
    std::istringstream stream(line.substr(0, line.find('\n')));
    std::string words;
    for (std::string word; stream >> word;) words += (words.empty() ? "" : " ") + word;
    return words;
  };
  const auto launch = [](Index blocks, int threads, std::size_t shared, double occupancy) {
    LaunchFacts facts;
    facts.grid.blocks = blocks;
    facts.grid.threads = threads;
    facts.grid.shared_bytes = shared;
    facts.static_shared_bytes = 8;
    facts.occupancy = occupancy;
    return facts;
  };
  const std::string start = "reduce/harris3 4Ki i32 sum block=64 blocks=7 ", end = " 0 B 3.5 KiB";
  EXPECT_EQ(row({launch(9, 256, 1024, 1)}), start + "9 256 1032 100 %" + end);
  EXPECT_EQ(row({launch(4, 256, 16, 0.5), launch(4, 256, 16, 0.5)}), start + "4, 4 256 24 50 %" + end);
  EXPECT_EQ(row({launch(9, 256, 0, 0.5), launch(1, 64, 16, 0.25)}),
            start + "9, 1 256, 64 8, 24 50 %, 25 %" + end);
  const std::vector<LaunchFacts> seven(7, launch(2, 32, 0, 1));
  EXPECT_EQ(row({seven.begin(), seven.begin() + 6}), start + "2, 2, 2, 2, 2, 2 32 8 100 %" + end);
  EXPECT_EQ(row(seven), start + "2, 2, 2, 2, 2, 2, ... 32 8 100 %" + end);
  EXPECT_EQ(row({launch(9, 256, 0, 1)}, true),
            start + "9, library 256, library 8, library 100 %, library" + end);
  EXPECT_EQ(row({}, true), start + "library library library library" + end);
  EXPECT_EQ(row({}), start + "- - - -" + end);
}

TEST(Parameters, TakeTheirEndsAndSaySo) {
  const Parameter powers{"p", 64, 32, 256, Step::power_of_two},
      warps{"w", 64, 32, 96, Step::multiple_of_warp}, one{"o", 7, 7, 7, Step::one},
      any{"a", 1, 0, 3, Step::one};
  const auto taken = [](const Parameter& parameter) {
    std::vector<Index> values;
    for (Index value = -1; value <= 300; ++value)
      if (takes(parameter, value)) values.push_back(value);
    return values;
  };
  EXPECT_THAT(taken(powers), ElementsAre(32, 64, 128, 256));
  EXPECT_THAT(taken(warps), ElementsAre(32, 64, 96));
  EXPECT_THAT(taken(one), ElementsAre(7));
  EXPECT_THAT(taken(any), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(range_of(powers), "32 to 256, powers of two");
  EXPECT_EQ(range_of(warps), "32 to 96, multiples of 32");
  EXPECT_EQ(range_of(one), "7 only");
  EXPECT_EQ(range_of(any), "0 to 3");
}

TEST(PlanTable, BytesHaveTheirUnit) {
  Case one;
  one.variant = find_variant("reduce/harris3");
  const auto shown = [&](std::size_t bytes) {
    one.sizes.values = bytes;
    const std::string text = format_plan(Plan{{{find_problem("reduce"), one.input, {one}}}}, 100);
    const std::size_t start = text.find("at most ") + 8;
    return text.substr(start, text.find(" of device") - start);
  };
  for (const auto& [bytes, text] :
       std::vector<std::pair<std::size_t, std::string>>{{0, "0 B"},
                                                        {1023, "1023 B"},
                                                        {1024, "1.0 KiB"},
                                                        {1536, "1.5 KiB"},
                                                        {std::size_t(1) << 20, "1.0 MiB"},
                                                        {std::size_t(5) << 30, "5.0 GiB"},
                                                        {std::size_t(3) << 40, "3.0 TiB"},
                                                        {std::size_t(2048) << 40, "2048.0 TiB"}})
    EXPECT_EQ(shown(bytes), text);
}

// Each input and each result counts once, whatever the layout.
TEST_F(Planning, BytesAreThoseOfTheProblem) {
  const auto expect = [&](const std::string& experiment, double read, double written) {
    const Plan p = plan("host", experiment);
    const InputSizes& sizes = p.cells.at(0).cases.at(0).sizes;
    EXPECT_EQ(sizes.bytes_read, read) << experiment;
    EXPECT_EQ(sizes.bytes_written, written) << experiment;
  };
  expect(R"("reduce", "variants": "cpu_serial", "axes": {"n": 1000, "type": "f64"})", 8000, 8);
  expect(R"("reduce", "variants": "cpu_serial", "axes": {"n": 1000, "type": "u32", "operator": "affine"})",
         8000, 8);
  for (const char* layout : {"arrays", "structs"})
    expect(R"("triple_reduce", "variants": "*", "axes": {"n": 1000, "type": "f64", "layout": ")" +
               std::string(layout) + "\"}",
           3 * 8000, 3 * 8);
  const std::string segreduce =
      R"("segreduce", "variants": "cpu_serial", "axes": {"n": 1000, "type": "f64", "segments": "fixed:4", "given": )";
  expect(segreduce + R"("owners"})", 8000 + 4000, 250 * 8);
  expect(segreduce + R"("offsets"})", 8000 + 251 * 8, 250 * 8);
  expect(R"("segscan", "variants": "cpu_serial", "axes": {"n": 1000, "type": "i32", "segments": "fixed:4"})",
         4000 + 4000, 4000);
  expect(R"("histogram", "variants": "*", "axes": {"n": 1000, "type": "u8", "m": 10})", 1000, 40);
  expect(R"("histogram", "variants": "*", "axes": {"n": 1000, "type": "u32", "m": 10})", 4000, 40);
  expect(R"("multiscan", "variants": "*", "axes": {"n": 1000, "type": "i32", "m": 10})", 4000 + 4000, 4000);
}

TEST_F(Planning, TheSeedOfTheConfigIsThatOfTheInputs) {
  const std::string path = folder_.write("x.json", R"({"seed": 7, "experiments": [{"problem": "reduce",
                                         "variants": "harris3", "axes": {"n": 1000}}]})");
  OpenDevices open("simt");
  const Config config = load_config(path, Target::simt, {}, record_columns());
  EXPECT_EQ(make_plan(config, open.devices()).cells.at(0).input.seed, 7u);
  // In a worker process.
  const Config told = told_config(config.path, config.name, config.resolved);
  EXPECT_EQ(told_plan(told, open.devices()).cells.at(0).input.seed, 7u);
}

// Shuffles are there from compute capability 3.0 on, which a GTX 690 has.
TEST_F(Planning, AComputeCapabilityThatIsTooLowIsRefused) {
  const std::string experiment = R"("reduce", "variants": "shuffle_two_pass", "axes": {"n": 1000})";
  EXPECT_EQ(refusal("simt:gtx480", experiment), "needs compute capability 3.0, gtx480 has 2.0");
  EXPECT_EQ(plan("simt:gtx690", experiment).runnable(), 1u);
}

// An index that wraps around reads before the input: more inputs than a listing's index numbers are refused.
TEST_F(Planning, MoreThanAnIndexNumbersIsRefused) {
  const auto refused = [&](const std::string& variant, const std::string& axes) {
    return refusal("simt:h200", R"("reduce", "variants": ")" + variant + R"(", "axes": {"n": )" + axes + "}");
  };
  EXPECT_EQ(refused("harris3", "2147483649"), "takes n up to 2147483648, not 2147483649");
  EXPECT_EQ(refused("harris7", "2147483649"), "takes n up to 2147483648, not 2147483649");
  EXPECT_EQ(refused("shuffle_two_pass", "2147483649"), "takes n up to 2147483648, not 2147483649");
  // These count on by a step of the grid, 1024 blocks of 512 threads, or of 1024 blocks of a tile of 2048.
  EXPECT_EQ(refused("shuffle_two_pass", "2147483647"),
            "counts in 32 bits, which with steps of 524288 are enough for n up to 2146959360");
  EXPECT_EQ(refused("harris7", R"("2^31", "block": 1024, "blocks": "2^20")"),
            "counts in 32 bits, which with steps of 2147485696 are enough for n up to 2147481600");
  // A loop of 64 bits takes what memory holds.
  EXPECT_THAT(refused("shuffle_two_pass_unrolled", R"("2^40")"), HasSubstr("bytes"));
}

TEST_F(Planning, GridsOfMartinsTableI) {
  const Plan p = plan(
      "simt:gtx480", R"("reduce", "variants": ["tb2", "tb4_warp", "matrix", "persistent_matrix", "diffwarps"],
                                        "axes": {"n": "30Mi", "type": "f32", "operator": "min"})");
  std::vector<std::vector<Index>> blocks;
  for (const Case& c : p.cells.at(0).cases) {
    blocks.emplace_back();
    for (const LaunchFacts& launch : c.footprint.launches) blocks.back().push_back(launch.grid.blocks);
  }
  EXPECT_THAT(blocks, ElementsAre(ElementsAre(61440, 120, 1), ElementsAre(30720, 30, 1),
                                  ElementsAre(30720, 30, 1), ElementsAre(90, 1), ElementsAre(75, 1)));
  EXPECT_NEAR(p.cells[0].cases[4].footprint.launches[0].occupancy, 5 * 9 / 48.0, 1e-12);
}

// 40 registers x 256 threads fit six times on each of 132 multiprocessors; 32, and 8 blocks of 8 warps, on
// any GPU without a table of registers: 108 of an A100, which has shared memory for nine.
TEST_F(Planning, PersistentGridsAreThoseOfTheRegistersThatNvccGave) {
  const std::string complex =
      R"("reduce", "variants": "persistent_matrix", "axes": {"n": "30Mi", "type": "c64", "operator": "sum"})";
  const auto first_launch = [&](const std::string& device, const std::string& experiment) {
    return plan(device, experiment).cells.at(0).cases.at(0).footprint.launches.at(0);
  };
  const LaunchFacts h200 = first_launch("simt:h200", complex);
  EXPECT_EQ(h200.registers, 40);
  EXPECT_EQ(h200.limiter, "registers");
  EXPECT_EQ(h200.grid.blocks, 132 * 6);
  const LaunchFacts a100 = first_launch("simt:a100", complex);
  EXPECT_EQ(a100.registers, 0);
  EXPECT_EQ(a100.grid.blocks, 108 * 8);
  // Behind the fill: 977 data-blocks of 1024 inputs, and where there are more, what fits.
  for (const auto& [n, blocks] : {std::pair("1000000", 977), std::pair("\"30Mi\"", 132 * 8)}) {
    const Plan p = plan("simt:h200", std::string(R"("segreduce", "variants": "persistent_matrix",
        "axes": {"type": "i64", "segments": "fixed:3", "n": )") +
                                         n + "}");
    const LaunchFacts& launch = p.cells.at(0).cases.at(0).footprint.launches.at(1);
    EXPECT_EQ(launch.registers, 32);
    EXPECT_EQ(launch.grid.blocks, blocks);
  }
}

// A kernel's name and file are the same in the machine code of the GPU and in the program: of each family, of
// every type, in headers and in files of their own.
TEST_F(Planning, RegistersAreKnownOfKernelsOfEachFamily) {
  const auto expect = [&](const std::string& problem, const std::string& variants,
                          const std::string& axes = "") {
    std::size_t known = 0;
    for (const Pair& pair : find_problem(problem)->pairs) {
      const Plan p =
          plan("simt:h200", fmt::format(R"("{}", "variants": [{}], "axes": {{"n": 9999, "type": "{}",
                                                      "operator": "{}"{}}})",
                                        problem, variants, name_of(pair.type), name_of(pair.op), axes));
      for (const Case& one : p.cells.at(0).cases)
        for (const LaunchFacts& launch : one.footprint.launches) {
          EXPECT_GT(launch.registers, 0) << one.key() << ": " << launch.kernel;
          ++known;
        }
    }
    EXPECT_GT(known, 0u) << problem;
  };
  expect("reduce", R"("harris6", "shuffle_warp_atomic_vec4", "diffwarps")");
  expect("segreduce", R"("tb2", "diffwarps16")", R"(, "segments": "fixed:3")");
  expect("triple_reduce", R"("interleaved_unrolled")");
  expect("histogram", R"("trish", "shams_kennedy_global")", R"(, "m": 64)");
  expect("multireduce", R"("minimal", "shared_per_thread")", R"(, "m": 16)");
  expect("multiscan", R"("sequential_global")", R"(, "m": 16)");
  expect("scatter", R"("multipass")", R"(, "m": 9999)");
  expect("gather", R"("naive")", R"(, "m": 9999)");
}

TEST_F(Planning, CellsShareAnInputAndKeysTellCasesApart) {
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3", "diffwarps"],
                                 "axes": {"n": [10, 20], "type": ["i32", "f64"], "block": [64, 128]})");
  ASSERT_EQ(p.cells.size(), 4u);
  // harris3 once per block size; diffwarps has no such parameter, so it is there once.
  ASSERT_EQ(p.cells[0].cases.size(), 3u);
  EXPECT_EQ(p.cells[0].cases[0].key(), "reduce/harris3 n=10 type=i32 operator=sum values=uniform block=64");
  EXPECT_EQ(p.cells[0].cases[1].key(), "reduce/harris3 n=10 type=i32 operator=sum values=uniform block=128");
  EXPECT_EQ(p.cells[0].cases[2].key(), "reduce/diffwarps n=10 type=i32 operator=sum values=uniform");
  EXPECT_EQ(p.cells[1].input.type, Type::f64);
  EXPECT_EQ(p.cells[2].input.n, 20);
  EXPECT_EQ(p.cases(), 12u);
  EXPECT_EQ(p.runnable(), 12u);
}

TEST_F(Planning, ACaseThatTwoExperimentsAskForIsThereOnce) {
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": [1, 2]}},
                                 {"problem": "reduce", "variants": ["harris3", "tb2"], "axes": {"n": 2})");
  ASSERT_EQ(p.cells.size(), 2u) << "one of each input, whose cases share rounds";
  EXPECT_EQ(p.cases(), 3u);
  ASSERT_EQ(p.cells[1].cases.size(), 2u);
  EXPECT_EQ(p.cells[1].cases[1].variant->name, "reduce/tb2");
}

TEST_F(Planning, OtherValuesOrProblemsAreOtherCells) {
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": 2}},
                                 {"problem": "reduce", "variants": ["tb2"],
                                  "axes": {"n": 2, "values": "equal"}},
                                 {"problem": "gather", "variants": ["*"], "axes": {"n": 2})");
  ASSERT_EQ(p.cells.size(), 3u);
}

TEST_F(Planning, CpuAlgorithmsRunOnTheHostWhateverTheDevice) {
  const Plan p = plan("simt", R"("reduce", "variants": ["cpu_serial", "harris3"], "axes": {"n": 1000})");
  EXPECT_EQ(p.cells[0].cases[0].device, "host");
  EXPECT_EQ(p.cells[0].cases[1].device, open_->kernels->name());
  EXPECT_EQ(p.runnable(), 2u);
}

TEST_F(Planning, MemoryIsInputsResultAndScratch) {
  // One block of 256: 1000 i32, a result of 4 bytes, scratch of 4 values and 1, each rounded up to 256 bytes.
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": 1000})");
  const Case& c = p.cells[0].cases[0];
  EXPECT_THAT(c.footprint.scratch, ElementsAre(16, 4));
  EXPECT_EQ(c.footprint.scratch_bytes(), 512u);
  EXPECT_EQ(p.peak_bytes(), 4000u + 4u + 512u);
}

TEST_F(Planning, EveryReasonToRefuse) {
  EXPECT_EQ(refusal("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": 1, "operator": "right"})"),
            "`right` of i32: needs a commutative operator");
  EXPECT_THAT(refusal("simt", R"("reduce", "variants": ["cub"], "axes": {"n": 1})"),
              HasSubstr("only a library call"));
  EXPECT_EQ(refusal("host", R"("reduce", "variants": ["harris3"], "axes": {"n": 1})"),
            "needs a GPU or a modelled one (-d cuda, -d simt)");
  EXPECT_THAT(
      refusal("simt",
              R"("histogram", "variants": ["global_atomic"], "axes": {"n": "2^40", "type": "u8", "m": 256})"),
      testing::MatchesRegex("a launch of 4294967296 blocks; a grid has 1 to 2\\^31 - 1"));
  EXPECT_THAT(
      refusal("simt", R"("reduce", "variants": ["cpu_serial"], "axes": {"n": "2^40", "type": "c64"})"),
      testing::MatchesRegex("needs [0-9]+ bytes, host has [0-9]+ free"));
  // What is the user's own mistake is no refusal.
  EXPECT_THAT(
      usage_error([&] {
        plan("simt",
             R"("reduce", "variants": ["harris3"], "axes": {"n": 6, "type": "i32", "values": {"file": ")" +
                 fixture("i32.npy") + "\"}}");
      }),
      HasSubstr("reduce n=6 type=i32 operator=sum: " + fixture("i32.npy") + " holds 5 values, n asks for 6"));
}

TEST_F(Planning, WhereNothingRunsTheFirstRefusalIsTold) {
  const auto of = [](const std::vector<std::string>& refusals) {
    Plan plan;
    for (const std::string& refusal : refusals) {
      Case one;
      one.variant = find_variant(plan.cells.empty() ? "reduce/harris1" : "reduce/harris2");
      one.refusal = refusal;
      plan.cells.push_back({find_problem("reduce"), {}, {one}});
    }
    return plan;
  };
  EXPECT_NO_THROW(check_runnable(of({"too large", ""})));
  EXPECT_NO_THROW(check_runnable(of({"", "too large"})));
  EXPECT_EQ(usage_error([&] { check_runnable(of({"too large"})); }),
            "nothing can run: the one case is refused, reduce/harris1: too large");
  EXPECT_EQ(usage_error([&] { check_runnable(of({"too large", "too small", "too wide"})); }),
            "nothing can run: all 3 cases are refused, the first, reduce/harris1: too large");
}

TEST_F(Planning, LimitsOfACardAreTheLastThatItTakes) {
  const auto of = [&](const char* variant, const char* n, Index m) {
    return plan("simt",
                fmt::format(R"("histogram", "variants": "{}", "axes": {{"n": {}, "m": {}, "type": "u8"}})",
                            variant, n, m))
        .cells[0]
        .cases[0]
        .refusal;
  };
  const Variant& trish = *find_variant("histogram/trish");
  ASSERT_GT(trish.card.maximum_m, 0);
  EXPECT_EQ(of("trish", "1000", trish.card.maximum_m), "");
  EXPECT_NE(of("trish", "1000", trish.card.maximum_m + 1), "");
  for (const Variant& variant : variants()) {
    if (variant.card.maximum_n == 0 || variant.problem != "reduce" || !variant.built_for(Target::simt))
      continue;
    const auto with = [&](Index n) {
      return plan("simt",
                  fmt::format(R"("reduce", "variants": "{}", "axes": {{"n": {}}})", variant.short_name, n))
          .cells[0]
          .cases[0]
          .refusal;
    };
    const std::string said =
        fmt::format("takes n up to {}, not {}", variant.card.maximum_n, variant.card.maximum_n + 1);
    EXPECT_EQ(with(variant.card.maximum_n + 1), said);
    EXPECT_EQ(with(variant.card.maximum_n).find("takes n up to"), std::string::npos) << variant.name;
  }
}

// An atomic of each of 2^14 warps: additions of f16 one after the other, of which 2^10 may lose everything.
TEST_F(Planning, AChainThatMayLoseTheWholeAnswerIsRefused) {
  const std::string atomic =
      R"("reduce", "variants": ["shuffle_warp_atomic"], "axes": {"n": "2^20", "type": "f16")";
  EXPECT_EQ(
      refusal("simt:h200", atomic + "}"),
      "rounds 16392 times in a row in f16, which may lose the whole answer: no result could be checked");
  // Each of 1017 warps comes after what its own seven roundings made. k = 1024 roundings of u = 2^-11
  // may come to k u / (1 - k u), all of the answer.
  const auto of_warps = [&](int warps) {
    return plan("simt:h200", fmt::format(R"("reduce", "variants": ["shuffle_warp_atomic"],
                               "axes": {{"n": {}, "type": "f16", "block": 32}})",
                                         32 * warps))
        .cells.at(0)
        .cases.at(0)
        .refusal;
  };
  EXPECT_EQ(of_warps(1016), "");
  EXPECT_EQ(of_warps(1017),
            "rounds 1024 times in a row in f16, which may lose the whole answer: no result could be checked");
  // Neither a minimum nor a sum of few values rounds so often.
  EXPECT_EQ(plan("simt:h200", atomic + R"(, "operator": "min"})").runnable(), 1u);
  EXPECT_EQ(plan("simt:h200",
                 R"("segreduce", "variants": ["cpu_serial", "tb2"], "axes": {"n": "2^20", "type": "f16"})")
                .runnable(),
            2u);
  // Tree kernels stay within.
  EXPECT_EQ(
      plan("simt:h200", R"("reduce", "variants": ["harris3", "harris7", "matrix", "diffwarps", "cpu_serial"],
                              "axes": {"n": "2^20", "type": "f16"})")
          .runnable(),
      5u);
}

TEST_F(Planning, AParameterThatOneOfTwoTakes) {
  const Plan p =
      plan("simt", R"("reduce", "variants": ["harris3", "shuffle_two_pass"], "axes": {"n": 1, "block": 96})");
  ASSERT_EQ(p.cases(), 2u);
  EXPECT_EQ(p.cells[0].cases[0].refusal, "takes block from 32 to 1024, powers of two, not 96");
  EXPECT_EQ(p.cells[0].cases[1].refusal, "");
}

TEST_F(Planning, PairsThatAProblemDoesNotHave) {
  const Plan p = plan(
      "simt",
      R"("reduce", "variants": ["tb2"], "axes": {"n": 1, "type": ["f32", "u32"], "operator": "affine"})");
  ASSERT_EQ(p.cases(), 2u);
  EXPECT_EQ(p.cells[0].cases[0].refusal, "reduce has no affine of f32");
  EXPECT_EQ(p.cells[1].cases[0].refusal, "");
  const std::string none = usage_error([&] {
    plan(
        "simt",
        R"("reduce", "variants": ["tb2"], "axes": {"n": 1, "type": ["c32", "c64"], "operator": ["min", "max"]})");
  });
  EXPECT_THAT(
      none,
      HasSubstr("x.json: $.experiments: no case remains, as reduce has none of these types and operators: "
                "reduce has no min of c32"));
}

TEST(Launches, ThatTheDeviceCannotHold) {
  DeviceFacts gpu;
  gpu.name = "small";
  gpu.multiprocessors = 10;
  gpu.max_threads_per_block = 1024;
  gpu.shared_bytes_per_block = 49152;
  const auto refusal = [&](const Grid& grid, int resident, std::size_t static_shared = 0,
                           const char* limiter = "registers") {
    LaunchFacts launch;
    launch.grid = grid;
    launch.static_shared_bytes = static_shared;
    launch.resident_blocks = resident;
    launch.limiter = limiter;
    return refuse_launch(launch, gpu);
  };
  constexpr Index most = (Index(1) << 31) - 1;
  EXPECT_EQ(refusal({.blocks = most, .threads = 1024, .shared_bytes = 49152}, 1), "");
  EXPECT_EQ(refusal({.blocks = 30, .threads = 64, .cooperative = true}, 3), "");

  EXPECT_EQ(refusal({.blocks = most + 1, .threads = 64}, 3),
            "a launch of 2147483648 blocks; a grid has 1 to 2^31 - 1");
  EXPECT_EQ(refusal({.blocks = 0, .threads = 64}, 3), "a launch of 0 blocks; a grid has 1 to 2^31 - 1");
  EXPECT_EQ(refusal({.threads = 1025}, 1), "blocks of 1025 threads; small allows 1 to 1024");
  EXPECT_EQ(refusal({.threads = 0}, 1), "blocks of 0 threads; small allows 1 to 1024");
  EXPECT_EQ(refusal({.threads = 64, .shared_bytes = 49153}, 1),
            "49153 bytes of shared memory per block; small allows 49152");
  EXPECT_EQ(refusal({.threads = 64, .shared_bytes = 49152}, 1, 4),
            "49156 bytes of shared memory per block; small allows 49152");
  EXPECT_EQ(refusal({.threads = 512}, 0),
            "no block of 512 threads fits a multiprocessor of small: too many registers");
  EXPECT_EQ(refusal({.threads = 512}, 0, 0, "shared memory"),
            "no block of 512 threads fits a multiprocessor of small: too much shared memory");
  EXPECT_EQ(refusal({.blocks = 31, .threads = 64, .cooperative = true}, 3),
            "31 blocks must be resident at once; small holds 30");
}

TEST_F(Planning, SharedMemoryIsTheLaunchsAndTheKernelsOwn) {
  Plan made = plan("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": 8})");
  std::vector<LaunchFacts>& launches = made.cells[0].cases[0].footprint.launches;
  launches.resize(1);
  launches[0].grid.shared_bytes = 1000;
  launches[0].static_shared_bytes = 234;
  EXPECT_THAT(format_plan(made, 0), HasSubstr("  1234  "));
}

TEST_F(Planning, RefusedRowsStayInTheTable) {
  const std::string table = format_plan(
      plan("simt", R"("reduce", "variants": ["harris3", "tb2"], "axes": {"n": 8, "operator": "right"})"), 75);
  EXPECT_THAT(
      table,
      HasSubstr("reduce/harris3  8  i32   right     uniform  block=256   refused: `right` of i32: needs a "
                "commutative operator\n"));
  EXPECT_THAT(table, AllOf(HasSubstr("\n2 cases in 1 cell, 1 refused; "), EndsWith("; about 75 s\n")));
}

}  // namespace
}  // namespace redbench
