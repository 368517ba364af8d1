// `why` and `reproduce` on the command line: what they print of kernels and papers without a run.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(WhyCommand, JsonOfTwoKernelsIsOneStepAndOfAConfigAList) {
  const TemporaryFolder folder;  // without results, whose times would be looked for
  const Answer two =
      redbench("why reduce/harris2 reduce/harris3 --n 1Ki -d simt:gtx480 --json", folder.path());
  ASSERT_EQ(two.exit_code, exit_fine) << two.text;
  const Json step = Json::parse(two.text);
  ASSERT_TRUE(step.is_object()) << two.text;
  EXPECT_EQ(step["from"], "reduce/harris2");
  EXPECT_EQ(step["to"], "reduce/harris3");
  EXPECT_EQ(step["case"]["n"], 1024);

  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "reduce",
    "variants": ["harris1", "harris2", "harris3"], "axes": {"n": "1Ki"}}]})");
  const Answer several = redbench("why " + config + " -d simt:gtx480 --json", folder.path());
  ASSERT_EQ(several.exit_code, exit_fine) << several.text;
  const Json steps = Json::parse(several.text);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0]["to"], "reduce/harris2");
  EXPECT_EQ(steps[1]["from"], "reduce/harris2");
}

TEST(ReproduceCommand, ADryRunIsOfTheDeviceThatIsNamed) {
  const TemporaryFolder folder;
  const Answer answer = redbench("reproduce slides --dry-run -d simt:gtx480", folder.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, testing::StartsWith("On simt:gtx480 (gtx480), precision default: "));
  EXPECT_THAT(answer.text, HasSubstr("\nslides/table "));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "it says what would be done, and ends";
}

}  // namespace
}  // namespace redbench
