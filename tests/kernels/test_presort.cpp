// The partial radix sort of Eilers' CPU variants, and these variants where they sort; scatter/presorted, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "kernels/parts/partial_radix_sort.hpp"
#include "src/cell/cell.hpp"
#include "src/inputs/words.hpp"
#include "src/json/json.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

/// What the cards' parameters make of m, and the sort of n inputs with it.
class Presort {
 public:
  explicit Presort(Index m, Index sort_bits = 0, int digit_bits = 9, Index threshold = 21)
      : parameters_{{"sort_bits", sort_bits}, {"threshold_log2", threshold}},
        planner_(*host_, parameters_, footprint_),
        sort(planner_, m, digit_bits) {}

  /// The numbers of the inputs as the sort leaves them, whose labels must have gone along.
  std::vector<u32> order(const std::vector<u32>& labels) {
    const auto n = Index(labels.size());
    SortScratch<u32>(planner_, sort, n);
    std::vector<std::vector<std::byte>> memory;
    std::vector<void*> scratch;
    for (const std::size_t bytes : footprint_.scratch)
      scratch.push_back(memory.emplace_back(bytes, std::byte(0xFF)).data());
    CaseQueue queue(*host_, parameters_, footprint_, scratch);
    const SortScratch<u32> places(queue, sort, n);

    std::vector<u32> numbers(labels.size());
    std::iota(numbers.begin(), numbers.end(), 0u);
    const auto sorted = partial_radix_sort<u32>(sort, {labels.data(), numbers.data()}, n, places);
    const int passes = sort.passes();
    EXPECT_EQ(sorted.labels, passes == 0 ? labels.data() : places.labels[(passes - 1) % 2]);
    std::vector<u32> order(sorted.values, sorted.values + n);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(sorted.labels[i], labels[order[std::size_t(i)]]);
    return order;
  }

 private:
  std::unique_ptr<Device> host_ = make_host();
  Parameters parameters_;
  Footprint footprint_;
  CaseQueue planner_;

 public:
  PartialSort sort;
};

std::vector<u32> random_labels(Index n, Index m) {
  const Words words(7);
  std::vector<u32> labels;
  for (Index i = 0; i < n; ++i) labels.push_back(u32(words[std::uint64_t(i)] % std::uint64_t(m)));
  return labels;
}

TEST(PartialSort, SortsByTheThesisBitsFromItsSmallestM) {
  const auto is = [](Index m, int bits, int passes) {
    const PartialSort sort = Presort(m).sort;
    EXPECT_EQ(sort.bits, bits) << m;
    EXPECT_EQ(sort.passes(), passes) << m;
    if (bits > 0) {
      EXPECT_EQ(sort.offset, 18) << m;
    }
  };
  for (const Index m : {Index(1), Index(2), Index(1) << 20, (Index(1) << 21) - 1}) is(m, 0, 0);
  is(Index(1) << 21, 3, 1);
  is((Index(1) << 21) + 1, 4, 1);
  is(Index(1) << 27, 9, 1);
  is(Index(1) << 28, 10, 2);
  is(Index(1) << 32, 14, 2);
}

TEST(PartialSort, TakesParametersAndNoMoreBitsThanLabelsHave) {
  EXPECT_EQ(Presort(1 << 20, 0, 9, 20).sort.bits, 2);
  EXPECT_EQ(Presort(Index(1) << 32, 0, 9, 33).sort.bits, 0) << "2^33 is never reached";
  EXPECT_EQ(Presort(1, 32).sort.bits, 0) << "one label has no bits";
  EXPECT_EQ(Presort(5, 32).sort.bits, 3);
  EXPECT_EQ(Presort(5, 2).sort.offset, 1);
  EXPECT_EQ(Presort(256, 8, 3).sort.passes(), 3);
  EXPECT_EQ(Presort(256, 8, 3).sort.digit(2).bits, 2) << "what three and three leave";
}

// Against the library's stable sort, by one digit and by several of which the last is smaller.
TEST(PartialSort, IsAStableSortByTheTopBits) {
  for (const Index m : {Index(1), Index(2), Index(5), Index(1000), Index(1) << 16, Index(1) << 32})
    for (const Index bits : {1, 3, 8, 32})
      for (const int digit_bits : {1, 3, 8, 16})
        for (const Index n : {0, 1, 1000}) {
          Presort presort(m, bits, digit_bits);
          const std::vector<u32> labels = random_labels(n, m);
          std::vector<u32> expected(labels.size());
          std::iota(expected.begin(), expected.end(), 0u);
          const int offset = presort.sort.offset;
          std::stable_sort(expected.begin(), expected.end(),
                           [&](u32 a, u32 b) { return labels[a] >> offset < labels[b] >> offset; });
          EXPECT_EQ(presort.order(labels), expected) << m << ' ' << bits << ' ' << digit_bits << ' ' << n;
        }
}

/// The outcome of each case, none timed, by its key; scratch requests are noted in `scratch`.
std::map<std::string, std::string> outcomes(const std::vector<Experiment>& experiments,
                                            std::map<std::string, std::size_t>& scratch) {
  const std::unique_ptr<Device> host = make_host();
  Config config;
  config.experiments = experiments;
  const Plan plan = make_plan(config, {*host, *host});
  Meters meters({*host, *host});
  CellOptions options;
  options.timing = false;
  std::map<std::string, std::string> all;
  for (const Cell& cell : plan.cells) {
    for (const Case& one : cell.cases) scratch[one.key()] = one.footprint.scratch.size();
    run_cell(cell, meters, options,
             {[](const Case&) {}, [] {},
              [&](const Case&, Mode, const Record& record) {
                all[record["key"].get<std::string>()] =
                    record["outcome"].get<std::string>() + record["reason"].dump();
              }});
  }
  return all;
}

/// Of a problem, where sorts are: on both sides of the smallest m by default, at small ones when asked to.
std::vector<Experiment> presorted(const std::string& problem, const std::vector<std::string>& variants,
                                  const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<Experiment> all;
  for (const auto& [type, op] : pairs) {
    Experiment large{"", problem, variants, {{"n", {10007}}, {"type", {type}}, {"operator", {op}}}};
    Experiment small = large;
    large.axes.emplace_back("m", std::vector<Json>{(1 << 21) - 1, 1 << 21, (1 << 21) + 3});
    small.axes[0].second = {0, 1, 2, 1009};
    small.axes.emplace_back("m", std::vector<Json>{1, 2, 3, 1000, 1 << 16});
    small.axes.emplace_back("labels", std::vector<Json>{"uniform", "degenerate", "reversed", "sequential"});
    small.axes.emplace_back("sort_bits", std::vector<Json>{1, 3, 16});
    if (problem != "gather") small.axes.emplace_back("digit_bits", std::vector<Json>{2, 9});
    all.push_back(large);
    all.push_back(small);
  }
  return all;
}

/// `requests_without`: of scratch memory, where nothing is sorted.
void expect_passed(const std::vector<Experiment>& experiments, std::size_t requests_of_one_pass,
                   std::size_t requests_without = 0) {
  std::map<std::string, std::size_t> scratch;
  const auto all = outcomes(experiments, scratch);
  EXPECT_FALSE(all.empty());
  for (const auto& [key, outcome] : all) EXPECT_EQ(outcome, "passednull") << key;
  int sorted = 0;
  for (const auto& [key, requests] : scratch) {
    if (key.find(" m=2097151 ") != key.npos) {
      EXPECT_EQ(requests, requests_without) << key;
    }
    if (key.find(" m=2097152 ") != key.npos) {
      EXPECT_EQ(requests, requests_of_one_pass) << key;
      ++sorted;
    }
  }
  EXPECT_GT(sorted, 0);
}

TEST(Presorted, MultireducesKeepTheOrderWhereTheySort) {
  expect_passed(presorted("multireduce", {"cpu_presorted", "cpu_dependent_presorted"},
                          {{"i32", "right"}, {"u32", "affine"}}),
                3);
}

// The buckets, the pairs, and what one pass takes.
TEST(Presorted, MultiscansPutEachResultInItsPlace) {
  std::vector<Experiment> experiments =
      presorted("multiscan", {"cpu_presorted"}, {{"i32", "right"}, {"u32", "affine"}, {"i32", "min"}});
  for (Experiment& one : experiments)
    one.axes.emplace_back("scan", std::vector<Json>{"exclusive", "inclusive"});
  expect_passed(experiments, 5, 1);
}

TEST(Presorted, ScatterHasTheLastValueOfALabel) {
  expect_passed(presorted("scatter", {"cpu_presorted"}, {{"i32", "right"}, {"i64", "right"}}), 3);
}

TEST(Presorted, GatherPutsEachValueInItsPlace) {
  expect_passed(presorted("gather", {"cpu_sorted"}, {{"i32", "right"}, {"i64", "right"}}), 4);
}

/// Whether scatter/presorted asks for memory to sort to.
bool scatter_sorts(const std::string& parameters) {
  const Record record = only_record(
      R"({"problem": "scatter", "variants": "presorted", "axes": {"n": 1000, "operator": "right", )" +
      parameters + "}}");
  EXPECT_EQ(record["outcome"], "passed") << record;
  return record.value("scratch_bytes", 0) > 0;
}

// Eilers 2014, 4.5.1: log2 m - sortBits <= 8, or 9 where all threads stride over the input.
TEST(Presorted, ScatterOnAGpuLeavesEightOrNineBitsUnsorted) {
  EXPECT_FALSE(scatter_sorts(R"("m": 256, "fetch": 0)"));
  EXPECT_TRUE(scatter_sorts(R"("m": 257, "fetch": 0)"));
  EXPECT_FALSE(scatter_sorts(R"("m": 512, "fetch": 1)"));
  EXPECT_TRUE(scatter_sorts(R"("m": 513, "fetch": 1)"));
  EXPECT_TRUE(scatter_sorts(R"("m": 2, "sort_bits": 1)"));
  EXPECT_FALSE(scatter_sorts(R"("m": 1000, "sort_bits": 33)"));
}

TEST(WrongPresort, AnUnstableSortShowsByTheOrderAlone) {
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY, "verify -d host --json -b '^multireduce/wrong_unstable_sort$'", ".");
  EXPECT_EQ(answer.exit_code, exit_wrong) << answer.text;
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  const Json& tally = tallies.at("multireduce/wrong_unstable_sort");
  std::set<std::string> operators;
  for (const Json& one : tally.at("bad")) {
    EXPECT_EQ(one["outcome"], "wrong") << one;
    const std::string key = one["key"].get<std::string>();
    const std::size_t start = key.find("operator=") + 9;
    operators.insert(key.substr(start, key.find(' ', start) - start));
  }
  EXPECT_EQ(operators, (std::set<std::string>{"affine", "right"}));
  EXPECT_GT(tally.at("passed").get<int>(), 0);
}

}  // namespace
}  // namespace redbench
