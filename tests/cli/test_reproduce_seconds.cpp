// The time that `redbench reproduce` says of a figure.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <regex>

#include "src/json.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(ReproduceSeconds, AreThoseOfTheFigureAlone) {
  const TemporaryFolder folder;
  folder.write("configs/slides/a.json",
               R"({"experiments": [{"problem": "reduce", "variants": "harris1", "axes": {"n": "1Ki"}}],
                   "measure": {"counters": true}})");
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  const Answer answer = redbench(
      "reproduce slides --out out --width 0 -d simt:gtx480 --no-report --precision quick -q", folder.path());
  const double most = std::ceil(std::chrono::duration<double>(Clock::now() - begun).count());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  std::smatch found;
  ASSERT_TRUE(std::regex_match(
      answer.text, found,
      std::regex("                            not                   time  exit\n"
                 "config    cases  passed  passed  refused  shared   \\(s\\)  code  note\n"
                 "--------  -----  ------  ------  -------  ------  ----  ----  ----\n"
                 "slides/a      1       1                           ( *[1-9][0-9]*)     0\n\n"
                 "records and tables are in out\n")))
      << answer.text;
  EXPECT_LE(std::stod(found[1]), most) << "seconds, rounded up";
}

// A folder that begins with a dash would be an option of the scripts that take it.
TEST(ReproduceFolder, IsNamedAsScriptsTakeIt) {
  const TemporaryFolder folder;
  folder.write("configs/slides/a.json",
               R"({"experiments": [{"problem": "reduce", "variants": "harris1", "axes": {"n": "1Ki"}}],
                   "measure": {"counters": true}})");
  const std::string here = std::filesystem::canonical(folder.path()).string();
  for (const auto& [given, named] : {std::pair<std::string, std::string>("--out=-x", here + "/-x"),
                                     {"--out x/../y", "y"},
                                     {"", "results/simt-gtx480"}}) {
    const Answer answer =
        redbench("reproduce slides -d simt:gtx480 --no-report --precision quick -q " + given, folder.path());
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    EXPECT_TRUE(answer.text.ends_with("\nrecords and tables are in " + named + "\n")) << answer.text;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(here) / named / "slides/a/records.jsonl"))
        << named;
  }
}

}  // namespace
}  // namespace redbench
