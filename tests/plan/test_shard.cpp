// Parts of a plan: whole cells, each in one part, the same on every machine.
#include "src/plan/shard.hpp"

#include <gmock/gmock.h>
#include <omp.h>

#include <numeric>

#include "src/plan/cost.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(Shards, AreTheKthOfNParts) {
  EXPECT_EQ(parse_shard("3/8").number, 3u);
  EXPECT_EQ(parse_shard("3/8").of, 8u);
  const auto mistake = [](const std::string& text) { return usage_error([&] { parse_shard(text); }); };
  for (const char* text : {"", "3", "1/2/3", "/2", "2/", "-1/2", "1/-2", " 1/2", "1/2 ", "1.5/2", "0x1/2",
                           "1/99999999999999999999"})
    EXPECT_THAT(mistake(text), testing::HasSubstr("expected K/N")) << text;
  EXPECT_EQ(mistake("0/4"), "--shard 0/4: the parts are 1/4 to 4/4");
  EXPECT_EQ(mistake("5/4"), "--shard 5/4: the parts are 1/4 to 4/4");
  EXPECT_EQ(mistake("1/0"), "--shard 1/0: a plan has 1 part or more");
}

TEST(Shards, TheHeaviestCellGoesToThePartThatHasLeast) {
  // By hand: 9 to part 1, 7 to 2, 5 to 2 as 7 < 9, 4 to 1, 1 to 2 as 12 < 13.
  EXPECT_EQ(parts_of({5, 9, 1, 7, 4}, 2), (std::vector<std::size_t>{2, 1, 2, 2, 1}));
  EXPECT_EQ(parts_of({1, 1, 1}, 5), (std::vector<std::size_t>{1, 2, 3})) << "two parts are empty";
}

class FakeHost : public FakeDevice {
 public:
  FakeHost(std::size_t l2_bytes, std::size_t free) {
    facts_.l2_bytes = l2_bytes;
    free_ = free;
  }
};

class ShardsOfAPlan : public testing::Test {
 protected:
  Plan plan_on(Device& host) {
    Config config;
    std::vector<Json> sizes;
    for (int n = 1; n <= 400; ++n) sizes.emplace_back(n * n);
    config.experiments.push_back({"",
                                  "reduce",
                                  {"harris3", "cpu_serial", "cub"},
                                  {{"n", sizes}, {"type", {"i32", "f32"}}, {"operator", {"sum"}}}});
    return make_plan(config, {*open_.kernels, host});
  }
  OpenDevices open_{"simt:gtx480"};
};

TEST_F(ShardsOfAPlan, AreDisjointWholeAndBalanced) {
  FakeHost host(1 << 20, std::size_t(1) << 30);
  const Plan plan = plan_on(host);
  ASSERT_EQ(plan.cells.size(), 800u);
  const std::vector<std::uint64_t> weights = cell_weights(plan, {}, true);
  const std::uint64_t all = std::accumulate(weights.begin(), weights.end(), std::uint64_t(0)),
                      heaviest = *std::ranges::max_element(weights);
  for (std::size_t count = 1; count <= 1000; ++count) {
    std::vector<std::uint64_t> loads(count, 0);
    for (std::size_t c = 0; const std::size_t part : parts_of(weights, count))
      loads.at(part - 1) += weights[c++];
    EXPECT_EQ(std::accumulate(loads.begin(), loads.end(), std::uint64_t(0)), all) << count;
    EXPECT_LE(*std::ranges::max_element(loads), all / count + heaviest) << count;
  }
  for (const std::size_t count : {1, 7, 1000}) {
    std::vector<int> taken(plan.cells.size(), 0);
    for (std::size_t k = 1; k <= count; ++k) {
      const Chosen chosen = cells_of_shard(fmt::format("{}/{}", k, count), plan, {}, true);
      for (std::size_t c = 0; c < chosen.size(); ++c) taken[c] += chosen[c];
      EXPECT_EQ(chosen_part(plan, chosen).cells.size(), std::size_t(std::ranges::count(chosen, true)));
    }
    EXPECT_THAT(taken, testing::Each(1)) << count;
  }
}

TEST_F(ShardsOfAPlan, AreTheSameOnAMachineOfOtherMemoryCachesAndThreads) {
  FakeHost large(1 << 28, std::size_t(1) << 40), small(1 << 16, 100'000);
  const Plan here = plan_on(large);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(threads + 3);
  const Plan there = plan_on(small);
  EXPECT_LT(there.runnable(), here.runnable()) << "too little memory for the larger ones";
  const std::vector<std::uint64_t> weights = cell_weights(there, {}, true);
  omp_set_num_threads(threads);
  EXPECT_EQ(weights, cell_weights(here, {}, true));
}

}  // namespace
}  // namespace redbench
