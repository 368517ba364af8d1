// The registry and what a variant's `run` works on.
#include <gmock/gmock.h>

#include "src/device/device.hpp"
#include "src/registry.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(RegistryDeath, ANameUsedTwiceStopsTheProgram) {
  const Card card;
  EXPECT_EXIT(Registration("reduce/harris3", Target::simt, card, {{}}), testing::ExitedWithCode(exit_failed),
              "the variant reduce/harris3 is built in twice for simt: two files have this name");
}

TEST(Registry, EveryVariantHasItsSource) {
  for (const Variant& variant : variants()) {
    EXPECT_TRUE(exists(std::filesystem::path(REDBENCH_SOURCE_DIR) / variant.source)) << variant.name;
    EXPECT_EQ(variant.source_hash.size(), 16u) << variant.name;
  }
  EXPECT_EQ(find_variant("reduce/harris3")->source, "kernels/reduce/harris3.cu");
  EXPECT_EQ(find_variant("reduce/harris33"), nullptr);
}

TEST(Errors, NearestMatch) {
  const std::vector<std::string> names{"harris1", "harris2", "diffwarps"};
  EXPECT_EQ(nearest_match("haris2", names), "; did you mean `harris2`?");
  EXPECT_EQ(nearest_match("DIFFWARPS", names), "; did you mean `diffwarps`?");
  EXPECT_EQ(nearest_match("difwraps", names), "; did you mean `diffwarps`?");  // neighbours swapped
  EXPECT_EQ(nearest_match("completely", names), "");
  EXPECT_EQ(nearest_match("", names), "");
  EXPECT_EQ(nearest_match("x", {}), "");
  EXPECT_EQ(nearest_match(std::string(100000, 'x'), names), "");
  EXPECT_EQ(alternatives({"a"}), "`a`");
  EXPECT_EQ(alternatives({"a", "b", "c"}), "`a`, `b` or `c`");
}

TEST(Queues, AskForTheSameWhenPlannedAndExecuted) {
  const std::unique_ptr<Device> host = make_host();
  const Parameters parameters{{"block", 64}};
  Footprint footprint;
  Queue planning(*host, parameters, footprint);
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
  Queue executing(*host, parameters, footprint, scratch);
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
  Queue planning(*host, parameters, footprint);
  run(planning);
  EXPECT_EQ(questions, 2) << "one of each call";
  EXPECT_THAT(footprint.scratch, ElementsAre(8, 100, 300));
  EXPECT_TRUE(footprint.library);

  char memory[3];
  const std::vector<void*> scratch{memory, memory + 1, memory + 2};
  for (int i = 0; i < 3; ++i) {
    Queue executing(*host, parameters, footprint, scratch);
    run(executing);
  }
  EXPECT_EQ(questions, 2) << "an execution asks";
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[4], std::make_pair(static_cast<void*>(memory + 1), std::size_t(100)));
  EXPECT_EQ(calls[5], std::make_pair(static_cast<void*>(memory + 2), std::size_t(300)));
}

TEST(Queues, AParameterThatIsNotOnTheCardIsABug) {
  const std::unique_ptr<Device> host = make_host();
  const Parameters parameters{{"block", 64}, {"items", 4}};
  Footprint footprint;
  const Queue queue(*host, parameters, footprint);
  EXPECT_EQ(queue.parameter("items"), 4);
  try {
    queue.parameter("blok");
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("`blok`, its card has `block` or `items`"));
  }
}

}  // namespace
}  // namespace redbench
