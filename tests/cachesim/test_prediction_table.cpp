// The tables of redbench cachesim, of predictions whose counts are known.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "src/cachesim/prediction.hpp"
#include "tests/golden.hpp"

namespace redbench {
namespace {

using cachesim::Counts;
using cachesim::LabelDistribution;

PredictedCase predicted(const Case& case_, const char* key, const char* machine, CacheModel model, Index n,
                        Index m, LabelDistribution labels, std::vector<cachesim::Phase> phases) {
  PredictedCase predicted{&case_, key, machine, model};
  predicted.loop = {.labels = labels, .n = std::uint64_t(n), .m = std::uint64_t(m), .page_bytes = 4096};
  predicted.simulated = {std::move(phases), std::uint64_t(n)};
  return predicted;
}

// A machine with two levels of caches, then one with one. A sort of several passes has phases of one name:
// count 10 + 30 ns of 4096 inputs, move 25 + 35. In a narrow window the misses of the outer levels go first,
// those of the TLB last. Of no loads there is no share.
TEST(Predictions, ArePrintedAsInTheGoldenFile) {
  Case case_;
  case_.variant = find_variant("multireduce/cpu_sequential");
  const Counts counts{.stores = 6144,
                      .misses = {1024, 256},
                      .write_backs = {512, 64},
                      .memory_lines = 4096,
                      .prefetches = 2,
                      .tlb_load_misses = 3,
                      .walks = 8192};
  const Counts fewer{.loads = 1,
                     .stores = 2048,
                     .misses = {256},
                     .write_backs = {0},
                     .memory_lines = 4,
                     .tlb_load_misses = 0.25};
  Predictions predictions;
  predictions.cases = {
      predicted(case_, "b,\"x\"", "big", CacheModel::translated, 2048, 1 << 20, LabelDistribution::sorted,
                {{"loop", 3072, counts}}),
      predicted(case_, "a", "small", CacheModel::overlapped, 4096, 16, LabelDistribution::degenerate,
                {{"count", 10, {}},
                 {"move", 25, {}},
                 {"count", 30, {}},
                 {"move", 35, {}},
                 {"clear", 1536, {}},
                 {"loop", 412, fewer}})};
  predictions.cases[0].measured_ns = 2;
  predictions.left_out = {"b: no loop", "c: no machine"};
  Config config;
  config.name = "mine/fig1";
  config.title = "A title";
  config.caches = CachesOptions{.models = {CacheModel::translated, CacheModel::serial}, .steps = 77};
  cachesim::Machine big, small;
  big.name = "big";
  big.published_as = "Old PC";
  small.name = "small";
  const Table table = prediction_table(predictions);
  std::string text = "== table\n";
  for (const Table::Column& column : table.columns)
    text += fmt::format("{}, {}, importance {}\n", column.name, column.is_number ? "number" : "text",
                        column.importance);
  for (const auto& row : table.rows) text += fmt::format("{}\n", fmt::join(row, " | "));
  text +=
      fmt::format("{}\n== CSV\n{}== JSON\n{}\n", fmt::join(table.remarks, "\n"), prediction_csv(predictions),
                  in_few_lines(prediction_json(config, {big, small}, predictions)));
  expect_golden("cachesim/predictions.txt", text);
}

}  // namespace
}  // namespace redbench
