// Plans: grids of the papers, cells and their cases, and every reason to refuse a case.
#include "src/plan/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/config/config.hpp"
#include "src/records/columns.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

class Planning : public testing::Test {
 protected:
  Plan plan(const std::string& device, const std::string& experiment) {
    const std::string path = folder_.write("x.json", R"({"experiments": [{"problem": )" + experiment + "}]}");
    open_ = std::make_unique<OpenDevices>(device);
    return make_plan(load_config(path, open_->kernels->target(), {}, record_columns()), open_->devices());
  }
  /// The only case's refusal; empty where it can run.
  std::string refusal(const std::string& device, const std::string& experiment) {
    const Plan p = plan(device, experiment);
    EXPECT_EQ(p.cases(), 1u);
    const Case& case_ = p.cells[0].cases[0];
    EXPECT_EQ(p.runnable(), case_.refusal.empty() ? 1u : 0u);
    EXPECT_EQ(case_.instance == nullptr, !case_.refusal.empty());
    return case_.refusal;
  }

  TemporaryFolder folder_;
  std::unique_ptr<OpenDevices> open_;
};

// Tiles of 512 (2 x 256) and 1024; 6 and 5 resident blocks on each of 15 multiprocessors. The accumulator
// that the persistent listings keep in shared memory is not in the paper's H(W+1) and 2H(W+1) words.
TEST_F(Planning, TableOfMartinsFigure4) {
  OpenDevices open("simt:gtx480");
  const Config config = load_config(REDBENCH_SOURCE_DIR "/configs/martin2012/fig4.json", Target::simt,
                                    {.axes = {"n=1Mi"}, .sets = {}, .variants = {}}, record_columns());
  expect_golden("plan/martin2012_fig4.txt", format_plan(make_plan(config, open.devices()), 0.5));
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

// 40 registers x 256 threads fit six times on each of 132 multiprocessors; 8 blocks of 8 warps on any GPU
// without a table of registers: 108 of an A100, which has shared memory for nine.
TEST_F(Planning, PersistentGridsAreThoseOfTheRegistersThatNvccGave) {
  const std::string complex =
      R"("reduce", "variants": "persistent_matrix", "axes": {"n": "30Mi", "type": "c64", "operator": "sum"})";
  const auto first_launch = [&](const std::string& device) {
    return plan(device, complex).cells.at(0).cases.at(0).footprint.launches.at(0);
  };
  const LaunchFacts h200 = first_launch("simt:h200");
  EXPECT_EQ(h200.registers, 40);
  EXPECT_EQ(h200.limiter, "registers");
  EXPECT_EQ(h200.grid.blocks, 132 * 6);
  const LaunchFacts a100 = first_launch("simt:a100");
  EXPECT_EQ(a100.registers, 0);
  EXPECT_EQ(a100.grid.blocks, 108 * 8);
}

// A kernel's name and file are the same in the machine code of the GPU and in the program: of each family, of
// every type, in headers and in files of their own.
TEST_F(Planning, RegistersAreKnownOfKernelsOfEachFamily) {
  for (const char* family :
       {R"("reduce", "variants": ["harris6", "shuffle_warp_atomic_vec4"], "axes": {)",
        R"("segreduce", "variants": "diffwarps16", "axes": {"segments": "fixed:3", )",
        R"("triple_reduce", "variants": "interleaved_unrolled", "axes": {)",
        R"("histogram", "variants": ["trish", "shams_kennedy_global"], "axes": {"m": 64, )",
        R"("multireduce", "variants": "shared_per_thread", "axes": {"m": 16, )",
        R"("multiscan", "variants": "sequential_global", "axes": {"m": 16, )",
        R"("scatter", "variants": "multipass", "axes": {"m": 9999, )",
        R"("gather", "variants": "naive", "axes": {"m": 9999, )"}) {
    const std::string text = family;
    std::size_t known = 0;
    for (const Pair& pair : find_problem(text.substr(1, text.find('"', 1) - 1))->pairs) {
      const Plan p = plan("simt:h200", fmt::format(R"({}"n": 9999, "type": "{}", "operator": "{}"}})", text,
                                                   name_of(pair.type), name_of(pair.op)));
      for (const Case& case_ : p.cells.at(0).cases)
        for (const LaunchFacts& launch : case_.footprint.launches) {
          EXPECT_GT(launch.registers, 0) << case_.key() << ": " << launch.kernel;
          ++known;
        }
    }
    EXPECT_GT(known, 0u) << text;
  }
}

TEST_F(Planning, CellsShareAnInputAndKeysTellCasesApart) {
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3", "diffwarps"],
                                 "axes": {"n": [10, 20], "type": ["i32", "f64"], "block": [64, 128]})");
  ASSERT_EQ(p.cells.size(), 4u);
  // harris3 once per block size; diffwarps has no such parameter, so it is there once.
  const std::string harris3 = "reduce/harris3 n=10 type=i32 operator=sum values=uniform block=";
  std::vector<std::string> keys;
  for (const Case& case_ : p.cells[0].cases) keys.push_back(case_.key());
  EXPECT_THAT(keys, ElementsAre(harris3 + "64", harris3 + "128",
                                "reduce/diffwarps n=10 type=i32 operator=sum values=uniform"));
  EXPECT_EQ(p.cells[1].input.type, Type::f64);
  EXPECT_EQ(p.cells[2].input.n, 20);
  EXPECT_EQ(p.cases(), 12u);
  EXPECT_EQ(p.runnable(), 12u);
  EXPECT_EQ(p.cells[2].cases[1].number, 1u);
}

// The default is left out of keys, which stay those of records made before there was the axis.
TEST_F(Planning, AnAccumulatorIsOfSumsOfNarrowTypes) {
  const auto planned = [&](const std::string& axes) {
    return plan("simt",
                R"("reduce", "variants": ["packed_atomic", "last_block", "harris3"], "axes": {"n": 9, )" +
                    axes + "}");
  };
  const Plan p = planned(R"("type": "f16", "accumulator": ["own", "f32"])");
  const std::string last_block = "reduce/last_block n=9 type=f16 operator=sum ",
                    parameters = " block=512 loads=4 per_sm=0 waves=0";
  EXPECT_EQ(p.cells.at(0).cases[1].key(), last_block + "values=uniform" + parameters);
  EXPECT_EQ(p.cells.at(1).cases[1].key(), last_block + "values=uniform accumulator=f32" + parameters);
  EXPECT_EQ(p.cells[0].cases[1].sizes.result, 2u);
  EXPECT_EQ(p.cells[1].cases[1].sizes.result, 4u);
  EXPECT_EQ(p.cells[1].cases[2].refusal, "gives a sum in the type of its values, not in f32");
  const Plan bytes = planned(R"("type": "u8", "accumulator": ["own", "u32", "f32"])");
  for (const std::size_t cell : {0, 1})
    for (const std::size_t variant : {0, 1}) EXPECT_EQ(bytes.cells[cell].cases[variant].refusal, "");
  EXPECT_EQ(bytes.cells[0].cases[2].refusal, "is not built for sum of u8");
  EXPECT_EQ(bytes.cells[2].cases[1].refusal, "reduce has no sum of u8 accumulated in f32");
}

TEST_F(Planning, CasesOfOneInputAreOneCellWhicheverExperimentsAsk) {
  const Plan p = plan("simt", R"("reduce", "variants": ["harris3"], "axes": {"n": [1, 2]}},
                                 {"problem": "reduce", "variants": ["harris3", "cpu_serial"], "axes": {"n": 2}},
                                 {"problem": "reduce", "variants": ["tb2"],
                                  "axes": {"n": 2, "values": "equal"}},
                                 {"problem": "gather", "variants": ["*"], "axes": {"n": 2})");
  ASSERT_EQ(p.cells.size(), 4u) << "two sizes, other values, another problem";
  ASSERT_EQ(p.cells[1].cases.size(), 2u) << "harris3 is there once";
  EXPECT_EQ(p.cells[1].cases[0].device, open_->kernels->name());
  EXPECT_EQ(p.cells[1].cases[1].device, "host") << "a CPU algorithm";
}

TEST_F(Planning, EveryReasonToRefuse) {
  struct {
    const char *device, *variant, *axes, *refusal;
  } const rows[] = {
      {"simt", "reduce/harris3", R"("n": 1, "operator": "right")",
       "`right` of i32: needs a commutative operator"},
      {"host", "reduce/harris3", R"("n": 1)", "needs a GPU or a modelled one (-d cuda, -d simt)"},
      {"simt", "reduce/harris3", R"("n": 1, "block": 64)", ""},
      {"simt", "histogram/global_atomic", R"("n": "2^40", "type": "u8", "m": 256)",
       "a launch of 4294967296 blocks; a grid has 1 to 2^31 - 1"},
      // Shuffles are there from compute capability 3.0 on, which a GTX 690 has.
      {"simt:gtx480", "reduce/shuffle_two_pass", R"("n": 1000)",
       "needs compute capability 3.0, gtx480 has 2.0"},
      {"simt:gtx690", "reduce/shuffle_two_pass", R"("n": 1000)", ""},
      // An index that wraps around would read before the input.
      {"simt", "reduce/harris3", R"("n": 2147483649)", "takes n up to 2147483648, not 2147483649"},
      // These count on by a step of the grid: 1024 blocks of 512 threads, or of a tile of 2048.
      {"simt:h200", "reduce/shuffle_two_pass", R"("n": 2147483647)",
       "counts in 32 bits, which with steps of 524288 are enough for n up to 2146959360"},
      {"simt:h200", "reduce/harris7", R"("n": "2^31", "block": 1024, "blocks": "2^20")",
       "counts in 32 bits, which with steps of 2147485696 are enough for n up to 2147481600"},
      {"simt", "histogram/podlozhnyuk64", R"("n": 1000, "m": 64, "type": "u8")", ""},
      {"simt", "histogram/podlozhnyuk64", R"("n": 1000, "m": 65, "type": "u8")", "takes m up to 64, not 65"},
      // Counters of 8 bits or, where these do not fit, of 4, beside 32 entries for overflows.
      {"simt:h200", "histogram/privatized_packed", R"("n": 1000, "m": "448Ki", "type": "u32")", ""},
      {"simt:h200", "histogram/privatized_packed", R"("n": 1000, "m": "512Ki", "type": "u32")",
       "its counters take 262144 bytes, a block has 232448 of shared memory, of which overflows need 256"}};
  for (const auto& [device, variant, axes, why] : rows) {
    const std::string name = variant;
    const std::size_t slash = name.find('/');
    EXPECT_EQ(refusal(device, fmt::format(R"("{}", "variants": "{}", "axes": {{{}}})", name.substr(0, slash),
                                          name.substr(slash + 1), axes)),
              why)
        << variant << ' ' << axes;
  }
  EXPECT_THAT(refusal("simt", R"("reduce", "variants": "cub", "axes": {"n": 1})"),
              HasSubstr("only a library call"));
  EXPECT_THAT(refusal("simt", R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^40", "type": "c64"})"),
              MatchesRegex("needs [0-9]+ bytes, the device has [0-9]+ free"));
}

TEST_F(Planning, AParameterOrPairIsRefusedWhereItIsMissingAlone) {
  Plan p =
      plan("simt", R"("reduce", "variants": ["harris3", "shuffle_two_pass"], "axes": {"n": 1, "block": 96})");
  ASSERT_EQ(p.cases(), 2u);
  EXPECT_EQ(p.cells[0].cases[0].refusal, "takes block from 32 to 1024, powers of two, not 96");
  EXPECT_EQ(p.cells[0].cases[1].refusal, "");
  p = plan("simt", R"("reduce", "variants": ["tb2"], "axes": {"n": 1, "type": ["f32", "u32"],
                                 "operator": "affine"})");
  ASSERT_EQ(p.cases(), 2u);
  EXPECT_EQ(p.cells[0].cases[0].refusal, "reduce has no affine of f32");
  EXPECT_EQ(p.cells[1].cases[0].refusal, "");
  EXPECT_THAT(usage_error([&] {
                plan("simt", R"("reduce", "variants": ["tb2"], "axes": {"n": 1, "type": ["c32", "c64"],
                                "operator": ["min", "max"]})");
              }),
              HasSubstr("x.json: $.experiments: no case remains, as reduce has none of these types and "
                        "operators: reduce has no min of c32"));
}

}  // namespace
}  // namespace redbench
