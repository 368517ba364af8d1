// list, describe and plan: what they print of cards, problems and cases.
#include <regex>

#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Without what depends on the machine, on the estimate of the time, on the keys of a config, or on whether CUDA is
/// built in.
std::string portable(std::string text) {
  for (const auto& [found, shown] : {std::pair(R"re((cuda simt|simt     )  )re", "simt       "),
                                     {R"re(  on cuda\n(    .*\n)*)re", ""},
                                     {R"re(\nOn host \(.*\):)re", "\nOn host (CPU):"},
                                     {R"re("(host|simt)": "[0-9a-f]{16}")re", "\"$1\": \"HASH\""},
                                     {R"re(  "config": \{\n(    .*\n)*  \},\n)re", ""},
                                     {R"re((of device memory; ).*\n)re", "$1TIME\n"}})
    text = std::regex_replace(text, std::regex(found), shown);
  return text;
}

std::string answers(const std::vector<std::string>& commands,
                    const std::string& folder = REDBENCH_SOURCE_DIR) {
  std::string text;
  for (const std::string& command : commands) {
    const Answer answer = redbench(command, folder);
    EXPECT_EQ(answer.exit_code, exit_fine) << command;
    const std::string shown = portable(answer.text);
    const Json json = Json::parse(shown, nullptr, false);
    text += "$ redbench " + command + "\n" + (json.is_discarded() ? shown : in_few_lines(json) + '\n');
  }
  return text;
}

TEST(List, ALineHasNameOrderDevicesAndTitle) {
  expect_golden(
      "cli/list.txt",
      answers({"list -b '^(histogram/cpu_serial|multireduce/cpu_huge_pages|reduce/harris|reduce/cpu_s)'",
               "list --json -b '^multireduce/cpu_presorted$'"}));
}

// The example is of a pair that the variant takes; of one that takes none it shows why.
TEST(Describe, VariantsAndProblems) {
  expect_golden("cli/describe.txt", answers({"describe multireduce/cpu_presorted --n 4Ki",
                                             "describe reduce/shuffle_warp_atomic -d simt:gtx480 --n 3000",
                                             "describe histogram/trish -d simt:gtx480 --n 4Ki",
                                             "describe histogram/cub -d simt:gtx480 --n 4Ki",
                                             "describe segreduce/thrust_reduce_by_key -d simt:gtx480 --n 4Ki",
                                             "describe segreduce"}));
}

// 700 values of 8 bytes in segments of three with owners of 4 bytes, so 234 results: a thread clears each,
// and 2 blocks read 512 values of 12 bytes each and hand 12 bytes on, which the last block reads. A block of
// 256 threads is 8 of the 48 warps of a multiprocessor.
TEST(PlanCommand, AsATableAndAsJson) {
  const TemporaryFolder folder;
  folder.write("p.json", R"({"title": "µ", "experiments": [{"problem": "segreduce", "variants":
        ["tb2", "cub_segmented"], "axes": {"n": 700, "segments": "fixed:3", "type": "f64"}}]})");
  expect_golden("cli/plan.txt",
                answers({"plan p.json -d simt:gtx480", "plan p.json -d simt:gtx480 --json"}, folder.path()));
}

}  // namespace
}  // namespace redbench
