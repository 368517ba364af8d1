// redbench tune on the CPU, and a run that takes what it found.
#include "src/tune/tune.hpp"

#include <gmock/gmock.h>

#include "src/config/tuned.hpp"
#include "src/json/strict.hpp"
#include "src/records/output_folder.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

TEST(Tune, IsRefusedWhereNothingIsTimed) {
  EXPECT_THAT(redbench("tune reduce/harris3 -d simt").text, HasSubstr("has no times"));
  EXPECT_THAT(redbench("tune reduce/cpu_serial -d host").text,
              HasSubstr("no variant with launch parameters"));
  EXPECT_THAT(redbench("tune reduce/cpu_openpm -d host").text, HasSubstr("did you mean `reduce/cpu_openmp`"));
  EXPECT_THAT(redbench("tune -d host").text, HasSubstr("a config or variants"));
  EXPECT_THAT(redbench("tune reduce/cpu_openmp -d host --budget 5").text, HasSubstr("as 90s, 5m or 1h"));
}

TEST(Tune, WritesPointsThatARunTakes) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/tuned.json";
  const auto tune = [&](const std::string& n) {
    return redbench("tune gather/cpu_sorted -d host --budget 1s --set measure.mode=warm -o " + file +
                    " -a n=" + n)
        .exit_code;
  };
  ASSERT_EQ(tune("1Ki"), 0);
  ASSERT_EQ(tune("4Ki"), 0);
  ASSERT_EQ(tune("1Ki"), 0) << "a point that is there is replaced";
  const Tuned tuned = read_tuned(file);
  ASSERT_EQ(tuned.points.size(), 2u);
  EXPECT_EQ(tuned.points[1].n, 1024);
  EXPECT_THAT(tuned.points[0].parameters, testing::Contains(testing::Key("sort_bits")));

  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "gather",
      "variants": ["cpu_sorted", "cpu_sequential"], "axes": {"n": "2000"}, "parameters": ["printed", "tuned"]}],
      "measure": {"mode": "warm"}})");
  ASSERT_EQ(
      redbench("run " + config + " -d host --tuned " + file + " -o " + folder.path() + "/run").exit_code, 0);
  const StoredRun run = read_stored_run(folder.path() + "/run");
  ASSERT_EQ(run.records.size(), 3u) << "a variant without parameters has no second form";
  EXPECT_EQ(run.records[0]["tuned"], false);
  EXPECT_EQ(run.records[1]["tuned"], true);
  EXPECT_EQ(run.records[1]["tuned_at"], "n=1024 m=256 of " + tuned.sha256.substr(0, 16));
  EXPECT_EQ(run.records[1]["parameters"]["sort_bits"], tuned.points[1].parameters.at("sort_bits"));
  EXPECT_THAT(
      redbench("run " + config + " -d host --resume --tuned " + file + " -o " + folder.path() + "/run").text,
      HasSubstr("0 are to be made"));
}

TEST(Tune, WithoutAPointARowIsRefusedWithTheCommandThatMakesIt) {
  TemporaryFolder folder;
  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "reduce",
      "variants": ["harris3", "diffwarps"], "axes": {"n": "2000"}}]})");
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --parameters tuned").text,
              HasSubstr("no parameters of it are tuned for gtx480: redbench tune reduce/harris3"));
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --parameters tuned -a block=64").text,
              HasSubstr("the axis `block` would change nothing"));
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --tuned x.json").text,
              HasSubstr("no experiment asks for tuned parameters"));
}

}  // namespace
}  // namespace redbench
