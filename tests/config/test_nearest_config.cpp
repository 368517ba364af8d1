// Which configs of redbench's own are offered, to shells and where a name is misspelled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/config/nearest_config.hpp"

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

}  // namespace
}  // namespace redbench
