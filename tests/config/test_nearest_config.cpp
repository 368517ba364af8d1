// Which configs of redbench's own are offered, to shells and where a name is misspelled.
#include "src/config/config.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

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
  EXPECT_THAT(paths, Contains(EndsWith("configs/martin2012/fig4.json")));
  for (const char* none : {"configs/schema.json", "configs/devices/", "configs/claims/"})
    EXPECT_THAT(paths, Not(Contains(HasSubstr(none))));
  EXPECT_TRUE(std::ranges::is_sorted(paths)) << "not as the disk has them";
}

// What lies below the working directory is named from there, as somebody there would write it; a neighbour as
// it was asked for. What no run takes is not offered.
TEST(NearestConfig, IsNamedAsItWouldBeWritten) {
  const std::filesystem::path before = std::filesystem::current_path();
  const TemporaryFolder folder;
  folder.write("alpha.json", "");
  const std::string source = REDBENCH_SOURCE_DIR, own = source + "/configs", here = folder.path(),
                    canonical = std::filesystem::canonical(here).string(), fig4 = "/martin2012/fig4.json`?";
  const struct {
    std::string folder, asked, answer;
  } rows[] = {
      {source, "martin2012/fig44", "; did you mean `configs" + fig4},
      {own, "configs/martin2012/fig44.json", "; did you mean `martin2012/fig4.json`?"},
      {here, "martin2012/fig44", "; did you mean `" + own + fig4},
      {here, "nothing_of_that_name", "; redbench's own configs are in " + own},
      {here, "alhpa", "; did you mean `alpha.json`?"},
      {"/", canonical + "/./alpa.json", "; did you mean `" + canonical + "/alpha.json`?"},
      {source, own + "/quik", "; did you mean `" + own + "/quick.json`?"},
  };
  for (const auto& row : rows) {
    std::filesystem::current_path(row.folder);
    EXPECT_EQ(nearest_config(row.asked), row.answer) << row.folder << ": " << row.asked;
    std::filesystem::current_path(before);
  }
}

}  // namespace
}  // namespace redbench
