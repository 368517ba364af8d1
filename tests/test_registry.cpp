// The registry and what a variant's `run` works on.
#include <gmock/gmock.h>

#include <algorithm>

#include "src/device/device.hpp"
#include "src/registry.hpp"
#include "src/text/natural_order.hpp"
#include "src/text/nearest.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

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

TEST(Queues, AskForTheSameWhenPlannedAndExecuted) {
  const std::unique_ptr<Device> host = make_host();
  const Parameters parameters{{"block", 64}};
  Footprint footprint;
  CaseQueue planning(*host, parameters, footprint);
  EXPECT_TRUE(planning.planning());
  EXPECT_EQ(planning.scratch<double>(3), nullptr);
  EXPECT_EQ(planning.scratch<char>(257), nullptr);
  planning.chain(7);
  bool ran = false;
  planning.on_host([&] { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_THAT(footprint.scratch, ElementsAre(24, 257));
  EXPECT_EQ(footprint.scratch_bytes(), 256u + 512u);
  EXPECT_EQ(footprint.chain, 7);

  double first;
  char second;
  const std::vector<void*> scratch{&first, &second};
  CaseQueue executing(*host, parameters, footprint, scratch);
  EXPECT_EQ(executing.scratch<double>(3), &first);
  EXPECT_EQ(executing.scratch<char>(257), static_cast<void*>(&second));
  EXPECT_THROW(executing.scratch<char>(1), DeviceError);
  executing.on_host([&] { ran = true; });
  EXPECT_TRUE(ran);
}

// A question costs the host time, which is a variant's own where its launches do not hide it.
TEST(Queues, ALibraryIsAskedForItsTemporaryBytesOnce) {
  const std::unique_ptr<Device> host = make_host();
  const Parameters parameters;
  Footprint footprint;
  int questions = 0;
  std::vector<std::pair<void*, std::size_t>> calls;
  const auto run = [&](Queue& queue) {
    queue.scratch<char>(8);
    for (const std::size_t wanted : {100u, 300u})
      queue.library([&, wanted](void* temporary, std::size_t& bytes, void*) {
        if (temporary) {
          calls.emplace_back(temporary, bytes);
        } else {
          ++questions;
          bytes = wanted;
        }
        return 0;
      });
  };
  CaseQueue planning(*host, parameters, footprint);
  run(planning);
  EXPECT_EQ(questions, 2) << "one of each call";
  EXPECT_THAT(footprint.scratch, ElementsAre(8, 100, 300));
  EXPECT_TRUE(footprint.library);

  char memory[3];
  const std::vector<void*> scratch{memory, memory + 1, memory + 2};
  for (int i = 0; i < 3; ++i) {
    CaseQueue executing(*host, parameters, footprint, scratch);
    run(executing);
  }
  EXPECT_EQ(questions, 2) << "an execution asks";
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[4], std::make_pair(static_cast<void*>(memory + 1), std::size_t(100)));
  EXPECT_EQ(calls[5], std::make_pair(static_cast<void*>(memory + 2), std::size_t(300)));
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
