// Mode graph on a GPU: what is captured runs over copies of the inputs, with times like those of a cold
// cache.
#include <filesystem>
#include <map>

#include "src/records/record.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/programs.hpp"

namespace redbench {
namespace {

class GraphOnGpu : public GpuTest {
 protected:
  /// Records of reductions of n words in modes cold and graph, by variant and mode.
  static std::map<std::pair<std::string, std::string>, Record> measured(Index n) {
    // Beside the tests where scripts/bundle.sh put them, else where CMake does.
    std::filesystem::path program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "redbench";
    if (!exists(program)) program = program.parent_path().parent_path() / "redbench";
    const TemporaryFolder folder;
    folder.write("x.json", R"({"experiments": [{"problem": "reduce",
        "variants": ["harris3", "harris7", "shuffle_block_atomic_vec4", "cub", "thrust"],
        "axes": {"type": "i32", "operator": "sum", "n": )" +
                               std::to_string(n) + R"(}}],
        "measure": {"mode": ["cold", "graph"], "max_noise": 1}})");
    const Answer answer = answer_of(program.string(), "run x.json --device cuda --out out", folder.path());
    EXPECT_EQ(answer.exit_code, 0) << answer.text;
    std::map<std::pair<std::string, std::string>, Record> records;
    for (const Record& record : read_records(folder.path() + "/out/records.jsonl"))
      records[{record["variant"], record["mode"]}] = record;
    return records;
  }
};

TEST_F(GraphOnGpu, TimesAreThoseOfAColdCacheWithoutTheEvents) {
  const double l2 = double(device().facts().l2_bytes);
  for (const Index n : {Index(1) << 16, Index(1) << 20, Index(1) << 24}) {
    auto records = measured(n);
    for (const std::string variant : {"harris3", "harris7", "shuffle_block_atomic_vec4", "cub"}) {
      const Record &cold = records[{"reduce/" + variant, "cold"}],
                   &graph = records[{"reduce/" + variant, "graph"}];
      ASSERT_EQ(cold["outcome"], "passed") << cold;
      ASSERT_EQ(graph["outcome"], "passed") << graph;
      EXPECT_GE(graph["graph_copies"], 2);
      EXPECT_GT(graph["graph_bytes"], 5 * l2);
      EXPECT_EQ(graph["graph_beyond_l2"], true);
      const double of_graph = graph["time_ns"], of_cold = cold["time_ns"];
      std::printf("n %lld, %s: graph %.0f ns, cold %.0f ns; %d copies\n", static_cast<long long>(n),
                  variant.c_str(), of_graph, of_cold, graph["graph_copies"].get<int>());
      EXPECT_LT(of_graph, 1.1 * of_cold);
      // 64 MiB come from memory in either mode; short work overlaps with its neighbours' launches.
      EXPECT_GT(of_graph, n >= Index(1) << 24 ? 0.8 * of_cold : 0.25 * of_cold);
    }
    const Record& thrust = records[{"reduce/thrust", "graph"}];
    EXPECT_EQ(thrust["outcome"], "unsupported") << thrust;
  }
}

// A launch on the default stream would be missing in the graph: it is an error, and costs nothing but the
// graph.
TEST_F(GraphOnGpu, WhatGoesElsewhereCannotBeCaptured) {
  constexpr std::size_t bytes = 4096;
  void* const memory = device().allocate(bytes);
  device().fill(memory, 1, bytes);
  const auto read = [&] { movers(device(), {.from = {{memory, bytes}}}).front().enqueue(); };
  read();
  device().finish();
  EXPECT_THROW(device().capture(read), Refusal);
  EXPECT_THROW(device().capture([&] { device().finish(); }), Refusal);
  read();
  EXPECT_NO_THROW(device().finish());
  EXPECT_EQ(device().capture([] {})->nodes(), 0u);
  device().release(memory);
}

}  // namespace
}  // namespace redbench
