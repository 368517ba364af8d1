// Cases whose inputs are spread over several modelled GPUs.
#include <gmock/gmock.h>

#include "src/records/stored_run.hpp"
#include "tests/plugin_support.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(OverGpus, EachNumberGivesTheExactAnswer) {
  EXPECT_THAT(not_passed(R"({"title": "t", "experiments": [
      {"problem": "reduce", "variants": ["host", "peer"],
       "axes": {"n": [0, 1, 2, 1000, 200003], "type": ["i32", "f32"], "operator": "sum", "gpus": [1, 2, 3]}},
      {"problem": "multireduce", "variants": ["host", "peer"],
       "axes": {"n": [0, 10007], "m": [1, 300, 100000], "type": "i32", "operator": "sum", "gpus": [1, 3]}},
      {"problem": "histogram", "variants": ["host", "peer"],
       "axes": {"n": [0, 1, 10007], "m": [1, 300, 100000], "type": "u32", "operator": "sum", "gpus": [1, 3]}},
      {"problem": "histogram", "variants": ["host", "peer"],
       "axes": {"n": [1, 100003], "labels": ["uniform", "degenerate", "sorted"], "type": "u8", "operator": "sum",
                "gpus": [1, 3]}}]})",
                         "simt:h200:3"),
              ElementsAre());
}

TEST(OverGpus, WhatCannotBeIsARow) {
  const TemporaryFolder folder;
  folder.write(
      "c.json",
      R"({"title": "t", "experiments": [{"problem": "reduce", "variants": ["harris1", "cpu_serial", "peer"],
      "axes": {"n": 100, "type": "i32", "operator": "sum", "gpus": [1, 2, 3]}}], "measure": {"timeout_s": 0.1}})");
  const Answer answer = redbench("run c.json -d simt:h200:2 -o out", folder.path());
  std::vector<std::string> rows;
  for (const Record& record : read_stored_run(folder.path() + "/out").records)
    rows.push_back(record["key"].get<std::string>() + ": " +
                   (record["reason"].is_null() ? "passed" : record["reason"].get<std::string>()));
  const std::string block = " block=512 loads=4 per_sm=0 waves=0: ";
  const auto row = [](const std::string& variant, const std::string& rest) {
    return "reduce/" + variant + " n=100 type=i32 operator=sum values=uniform" + rest;
  };
  EXPECT_THAT(rows, testing::UnorderedElementsAre(
                        row("harris1", " block=256: passed"), row("cpu_serial", ": passed"),
                        row("peer", block + "passed"), row("harris1", " gpus=2 block=256: is of one GPU"),
                        row("cpu_serial", " gpus=2: is of the CPU, not of 2 GPUs"),
                        row("peer", " gpus=2" + block + "passed"),
                        row("harris1", " gpus=3 block=256: takes 3 GPUs, this run has 2"),
                        row("cpu_serial", " gpus=3: is of the CPU, not of 3 GPUs"),
                        row("peer", " gpus=3" + block + "takes 3 GPUs, this run has 2")))
      << answer.text;
}

TEST(OverGpus, NcclIsOfRealOnes) {
  EXPECT_THAT(not_passed(R"({"title": "t", "experiments": [
      {"problem": "reduce", "variants": ["peer", "nccl_reduce", "nccl_allreduce"],
       "axes": {"n": 100, "type": "i32", "operator": "sum", "gpus": [1, 2]}},
      {"problem": "multireduce", "variants": ["nccl_reduce", "nccl_allreduce", "nccl_reduce_scatter"],
       "axes": {"n": 100, "m": 3, "type": "i32", "operator": "sum", "gpus": [1, 2]}},
      {"problem": "histogram", "variants": ["nccl_reduce", "nccl_allreduce", "nccl_reduce_scatter"],
       "axes": {"n": 100, "m": 3, "type": "u8", "operator": "sum", "gpus": [1, 2]}}]})",
                         "simt:h200:2"),
              AllOf(testing::SizeIs(16), testing::Each(HasSubstr("NCCL runs on NVIDIA's GPUs alone"))));
}

/// reduce/peer for one pair, with lines changed.
void write_wrong(const PluginFolder& folder, const std::string& name, Changes changes) {
  changes.push_back({"  template <class Op>\n  static void run",
                     "  template <class Op>\n  static constexpr std::string_view refuses() {\n"
                     "    return std::is_same_v<Op, Sum<i32>> ? \"\" : \"wrong\";\n  }\n"
                     "  template <class Op>\n  static void run"});
  folder.copy("peer", name, changes);
}

// With one GPU each is right. The hang costs its cases alone, and one GPU that fails does not keep the others waiting.
TEST(OverGpus, WrongKernelsAreCaught) {
  const PluginFolder folder;
  const std::string send = "release_system(&tree.flags.of[other][tree.rank], 1);";
  const std::string take = "reduction = Acc()(reduction, tree.inbox.of[tree.rank][other]);";
  const std::string store = "tree.inbox.of[other][tree.rank] = reduction;";
  write_wrong(folder, "device_fence",
              {{send, "__threadfence();\n      relaxed_store(&tree.flags.of[other][tree.rank], 1);"}});
  write_wrong(folder, "never_sends", {{send, ""}});
  write_wrong(folder, "counts_twice", {{take, take + take}});
  write_wrong(folder, "sends_past", {{store, "tree.inbox.of[other][1 << 20] = reduction;"}});
  write_wrong(folder, "past_result",
              {{"*result = typename Op::Result(reduction);",
                "*result = result[1] = typename Op::Result(reduction);"}});
  // The second run's receiver finds the flag of the first and takes what is there; its sender comes behind that.
  write_wrong(folder, "keeps_flag",
              {{"relaxed_store(flag, 0);", ""},
               {take, take + "atomic_add_system(&tree.flags.of[tree.rank][tree.rank], 1);"},
               {store,
                "while (acquire_system(&tree.flags.of[other][tree.rank]) == 1 &&\n"
                "             acquire_system(&tree.flags.of[other][other]) < 2) {\n      }\n" +
                    store}});
  const auto verified = [&](const std::string& variants, const std::string& more) {
    return folder
        .redbench("verify --kernels kernels -d simt:h200:2 --small --schedules 1 -b '" + variants + "' " +
                  more)
        .text;
  };
  EXPECT_THAT(verified("device_fence", "--races"), HasSubstr("thread 0 of block 0 of GPU 1 wrote at "));
  EXPECT_THAT(verified("device_fence", "--races"),
              HasSubstr("with no fence and atomic of system scope between"));
  EXPECT_THAT(verified("counts_twice", ""), HasSubstr("the exact answer is"));
  EXPECT_THAT(verified("keeps_flag", ""), HasSubstr("the exact answer is"));
  EXPECT_THAT(verified("sends_past", "--races"), HasSubstr("out of bounds")) << "not that the receiver waits";
  const auto right_one = ContainsRegex("reduce/peer +[0-9]+ passed\n");
  EXPECT_THAT(verified("past_result|peer$", ""), AllOf(HasSubstr("writes byte 4 of the result"), right_one));
  EXPECT_THAT(verified("never_sends|peer$", "--hang 2"), AllOf(HasSubstr("no sign of life"), right_one));
}

// The result is left on the last GPU, and once only its first half is said to be there.
TEST(OverGpus, PartsOfAResultArePutTogether) {
  const PluginFolder folder;
  const std::string launch = "launch_over(queue, x, cover, kernel, partial, tree);";
  const auto leaves = [&](const std::string& bytes) {
    return Changes{{launch,
                    "Reduce<Op> last = x;\n      last.result = on_each(x.result).of[rank.count - 1];\n"
                    "      launch_over(queue, last, cover, kernel, partial, tree);\n"
                    "      leave_part(queue, x.result, rank.number == rank.count - 1 ? " +
                        bytes + " : 0);"}};
  };
  write_wrong(folder, "all", leaves("4"));
  write_wrong(folder, "half", leaves("2"));
  const std::string text =
      folder.redbench("verify --kernels kernels -d simt:h200:2 --small --schedules 1 -b '/(all|half)$'").text;
  EXPECT_THAT(text, ContainsRegex("reduce/all +[0-9]+ passed\n"));
  EXPECT_THAT(text, HasSubstr("leaves parts of 2 bytes, the result has 4"));
}

}  // namespace
}  // namespace redbench
