// Sizes at which variants do what the battery's sizes do not reach.
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

struct Case {
  const char *variants, *axes;
};

/// Runs the cases of a problem, each with these axes, too.
void expect_passed(const std::string& device, const std::string& problem, const std::string& axes,
                   const std::vector<Case>& cases) {
  for (const Case& case_ : cases)
    EXPECT_EQ(
        not_passed(R"({"title": "test", "experiments": [{"problem": ")" + problem + R"(", "variants": )" +
                       case_.variants + R"(, "axes": {)" + axes + ", " + case_.axes + "}}]}",
                   device),
        std::vector<std::string>())
        << case_.variants << ' ' << case_.axes;
}

// One launch whose blocks or warps take several steps of a small grid: whole steps, one vector more, a ragged
// tail, and each type's width. Four vectors of each of 64 threads of 132 blocks are 540672 bytes: 135168
// integers, 270336 halves or 67584 doubles.
TEST(FurtherSizes, ReductionsOfOneLaunchGoOnInStepsOfTheGrid) {
  const char *const all = R"(["packed_atomic", "last_block", "waiting_block"])",
                    *const rounded = R"(["last_block", "waiting_block"])";
  expect_passed("simt:h200", "reduce", R"("block": 64, "per_sm": 1, "waves": [1, 3])",
                {{all, R"("n": [135167, 135168, 135173, 811011], "type": "i32", "operator": "sum")"},
                 {rounded, R"("n": [135169, 541007], "type": ["f16", "f64", "c64"], "operator": "sum")"},
                 {all, R"("n": [540671, 540673, 3244063], "type": "u8", "accumulator": ["own", "u32"],
                "operator": "sum", "values": ["uniform", "extreme"])"},
                 {all, R"("n": [540671, 540673, 3244063], "type": "i8", "accumulator": ["own", "i32"],
                "operator": "sum", "values": ["uniform", "extreme"])"},
                 {rounded, R"("n": [270337, 1622027], "type": ["f16", "bf16"], "accumulator": ["own", "f32"],
                    "operator": "sum", "values": ["uniform", "extreme"])"},
                 {R"("waiting_block_ordered")",
                  R"("n": [67583, 67584, 67585, 202753], "type": "u32", "operator": ["affine", "right"])"}});
}

// Segmented inputs that warps share evenly, cut at the ends of segments and one value off. With a group of 256 for
// each warp and a warp for each block, 15 multiprocessors of 8 such blocks take 30720 values, or values and ends, in a
// round. By default one block takes 16 groups of 512, and warps get a second group from 122880 on.
TEST(FurtherSizes, EvenSplitsOfSegmentsTakeOneBlockTwoAndSeveralRounds) {
  const std::string ends = R"("segments": ["one", "fixed:255", "fixed:256", "fixed:257", "geometric:0.5"])",
                    rounds =
                        R"("block": 32, "loaded": 8, "steps": 1, )" + ends + R"(, "n": [255, 256, 257, )",
                    several = R"("type": "u32", "operator": "affine", )" + rounds,
                    shares = R"("type": "i32", "operator": "sum", "n": [8191, 8192, 8193, 122879, 122881],
                                "segments": ["fixed:512", "fixed:40000"])",
                    owners = several + "30719, 30720, 30721, 61441]",
                    offsets = several + "30599, 30600, 30601, 30719, 61201]";
  const char* const by_owners = R"(["warp_scan", "warp_scan_skip"])";
  expect_passed("simt:gtx480", "segreduce", R"("given": "owners")",
                {{by_owners, owners.c_str()}, {by_owners, shares.c_str()}});
  expect_passed("simt:gtx480", "segreduce", R"("given": "offsets")",
                {{R"("merge_path")", offsets.c_str()}, {R"("merge_path")", shares.c_str()}});
}

// More segments end in a group, or in a step of the merged list, than the stage holds: up to 20 for each value, and
// every width of a store.
TEST(FurtherSizes, MoreSegmentsThanTheStageHolds) {
  for (const char* const pair : {R"("type": "f16", "operator": "max")", R"("type": "f64", "operator": "min")",
                                 R"("type": "u32", "operator": "affine")"}) {
    const std::string axes =
        std::string(pair) +
        R"(, "n": [1000, 20011], "segments": ["geometric:0.05", "geometric:0.5", "fixed:1+empty"])";
    expect_passed("simt:gtx480", "segreduce", R"("given": "owners")",
                  {{R"(["warp_scan", "warp_scan_skip"])", axes.c_str()}});
    expect_passed("simt:gtx480", "segreduce", R"("given": "offsets")", {{R"("merge_path")", axes.c_str()}});
  }
}

// Inputs by bucket in pages: pages that are full at the end of a tile, tiles that take several of one bucket,
// and buckets that one block reduces or that several share. Tiles of 256 inputs are a page if all have one
// label. 100003 are 391 pages, three for each of 132 blocks.
TEST(FurtherSizes, PagesOfFewAndManyBuckets) {
  expect_passed("simt:h200", "multireduce", R"("operator": "sum", "table_block": 64)",
                {{R"("partitioned")", R"("n": [33792, 100003], "m": [1, 70001], "type": "i32", "block": 64,
                                         "loads": 1, "labels": ["uniform", "degenerate", "zipf:1"])"},
                 {R"("partitioned")", R"("n": 100003, "m": 3000, "type": ["f32", "i64"], "block": 128,
                                         "buckets": [1, 16, 2048])"}});
}

// Groups of blocks have a range of labels each: two by what fits, more than there are labels, a last one that is shorter.
TEST(FurtherSizes, RangesOfLabels) {
  expect_passed("simt:h200", "multireduce",
                R"("operator": "sum", "labels": ["uniform", "degenerate", "sorted"])",
                {{R"("privatized_ranges")", R"("n": 100003, "m": 70001, "type": "i32")"},
                 {R"("privatized_ranges")", R"("n": 5003, "m": [3, 17, 1001], "type": ["i32", "i64"],
                                               "groups": [2, 7], "block": 64)"}});
}

// Bins that have few bits, or updates that may be lost: one bin takes every label, bins are as full as they may
// be and one label further. One block has all labels, so that no other one is right by chance. A bin that
// overflows into the next makes that one wrong, too.
TEST(FurtherSizes, SmallBinsAreEmptiedBeforeTheyOverflow) {
  expect_passed(
      "simt:gtx480", "histogram", R"("type": "u8", "labels": "degenerate")",
      {// 192 threads of 63 words, three labels past the last word, one word more.
       {R"("podlozhnyuk64")", R"("n": [48384, 48387, 48388, 145155], "m": [1, 64], "fills": [1, 3])"},
       // 64 threads of 63 words.
       {R"("trish")", R"("n": [16128, 16131, 16132, 48387], "m": [1, 256], "blocks": 1)"},
       {R"("banktrish")", R"("n": [16128, 16131, 16132, 48387], "m": [1, 256], "blocks": 1,
                                       "factor": [2, 3, 4, 5, 6, 7, 8])"},
       // 32 threads of 16 383 words.
       {R"("nugteren_bank")", R"("n": [2097024, 2097027, 2097028, 4194051], "m": 2, "blocks": 1,
                                           "staggered": [0, 1])"},
       {R"("shams_kennedy_global")", R"("n": [8160, 8161, 8192, 24581], "m": [1, 33], "blocks": 1,
                                                  "block": 32, "bits": [1, 2, 4, 8])"},
       // No update of a warp is lost with either.
       {R"(["podlozhnyuk256", "nugteren_shuffled", "shams_kennedy_shared"])",
        R"("n": [31, 10007], "m": [1, 256], "blocks": 1, "update": [0, 1])"}});
}

// Counters of 4 and 8 bits, several in a word, that wrap while their neighbours do; runs of labels that are longer
// than a warp, than a lane's four labels or shorter; more labels that overflow than the 2048 that have an entry.
// From 46 Ki labels on counters of 8 bits do not fit, and entries get fewer.
TEST(FurtherSizes, PackedCountersWrapNextToOthers) {
  expect_passed(
      "simt:gtx480", "histogram", R"("type": "u32")",
      {{R"("privatized_packed")", R"("n": 100003, "m": [1, 2, 16, 300], "block": 64, "bits": [4, 8])"},
       {R"("privatized_packed")",
        R"("n": 100003, "m": 5000, "labels": ["zipf:1", "sorted", "runs:6", "runs:64", "runs:500"], "bits": [4, 8])"},
       {R"("privatized_packed")", R"("n": 100003, "m": [45000, 60000, 90000], "labels": "zipf:1")"}});
}

// A count of 27 bits, next to the number of the lane.
TEST(FurtherSizes, ATaggedUpdateRefusesMoreThanItsBitsCount) {
  const Answer answer = redbench(
      "plan configs/histogram.json -d simt:gtx480 --set 'experiments=[{\"problem\": \"histogram\", "
      "\"variants\": [\"podlozhnyuk256\"], \"axes\": {\"n\": 1073741824, \"type\": \"u8\", \"blocks\": 1, "
      "\"update\": [0, 1]}}]'");
  EXPECT_TRUE(has(answer.text, {"a warp has up to 178957060 labels", "update=1"})) << answer.text;
}

}  // namespace
}  // namespace redbench
