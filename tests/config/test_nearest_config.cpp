// Which configs of redbench's own are offered, to shells and where a name is misspelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "src/config/nearest_config.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// configs/ also holds what no run takes: the schema, machines' caches and the papers' claims.
TEST(OwnConfigs, AreThoseThatARunTakes) {
  const std::vector<std::string> paths = own_configs();
  EXPECT_THAT(paths, Contains(EndsWith("configs/quick.json")));
  EXPECT_THAT(paths, Contains(EndsWith("configs/martin2012/fig4.json")));
  EXPECT_THAT(paths, Not(Contains(EndsWith("configs/schema.json"))));
  EXPECT_THAT(paths, Not(Contains(HasSubstr("configs/devices/"))));
  EXPECT_THAT(paths, Not(Contains(HasSubstr("configs/claims/"))));
  EXPECT_TRUE(std::ranges::is_sorted(paths)) << "not as the disk has them";
}

TEST(NearestConfig, IsNoFileThatIsNoConfig) {
  EXPECT_THAT(nearest_config("martin2012/fig44"), HasSubstr("did you mean"));
  EXPECT_THAT(nearest_config("scheme"), HasSubstr("; redbench's own configs are in "));
  const std::string own = REDBENCH_SOURCE_DIR "/configs/";
  EXPECT_THAT(nearest_config(own + "schem"), Not(HasSubstr("schema.json")));
  EXPECT_THAT(nearest_config(own + "devices/../schem"), Not(HasSubstr("schema.json")));
  EXPECT_THAT(nearest_config(own + "claims/eilers201"), Not(HasSubstr("claims/eilers2014.json")));
  EXPECT_THAT(nearest_config(own + "quik"), HasSubstr("quick.json"));
}

// What lies below the working directory is named from there, as somebody there would write it; a neighbour as
// it was asked for.
TEST(NearestConfig, IsNamedAsItWouldBeWritten) {
  const std::filesystem::path before = std::filesystem::current_path();
  const TemporaryFolder folder;
  folder.write("alpha.json", "");
  folder.write("beta.txt", "");
  const auto from = [&](const std::string& here, const std::string& asked) {
    std::filesystem::current_path(here);
    const std::string said = nearest_config(asked);
    std::filesystem::current_path(before);
    return said;
  };
  const std::string own = REDBENCH_SOURCE_DIR "/configs", fig4 = "/martin2012/fig4.json`?";
  EXPECT_EQ(from(REDBENCH_SOURCE_DIR, "martin2012/fig44"), "; did you mean `configs" + fig4);
  EXPECT_EQ(from(own, "configs/martin2012/fig44.json"), "; did you mean `martin2012/fig4.json`?");
  EXPECT_EQ(from(folder.path(), "martin2012/fig44"), "; did you mean `" + own + fig4);
  EXPECT_EQ(from(folder.path(), "nothing_of_that_name"), "; redbench's own configs are in " + own);
  EXPECT_EQ(from(REDBENCH_SOURCE_DIR, "nothing_of_that_name"), "; redbench's own configs are in configs");
  EXPECT_EQ(from(folder.path(), "alhpa"), "; did you mean `alpha.json`?");
  const std::string at = std::filesystem::canonical(folder.path()).string();
  EXPECT_EQ(from("/", at + "/./alpa.json"), "; did you mean `" + at + "/alpha.json`?");
  EXPECT_EQ(from(folder.path(), folder.path() + "/beta.txt1"), "; redbench's own configs are in " + own);
}

}  // namespace
}  // namespace redbench
