// Where a mistake of a config is said to be, and which place a key of the command line means.
#include "src/config/json_node.hpp"
#include "tests/config_support.hpp"

namespace redbench {
namespace {

// The bug: another key was taken for the one that the command line had set, and its option blamed.
TEST(ConfigPlaces, ANoteIsOfItsOwnPartAlone) {
  Origins origins;
  origins.file = "x.json";
  origins.parts = {{"$.seed", "", "--set seed=9"}};
  EXPECT_EQ(origins.place("$.seed"), "x.json: $.seed (--set seed=9)");
  EXPECT_EQ(origins.place("$.seed[0]"), "x.json: $.seed[0] (--set seed=9)");
  EXPECT_EQ(origins.place("$.seed.part"), "x.json: $.seed.part (--set seed=9)");
  EXPECT_EQ(origins.place("$.seeds"), "x.json: $.seeds") << "it begins alike";
  EXPECT_EQ(origins.place("$.plot"), "x.json: $.plot") << "it is as long";
  EXPECT_EQ(origins.place("$.plot[0]"), "x.json: $.plot[0]");
}

// The bug: what follows a bracket was left out, were it another bracket.
TEST_F(ConfigFile, AnElementOfAListInAListIsNamedByBothNumbers) {
  const auto set = [](const std::string& s) { return Overrides{.axes = {}, .sets = {s}, .variants = {}}; };
  EXPECT_EQ(error(with_axes(R"({"n": [[1, 2]]})"), set("experiments[0].axes.n[0][2]=3")),
            "--set experiments[0].axes.n[0][2]=3: $.experiments[0].axes.n[0] has no element 2");
}

}  // namespace
}  // namespace redbench
