// The registry of variants, and how names are found in it.
#include <gmock/gmock.h>

#include <algorithm>

#include "src/registry.hpp"
#include "src/text/natural_order.hpp"
#include "src/text/nearest.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(RegistryDeath, ANameUsedTwiceStopsTheProgram) {
  const Card card;
  EXPECT_EXIT(Registration("reduce/harris3", Target::simt, card, {{}}), testing::ExitedWithCode(exit_failed),
              "the variant reduce/harris3 is built in twice for simt: two files have this name");
}

TEST(Registry, EveryVariantHasItsSource) {
  for (const Variant& variant : variants()) {
    EXPECT_TRUE(exists(std::filesystem::path(REDBENCH_SOURCE_DIR) / variant.source)) << variant.name;
    EXPECT_EQ(variant.code_hash.size(), 16u) << variant.name;
  }
  EXPECT_EQ(find_variant("reduce/harris3")->source, "kernels/reduce/harris3.cu");
  EXPECT_EQ(find_variant("reduce/harris33"), nullptr);
}

// Up to a third of the letters may be other ones, two always, a swap of neighbours counts as one.
TEST(Errors, TheNearestNameIsMeant) {
  for (const auto& [word, candidate, is_near] : {std::tuple("abcdef", "abcdxy", true),
                                                 {"abcdef", "abcxyz", false},
                                                 {"ab", "xy", false},
                                                 {"abcdef", "badcef", true},
                                                 {"abcdef", "abcdefgh", true},
                                                 {"abcdef", "def", false},
                                                 {"abq", "bar", true},
                                                 {"DIFFWARPS", "diffwarps", true},
                                                 {"", "harris1", false}})
    EXPECT_EQ(nearest_of(word, {candidate}).has_value(), is_near) << word << ' ' << candidate;
  EXPECT_EQ(nearest_of("harris", {"harris12", "harris1", "harris2"}), "harris1")
      << "the first of the nearest";
  EXPECT_EQ(nearest_match("haris2", {"harris1", "harris2"}), "; did you mean `harris2`?");
  EXPECT_EQ(nearest_match(std::string(100000, 'x'), {"harris1"}), "");
  EXPECT_EQ(alternatives({"a"}), "`a`");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "`a`, `b` or `c`");
}

TEST(NaturalOrder, NumbersCountAsSuch) {
  const std::vector<std::string> rising{"",    "a",    "a1", "a1b2", "a1b10",    "a2",    "a10",    "aa",
                                        "ab1", "ab11", "b",  "tb2",  "tb4_warp", "x64y2", "x64y10", "x256y1"};
  for (std::size_t i = 0; i < rising.size(); ++i)
    for (std::size_t j = 0; j < rising.size(); ++j)
      EXPECT_EQ(natural_less(rising[i], rising[j]), i < j) << rising[i] << " and " << rising[j];
}

TEST(Registry, VariantsAreInNaturalOrder) {
  const std::vector<std::string> names = variant_names();
  EXPECT_GT(names.size(), 100u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end(), natural_less));
}

TEST(Registry, InstancesAreOfTheirTypeAndOperator) {
  const Variant& harris3 = *find_variant("reduce/harris3");
  for (const Type type : {Type::i32, Type::f64})
    for (const Operator op : {Operator::sum, Operator::min, Operator::right}) {
      const Instance* const found = harris3.instance(Target::simt, type, op);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(found->type, type);
      EXPECT_EQ(found->op, op);
      EXPECT_EQ(found->run == nullptr, op == Operator::right) << "which does not commute";
    }
  EXPECT_EQ(harris3.instance(Target::simt, Type::i32, Operator::affine), nullptr) << "no pair of the problem";
  EXPECT_EQ(harris3.instance(Target::host, Type::i32, Operator::sum), nullptr);
  EXPECT_NE(harris3.first_taken(Target::simt)->run, nullptr);
  EXPECT_EQ(harris3.first_taken(Target::host), nullptr);
  // Of its pairs the first is refused, and of a library's call each.
  EXPECT_NE(find_variant("histogram/trish")->first_taken(Target::simt)->run, nullptr);
  EXPECT_EQ(find_variant("reduce/cub")->first_taken(Target::simt), nullptr);
  EXPECT_TRUE(find_variant("reduce/cub")->built_for(Target::simt));
  EXPECT_FALSE(find_variant("reduce/cpu_serial")->built_for(Target::simt));
}

}  // namespace
}  // namespace redbench
