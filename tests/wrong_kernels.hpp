// Which check catches which wrong kernel of tests/wrong, on the modelled device and on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "src/error.hpp"
#include "src/records/record.hpp"
#include "tests/programs.hpp"

namespace redbench {

/// What finds a fault. Each is known by the sentence that it leaves in a record.
enum class CaughtBy : std::uint8_t {
  nothing,         // the case passes
  comparison,      // with the exact answer, bit by bit
  rounding_bound,  // of floating-point sums and products
  result_poison,   // the result is the pattern that it held before the run
  memory_poison,   // the result is off by the pattern of result or scratch memory
  shared_poison,   // the result is off by the pattern of shared memory, on the modelled device
  red_zone,
  inputs,  // are not what was uploaded
  bounds,
  address,  // that is no memory
  alignment,
  unwritten,  // memory is read
  race,
  barrier,     // that not all come to
  collective,  // whose lanes call different operations
  hang,
  undeclared_wait,  // for the device, inside `run`
  unknown           // no sentence of a check
};
inline constexpr std::array<std::string_view, 18> caught_by_names{
    "nothing",  "comparison", "rounding_bound", "result_poison", "memory_poison",   "shared_poison",
    "red_zone", "inputs",     "bounds",         "address",       "alignment",       "unwritten",
    "race",     "barrier",    "collective",     "hang",          "undeclared_wait", "unknown"};
inline std::ostream& operator<<(std::ostream& out, CaughtBy by) {
  return out << caught_by_names[std::size_t(by)];
}

namespace detail {

struct Sentence {
  CaughtBy by;
  std::string_view outcome;
  std::regex reason;
};

/// A reason of the comparison by what the wrong value is. Poisons are all ones in a result (0xA5A5A5A5 where
/// the answer has such an element) and in scratch memory, 0xA5A5A5A5 in shared memory; ones of a float are
/// NaN. Small sums and counts are off by one for other reasons, too.
inline CaughtBy poison_in(const std::string& reason, CaughtBy otherwise) {
  std::smatch values;
  if (!std::regex_match(reason, values,
                        std::regex(R"(result\[\d+\] is (\S+), the exact answer is ([^\s:]+).*)")))
    return otherwise;
  const std::string got = values[1], exact = values[2];
  if (got == "-1" || got == "-1515870811" || got == "4294967295" || got == "nan" || got == "-nan")
    return CaughtBy::result_poison;
  const auto is_integer = [](const std::string& text) { return text.find_first_of(".en") == text.npos; };
  if (otherwise != CaughtBy::comparison || !is_integer(got) || !is_integer(exact) ||
      std::abs(std::stoll(exact)) < 1 << 16)
    return otherwise;
  switch (std::uint32_t(std::stoll(got) - std::stoll(exact))) {
    case 0xFFFFFFFF:
      return CaughtBy::memory_poison;
    case 0xA5A5A5A5:
      return CaughtBy::shared_poison;
    default:
      return otherwise;
  }
}

}  // namespace detail

/// The check that gave a record its outcome and reason, on whatever run of the case.
inline CaughtBy caught_by(const std::string& outcome, const std::string& full_reason) {
  using enum CaughtBy;
  static const std::regex run(
      "^(the last sample|a sample on a poisoned result|after timing|on exact values|with .+ as value [0-9]+ "
      "among identities): ");
  const std::string reason = std::regex_replace(full_reason, run, "");
  const auto sentence = [](CaughtBy by, std::string_view ends, const char* text) {
    return detail::Sentence{by, ends, std::regex(text)};
  };
  static const std::vector<detail::Sentence> sentences{
      sentence(nothing, "passed", ""),
      sentence(comparison, "wrong", R"(result\[\d+\] is [^:]+, the exact answer is [^:]+)"),
      sentence(rounding_bound, "wrong",
               R"(result\[\d+\] is [^:]+, the exact answer is [^:]+: off by .+, where rounding explains .+)"),
      sentence(red_zone, "wrong", R"(writes byte \d+ of (the \w+|scratch \d+), which has \d+)"),
      sentence(red_zone, "wrong", R"(writes before the start of (the \w+|scratch \d+))"),
      sentence(inputs, "wrong", "writes its inputs"),
      sentence(bounds, "failed", "kernel .*: out of bounds: .*"),
      sentence(bounds, "failed", R"(kernel .*: accesses byte \d+ of \d+ bytes of dynamic shared memory)"),
      sentence(address, "failed", "kernel .*: accesses address .*, which is no memory of the device"),
      sentence(address, "failed", ".*: an illegal memory access was encountered .*"),
      sentence(alignment, "failed", "kernel .*: misaligned: .*"),
      sentence(alignment, "failed", ".*: misaligned address .*"),
      sentence(unwritten, "failed", "kernel .*: reads .*, which nobody has written"),
      sentence(race, "failed", "kernel .*: race in (shared|global) memory: .*"),
      sentence(barrier, "failed", "kernel .*: no thread can go on: .*"),
      sentence(collective, "failed", "kernel .*: mismatched collective: .*"),
      sentence(hang, "timeout", "no sign of life for .* s; its process was killed"),
      sentence(undeclared_wait, "failed",
               R"(it waits for the device inside `run`, which its card does not say \(synchronizes\))")};
  CaughtBy found = unknown;
  for (const detail::Sentence& one : sentences) {
    if (outcome != one.outcome || !std::regex_match(reason, one.reason)) continue;
    EXPECT_EQ(found, unknown) << "two checks have the sentence: " << reason;
    found = one.by == comparison || one.by == rounding_bound ? detail::poison_in(reason, one.by) : one.by;
  }
  return found;
}

inline CaughtBy caught_by(const Record& record) {
  if (!record.is_object()) return CaughtBy::unknown;  // there is none
  const Json reason = record.value("reason", Json());
  return caught_by(record.value("outcome", ""), reason.is_string() ? reason.get<std::string>() : "");
}

struct WrongKernel {
  std::string variant;         // "reduce/wrong_zero"
  std::string axes;            // of the case, as a config has them
  CaughtBy simt;               // on the modelled device, lanes in order
  CaughtBy races;              // the same, every access checked
  CaughtBy cuda;               // on a GPU; unknown where that is not foreseeable
  std::string why = {};        // then: why not
  std::string own_right = {};  // the right variant that is run beside it; empty: the problem's

  std::string right() const {
    static const std::map<std::string, std::string> of_problem{{"reduce", "tb2"},
                                                               {"segreduce", "tb2"},
                                                               {"segscan", "cpu_serial"},
                                                               {"histogram", "global_atomic"},
                                                               {"multiscan", "sequential_global"},
                                                               {"multisplit", "rank_and_move"},
                                                               {"multireduce", "global_transposed"}};
    return own_right.empty() ? of_problem.at(problem()) : own_right;
  }
  std::string problem() const { return variant.substr(0, variant.find('/')); }
  std::string name() const { return variant.substr(variant.find('/') + 1); }
};
/// The kernel without "wrong_", and the case.
inline std::ostream& operator<<(std::ostream& out, const WrongKernel& one) {
  return out << one.variant << " {" << one.axes << '}';
}

/// Every kernel of tests/wrong, at least once.
inline std::vector<WrongKernel> wrong_kernels() {
  using enum CaughtBy;
  const std::string ints = R"("n": 1000, "type": "i32", "operator": "sum")";
  const std::string few = R"("n": 20, "type": "i32", "operator": "sum")";
  const std::string floats = R"("n": 1000, "type": "f32", "operator": "sum")";
  const std::string doubles = R"("n": 1000, "type": "f64", "operator": "sum")";
  const std::string maps = R"("n": 1000, "type": "u32", "operator": "affine")";
  const std::string last = R"("n": 1000, "type": "i32", "operator": "right")";
  const std::string many = R"("n": 16777316, )";
  const auto segments = [](const std::string& pair, int n, const std::string& sizes) {
    return R"("n": )" + std::to_string(n) + ", " + pair + R"(, "segments": ")" + sizes + '"';
  };
  const auto labels = [](const std::string& type, int n, int m) {
    return R"("n": )" + std::to_string(n) + R"(, "m": )" + std::to_string(m) + R"(, "type": ")" + type + '"';
  };
  const auto by_label = [](const std::string& pair, int n, int m) {
    return R"("n": )" + std::to_string(n) + R"(, "m": )" + std::to_string(m) + ", " + pair;
  };
  const auto scan = [](const std::string& pair, const std::string& form) {
    return R"("n": 1000, "m": 3, )" + pair + R"(, "scan": ")" + form + '"';
  };
  const auto split = [](int n, const std::string& moves) {
    return R"("type": "u32", "operator": "right", "m": 3, "n": )" + std::to_string(n) + R"(, "moves": ")" +
           moves + '"';
  };
  const std::string int_sum = R"("type": "i32", "operator": "sum")";
  const std::string map_chain = R"("type": "u32", "operator": "affine")";

  const std::string any_order = "the result is right in whatever order a GPU's threads run";
  const std::string luck = "a GPU's warps may happen to run in the order that makes it right";
  const std::string undefined = "a GPU leaves open what comes of it";
  const auto caught = [](const char* variant, const std::string& axes, CaughtBy everywhere,
                         const char* right = "") {
    return WrongKernel{variant, axes, everywhere, everywhere, everywhere, "", right};
  };
  return {
      caught("reduce/wrong_zero", ints, comparison),
      caught("reduce/wrong_zero", floats, rounding_bound),
      caught("reduce/wrong_one_dropped", ints, comparison),
      caught("reduce/wrong_one_dropped", doubles, rounding_bound),
      caught("reduce/wrong_last_tile", ints, comparison),
      caught("reduce/wrong_last_tile_of_many", many + int_sum, comparison, "persistent_matrix"),
      caught("reduce/wrong_last_tile_of_many", many + R"("type": "f32", "operator": "sum")", comparison,
             "persistent_matrix"),
      caught("reduce/wrong_middle_tile", ints, comparison),
      caught("reduce/wrong_middle_tile", R"("n": 1000, "type": "i32", "operator": "max")", comparison),
      caught("reduce/wrong_middle_tile", R"("n": 1000, "type": "f32", "operator": "product")", comparison),
      caught("reduce/wrong_middle_tile", last, comparison),
      {"reduce/wrong_timed_only", ints, nothing, unwritten, comparison},
      caught("reduce/wrong_swapped", maps, comparison),
      caught("reduce/wrong_swapped", last, comparison),
      caught("reduce/wrong_stale", few, result_poison),
      {"reduce/wrong_unwritten_global", ints, memory_poison, unwritten, memory_poison},
      {"reduce/wrong_unwritten_scratch", ints, memory_poison, unwritten, memory_poison},
      {"reduce/wrong_unwritten", ints, shared_poison, unwritten, unknown, undefined},
      caught("reduce/wrong_writes_input", ints, inputs),
      {"reduce/wrong_writes_before", ints, red_zone, bounds, red_zone},
      {"reduce/wrong_writes_past", ints, red_zone, bounds, red_zone},
      {"reduce/wrong_writes_past_scratch", ints, red_zone, bounds, red_zone},
      {"reduce/wrong_reads_past", ints, comparison, bounds, comparison},
      {"reduce/wrong_static_past", ints, nothing, bounds, unknown, undefined},
      {"reduce/wrong_dynamic_past", ints, bounds, bounds, unknown, undefined},
      {"reduce/wrong_misaligned", ints, nothing, alignment, alignment},
      caught("reduce/wrong_faults", ints, address),
      caught("reduce/wrong_hangs", ints, hang),
      {"reduce/wrong_divergent_barrier", ints, barrier, barrier, hang},
      {"reduce/wrong_mixed_collective", ints, collective, collective, unknown, undefined},
      {"reduce/wrong_no_barrier", ints, comparison, race, unknown, luck},
      {"reduce/wrong_no_warp_barrier", ints, comparison, race, unknown, luck},
      {"reduce/wrong_lucky_order", ints, nothing, race, unknown, luck},
      {"reduce/wrong_returns_early", ints, nothing, race, unknown, any_order},
      {"reduce/wrong_atomic_plain", ints, nothing, race, unknown, any_order},
      {"reduce/wrong_reuse_race", ints, nothing, race, unknown, any_order},
      {"reduce/wrong_named_reuse", ints, nothing, race, unknown, any_order},
      {"reduce/wrong_named_count", ints, nothing, race, unknown, any_order},
      {"reduce/wrong_count_kept", ints, nothing, nothing, result_poison},
      caught("reduce/wrong_early_count", ints, comparison),
      {"reduce/wrong_no_fence", ints, nothing, race, unknown, luck},
      {"reduce/wrong_flag_apart", ints, nothing, race, unknown, luck},
      {"reduce/wrong_undeclared_wait", ints, nothing, nothing, undeclared_wait},
      caught("segreduce/wrong_empty_unwritten", segments(int_sum, 31, "geometric:0.5"), result_poison),
      caught("segreduce/wrong_carry_lost", segments(int_sum, 193, "one"), comparison),
      caught("segreduce/wrong_carries_swapped", segments(map_chain, 193, "one"), comparison),
      caught("segreduce/wrong_tile_twice", segments(int_sum, 193, "fixed:64"), comparison),
      caught("segreduce/wrong_middle_forgotten", segments(int_sum, 193, "one"), comparison),
      caught("segreduce/wrong_head_first", segments(map_chain, 193, "fixed:65"), comparison),
      caught("segreduce/wrong_head_written", segments(int_sum, 193, "fixed:65"), comparison),
      caught("segreduce/wrong_border_unseen", segments(int_sum, 193, "fixed:64"), comparison),
      {"segreduce/wrong_stage_unsynced", segments(int_sum, 64, "fixed:3"), nothing, race, unknown, luck},
      caught("segreduce/wrong_stage_left", segments(int_sum, 193, "geometric:0.5"), comparison),
      caught("segreduce/wrong_split_early", segments(int_sum, 193, "fixed:64") + R"(, "given": "offsets")",
             comparison, "merge_path"),
      caught("histogram/wrong_bins_overflow", labels("u8", 10000, 1), comparison),
      caught("histogram/wrong_borrow_unseen", labels("u32", 10000, 10), comparison),
      {"histogram/wrong_cleared_late", labels("u8", 200000, 256), comparison, comparison, unknown, luck},
      caught("histogram/wrong_column_dropped", labels("u32", 1000, 10), comparison),
      caught("histogram/wrong_last_vector", labels("u8", 1000, 10), comparison),
      caught("histogram/wrong_one_place", labels("u32", 1000, 10), comparison),
      caught("histogram/wrong_pair_once", labels("u8", 1000, 10), comparison),
      caught("histogram/wrong_range_stored", labels("u32", 200000, 10), comparison),
      {"histogram/wrong_cleared_after", labels("u8", 100000, 1), memory_poison, unwritten, memory_poison},
      caught("histogram/wrong_label_dropped", labels("u32", 10000, 300), comparison),
      caught("histogram/wrong_last_label", labels("u32", 1000, 10), comparison),
      caught("histogram/wrong_last_tile", labels("u8", 1000, 10), comparison),
      {"histogram/wrong_lost_updates", labels("u32", 1000, 3), comparison, race, comparison},
      {"histogram/wrong_not_cleared", labels("u32", 20, 256), result_poison, unwritten, result_poison},
      caught("multireduce/wrong_unstable_sort", R"("n": 1000, "m": 3, )" + map_chain, comparison,
             "cpu_sequential"),
      caught("multiscan/wrong_carry_lost", scan(int_sum, "inclusive"), comparison),
      caught("multiscan/wrong_first_tile_lost", scan(int_sum, "inclusive"), comparison),
      {"multiscan/wrong_both_stored", scan(int_sum, "inclusive"), comparison, race, unknown, undefined},
      caught("multiscan/wrong_inclusive", scan(int_sum, "exclusive"), comparison),
      caught("multiscan/wrong_tiles_swapped", scan(map_chain, "inclusive"), comparison),
      caught("multiscan/wrong_border_swapped", scan(int_sum, "exclusive"), comparison),
      {"multiscan/wrong_not_cleared", scan(int_sum, "inclusive"), memory_poison, unwritten, memory_poison},
      caught("multiscan/wrong_operands_swapped", scan(R"("type": "i32", "operator": "right")", "exclusive"),
             comparison),
      caught("multiscan/wrong_backwards_partition", scan(int_sum, "exclusive"), comparison, "partitioned"),
      caught("multiscan/wrong_published_sheffler", by_label(int_sum, 1000, 256) + R"(, "values": "extreme")",
             comparison, "sheffler_shared"),
      caught("multisplit/wrong_unstable", split(1000, "keys"), comparison),
      caught("multisplit/wrong_lost_tail", split(1000, "keys"), result_poison),
      caught("multisplit/wrong_rank_off_by_one", split(1000, "keys"), comparison),
      caught("multisplit/wrong_values_stay", split(1000, "pairs"), comparison),
      caught("segscan/wrong_carry_lost", segments(int_sum, 193, "fixed:65"), comparison),
      caught("segscan/wrong_not_restarted", segments(int_sum, 193, "fixed:64"), comparison),
      caught("segscan/wrong_start_passed", segments(int_sum, 193, "fixed:65"), comparison, "look_back"),
      caught("segscan/wrong_complete_early", segments(int_sum, 193, "one"), comparison, "look_back"),
      caught("multireduce/wrong_column_dropped", by_label(int_sum, 1000, 3), comparison),
      caught("multireduce/wrong_carry_lost", by_label(R"("type": "i64", "operator": "sum")", 1000, 3),
             comparison),
      {"multireduce/wrong_turn_not_waited", by_label(map_chain, 1000, 3), nothing, race, unknown, luck},
      caught("multireduce/wrong_label_dropped", by_label(int_sum, 1000, 3), comparison),
      caught("multireduce/wrong_page_passed", by_label(int_sum, 1000, 3), comparison),
      {"multireduce/wrong_page_full", by_label(int_sum, 1000, 3), comparison, unwritten, comparison},
      {"multireduce/wrong_lost_update", by_label(int_sum, 1000, 3), comparison, race, comparison},
      {"multireduce/wrong_not_cleared", by_label(int_sum, 64, 1), memory_poison, unwritten, memory_poison},
      caught("multireduce/wrong_sets_swapped", by_label(map_chain, 1000, 3), comparison),
      caught("segreduce/wrong_writes_owners", segments(int_sum, 193, "uniform:10..50"), inputs),
  };
}

/// What came of a run of redbench_wrong.
struct WrongRun {
  Answer answer;
  std::map<std::string, Record> records;  // by the variant's name
};

/// Runs variants of a problem on one case on a device: `names` without the problem, `axes` as in a config.
inline WrongRun run_wrong(const std::string& program, const std::string& device, const std::string& problem,
                          const std::vector<std::string>& names, const std::string& axes, int hang_s) {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"title": "wrong", "measure": {"max_samples": 10, "hang_s": )" +
                                  std::to_string(hang_s) + R"(}, "experiments": [{"problem": ")" + problem +
                                  R"(", "variants": )" + Json(names).dump() + R"(, "axes": {)" + axes +
                                  "}}]}");
  WrongRun run;
  run.answer = answer_of(program, "run config.json -q -d " + device + " -o out", folder.path());
  if (!std::filesystem::exists(folder.path() + "/out/records.jsonl")) {
    ADD_FAILURE() << run.answer.text;
    return run;
  }
  for (Record& record : read_records(folder.path() + "/out/records.jsonl")) {
    const std::string variant = record["variant"];
    run.records[variant.substr(problem.size() + 1)] = std::move(record);
  }
  return run;
}

/// Runs the kernel beside a right one: the one passes, the other ends by `expected`, without a time.
inline void expect_caught(const WrongKernel& one, CaughtBy expected, const std::string& program,
                          const std::string& device, int hang_s) {
  WrongRun run = run_wrong(program, device, one.problem(), {one.right(), one.name()}, one.axes, hang_s);
  const Record &right = run.records[one.right()], &wrong = run.records[one.name()];
  EXPECT_EQ(caught_by(right), CaughtBy::nothing) << "the right one beside it: " << right;
  ASSERT_EQ(caught_by(wrong), expected) << wrong;
  if (expected == CaughtBy::nothing) {
    EXPECT_EQ(run.answer.exit_code, exit_fine);
  } else {
    EXPECT_EQ(run.answer.exit_code, wrong.value("outcome", "") == "wrong" ? exit_wrong : exit_failed);
    EXPECT_TRUE(wrong.value("time_ns", Json()).is_null());
  }
}

/// One cell with everything that may happen: each case has its row, and a wrong answer is worse than a
/// failure.
inline void expect_that_a_cell_survives(const std::string& program, const std::string& device, int hang_s) {
  using enum CaughtBy;
  const std::vector<std::pair<std::string, CaughtBy>> expected{
      {"tb2", nothing},          {"wrong_hangs", hang},      {"harris3", nothing},
      {"wrong_faults", address}, {"wrong_zero", comparison}, {"harris1", nothing}};
  std::vector<std::string> names;
  for (const auto& [name, by] : expected) names.push_back(name);
  WrongRun run =
      run_wrong(program, device, "reduce", names, R"("n": 1000, "type": "i32", "operator": "sum")", hang_s);
  EXPECT_EQ(run.answer.exit_code, exit_wrong);
  EXPECT_EQ(run.records.size(), expected.size());
  for (const auto& [name, by] : expected) EXPECT_EQ(caught_by(run.records[name]), by) << run.records[name];
}

/// A test's name of a parameter.
inline std::string name_of_test(const testing::TestParamInfo<WrongKernel>& info) {
  std::string name = info.param.variant + '_' + std::to_string(info.index);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

}  // namespace redbench
