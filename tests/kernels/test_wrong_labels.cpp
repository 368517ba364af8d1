// The wrong kernels of problems with segments and labels: each is right on the battery's other shapes, and caught
// on those that are there for it.
#include <gtest/gtest.h>

#include <set>

#include "src/json/json.hpp"
#include "src/records/stored_run.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Names = std::set<std::string>;

/// On which values of an axis a wrong kernel is caught, among others, and on which it never is.
struct Shows {
  const char *kernel, *axis;
  Names on, not_on = {};
};
const Shows shows[] = {
    // 64 labels are counted, of 65 the last is not.
    {"histogram/wrong_last_tile", "n", {"63", "65", "1", "1009"}, {"64", "128", "4096"}},
    {"histogram/wrong_label_dropped", "m", {"257"}, {"255"}},
    {"histogram/wrong_last_label", "m", {"1", "2", "33", "257"}},
    // 10007 labels are 313 for a thread, of which more than 255 are equal.
    {"histogram/wrong_bins_overflow", "labels", {"degenerate"}},
    {"histogram/wrong_bins_overflow", "n", {"10007"}, {"4097"}},
    // Equal labels have one counter, which nobody's carry comes to.
    {"histogram/wrong_borrow_unseen", "labels", {"uniform"}, {"degenerate"}},
    // A tile is 512 bytes or 128 words, a vector 16 bytes or 4 words.
    {"histogram/wrong_last_vector", "n", {"1", "63", "65", "1009"}, {"64", "128", "4096"}},
    {"histogram/wrong_lost_updates", "labels", {"degenerate"}},
    {"histogram/wrong_lost_updates", "n", {}, {"1"}},
    {"multireduce/wrong_lost_update", "labels", {"degenerate"}},
    {"multireduce/wrong_lost_update", "n", {}, {"1"}},
    // One tile has one set.
    {"multireduce/wrong_sets_swapped", "n", {"127"}, {"64"}},
    {"multireduce/wrong_label_dropped", "m", {"1"}},
    {"multireduce/wrong_label_dropped", "n", {}, {"0"}},
    // Two tiles have one order: a third has to see it.
    {"multiscan/wrong_tiles_swapped", "n", {}, {"128"}},
    {"multiscan/wrong_tiles_swapped", "operator", {"affine"}, {"sum"}},
    {"multiscan/wrong_border_swapped", "n", {"127"}, {"64"}},
    {"multiscan/wrong_border_swapped", "scan", {"exclusive", "inclusive"}},
    {"multiscan/wrong_operands_swapped", "n", {}, {"1"}},
    // A label's first value is the first to see the poison.
    {"multiscan/wrong_not_cleared", "n", {"1"}},
    // With one label it is the last.
    {"multiscan/wrong_carry_lost", "m", {"1"}},
    {"multiscan/wrong_carry_lost", "n", {}, {"64"}},
    // A tile is 64 keys.
    {"multisplit/wrong_lost_tail", "n", {"63", "65"}, {"64", "128", "4096"}},
    {"multisplit/wrong_unstable", "n", {}, {"1"}},
    {"multisplit/wrong_rank_off_by_one", "m", {"2"}, {"1"}},
    // By chance also where sizes are random: segments that start with a tile.
    {"segreduce/wrong_tile_twice", "segments", {"fixed:64"}, {"uniform:10..50"}},
    // Every other segment is empty, and 32 results before it is so, too.
    {"segreduce/wrong_stage_left", "segments", {"uniform:0..6", "geometric:0.5"}, {"fixed:3+empty"}},
    {"segscan/wrong_carry_lost", "segments", {"fixed:65"}, {"fixed:64"}},
    {"segscan/wrong_not_restarted", "segments", {"fixed:64"}, {"one"}},
    // The first tile is complete, and all others add to it.
    {"segscan/wrong_start_passed", "segments", {"fixed:65"}, {"one"}},
    // Each tile begins with a segment.
    {"segscan/wrong_complete_early", "segments", {"one"}, {"fixed:64"}},
};

/// All the values on which one is caught.
const Shows shows_alone[] = {
    {"multireduce/wrong_sets_swapped", "operator", {"affine", "right"}},
    {"multiscan/wrong_inclusive", "scan", {"exclusive"}},
    {"multiscan/wrong_operands_swapped", "operator", {"affine", "right"}},
    // Two of the lowest integers add up to 0, and so does the map (-1, -1) after itself to the identity.
    {"multiscan/wrong_published_sheffler", "values", {"extreme"}},
    {"multiscan/wrong_published_sheffler", "operator", {"affine", "sum"}},
    {"multisplit/wrong_values_stay", "moves", {"pairs"}},
    {"segreduce/wrong_empty_unwritten", "segments", {"fixed:3+empty", "uniform:0..6", "geometric:0.5"}},
    // A segment k of 65 values fills tile t from its second value on where 64 t = 65 k + 1: k = 63, t = 64.
    {"segreduce/wrong_carry_lost", "segments", {"one", "uniform:1..3000", "zipf:1.5", "fixed:65"}},
    {"segreduce/wrong_carries_swapped", "segments", {"one", "uniform:1..3000", "zipf:1.5"}},
    {"segreduce/wrong_carries_swapped", "operator", {"affine"}},
};

/// The values that an axis has in the cases that did not pass.
Names values(const Json& bad, const std::string& axis) {
  Names all;
  for (const Json& one : bad) {
    const std::string key = one["key"].get<std::string>() + " ";
    const std::size_t start = key.find(" " + axis + "=") + axis.size() + 2;
    all.insert(key.substr(start, key.find(' ', start) - start));
  }
  return all;
}

TEST(WrongLabels, AreCaughtOnTheShapesThatAreThereForThem) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY,
                                  "verify -d simt:gtx480 --json --schedules 1 -b "
                                  "'^(histogram|multireduce|multiscan|multisplit|segreduce|segscan)/wrong_'",
                                  ".");
  EXPECT_EQ(answer.exit_code, exit_wrong) << answer.text;
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  EXPECT_EQ(tallies.size(), 54u);
  const auto bad = [&](const std::string& kernel) { return tallies.at(kernel).at("bad"); };
  int planned = 0;
  for (const auto& [kernel, tally] : tallies.items()) {
    EXPECT_FALSE(tally["bad"].empty()) << kernel;
    for (const Json& one : tally["bad"]) {
      const std::string reason = one["reason"], key = one["key"];
      if (kernel == "histogram/wrong_not_cleared" && key.find(" n=0 ") != key.npos) {
        EXPECT_EQ(one["outcome"], "failed") << one;
        EXPECT_NE(reason.find("launches nothing"), reason.npos) << one;
        ++planned;
        continue;
      }
      EXPECT_EQ(one["outcome"], "wrong") << one;
      // By the comparison with the exact answer, and by nothing else.
      EXPECT_EQ(reason.find("the exact answer is") == reason.npos, kernel == "segreduce/wrong_writes_owners")
          << one;
    }
  }
  EXPECT_GT(planned, 0);
  for (const auto& [kernel, axis, on, not_on] : shows) {
    const Names found = values(bad(kernel), axis);
    for (const std::string& value : on) EXPECT_TRUE(found.contains(value)) << kernel << ' ' << value;
    for (const std::string& value : not_on) EXPECT_FALSE(found.contains(value)) << kernel << ' ' << value;
  }
  for (const auto& [kernel, axis, on, not_on] : shows_alone)
    EXPECT_EQ(values(bad(kernel), axis), on) << kernel;

  // The poison of scratch memory and results is found whatever the input: labels without one have a bucket, too.
  // Where every label has one, `right` keeps nothing of what was there.
  EXPECT_EQ(tallies["histogram/wrong_not_cleared"]["passed"], 0);
  EXPECT_EQ(tallies["histogram/wrong_cleared_after"]["passed"], 0);
  EXPECT_LE(tallies["multireduce/wrong_not_cleared"]["passed"], 1);
  for (const Json& one : bad("histogram/wrong_label_dropped"))
    EXPECT_NE(one["reason"].get<std::string>().find("result[255]"), std::string::npos) << one;
}

// The bug: such a case was refused, and a run of it alone was an error.
TEST(WrongLabels, WhatThePlanFindsFailsInARunOnceForAllProcesses) {
  TemporaryFolder folder;
  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "histogram",
      "variants": ["wrong_not_cleared"], "axes": {"n": 0, "type": "u32", "operator": "sum"}}]})");
  const std::string run =
      "run " + config + " -d simt:gtx480 --set measure.forks=2 -o " + folder.path() + "/run";
  EXPECT_EQ(answer_of(REDBENCH_WRONG_BINARY, run, ".").exit_code, exit_failed);
  EXPECT_EQ(read_stored_run(folder.path() + "/run").records.at(0)["reason"],
            "tests/wrong/histogram.cu: `run` launches nothing while it is planned");
  const Answer again = answer_of(REDBENCH_WRONG_BINARY, run + " --resume", ".");
  EXPECT_EQ(again.exit_code, exit_failed);
  EXPECT_NE(again.text.find("0 are to be made"), again.text.npos) << again.text;
}

}  // namespace
}  // namespace redbench
