// How much memory a rotation's copies take, and how many there are for each size, L2 and room.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "src/cell/rotation.hpp"
#include "tests/fake_device.hpp"

namespace redbench {
namespace {

class FakeGpu : public FakeDevice {
 public:
  explicit FakeGpu(std::size_t l2_bytes) { facts_.l2_bytes = l2_bytes; }
  Target target() const override { return Target::cuda; }
  std::unique_ptr<Graph> capture(const std::function<void()>& work) override {
    struct Counted : Graph {
      explicit Counted(std::size_t nodes) : nodes_(nodes) {}
      void launch() override {}
      std::size_t nodes() const override { return nodes_; }
      std::size_t nodes_;
    };
    work();
    return std::make_unique<Counted>(nodes_);
  }
  void* allocate(std::size_t bytes) override {
    allocated_.push_back(bytes);
    return FakeDevice::allocate(bytes);
  }
  std::vector<std::size_t> allocated_;
  std::size_t nodes_ = 1;  // of each graph
};

// Each copy takes 1024 + 768 + 256 bytes, and the original is there already.
TEST(RotationMemory, IsOfAllCopiesButTheOriginal) {
  FakeGpu gpu(1800);
  const Variant variant;
  const Case one{&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}};
  Inputs inputs;
  inputs.values = HostBuffer(1000);
  inputs.labels = HostBuffer(600);
  inputs.offsets = HostBuffer(200);
  int signs = 0;
  Rotation rotation(
      gpu, {&one}, inputs, {}, [](const Case&, const Operands&) {},
      [](const Case&, const std::string& why) { ADD_FAILURE() << why; }, [&] { ++signs; });
  EXPECT_EQ(rotation.size().copies, 6u);
  EXPECT_EQ(rotation.size().graphs, 1u);
  EXPECT_TRUE(rotation.size().beyond_l2);
  EXPECT_EQ(gpu.allocated_, std::vector<std::size_t>{5 * 2048});
  EXPECT_EQ(signs, 3) << "tried, copied and captured";
  EXPECT_EQ(rotation.next(one).runs, 6u);
  EXPECT_EQ(rotation.next(one).runs, 6u);
}

// What the queue holds is known of a graph once it is captured.
TEST(RotationMemory, AsManyNodesAsTheQueueHoldsAreRun) {
  for (const auto& [nodes, refused] :
       {std::pair<std::size_t, std::string>(900, ""),
        {901, "mode graph: it launches 901 kernels, more than the 900 that the queue holds"}}) {
    FakeGpu gpu(1800);
    gpu.nodes_ = nodes;
    const Variant variant;
    const Case one{&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}};
    Inputs inputs;
    inputs.values = HostBuffer(1000);
    std::string why;
    const Rotation rotation(
        gpu, {&one}, inputs, {}, [](const Case&, const Operands&) {},
        [&](const Case&, const std::string& said) { why = said; }, [] {});
    EXPECT_EQ(why, refused);
    EXPECT_EQ(gpu.allocated_.size(), refused.empty() ? 1u : 0u);
    EXPECT_EQ(rotation.size().graphs, refused.empty() ? rotation.size().copies : 1u) << "a run each";
  }
}

// 900 launches of a graph at most, 16384 of all, five times the L2 to exceed, and the room for copies.
TEST(RotationMemory, EachLimitHasItsCopiesAndGraphs) {
  struct {
    std::size_t bytes, l2, room, launches, copies, graphs;
    bool beyond;
  } const cases[] = {{1000, 1000, 1 << 20, 1, 6, 1, true},
                     {1000, 1000, 4999, 1, 5, 1, false},  // just as much is not beyond
                     {1000, 999, 4000, 1, 5, 1, true},
                     {1000, 999, 3999, 1, 4, 1, false},
                     {1000, 400, 1000, 1, 2, 1, false},
                     {1000, 399, 1000, 1, 2, 1, true},
                     {1000, 399, 999, 1, 1, 1, false},
                     {16, 1 << 20, 1 << 30, 0, 16384, 19, false},
                     {16, 1 << 20, 1 << 30, 1, 16384, 19, false},
                     {16, 1 << 20, 1 << 30, 7, 2340, 19, false},
                     {16, 1 << 20, 1 << 30, 450, 36, 18, false},
                     {16, 1 << 20, 1 << 30, 451, 36, 36, false},
                     {16, 1 << 20, 1 << 30, 900, 18, 18, false},
                     {0, 1000, 1 << 20, 1, 5001, 6, false}};
  for (const auto& [bytes, l2, room, launches, copies, graphs, beyond] : cases) {
    const RotationSize size = rotation_size(bytes, l2, room, launches);
    EXPECT_EQ(size.copies, copies) << bytes << ' ' << l2 << ' ' << room << ' ' << launches;
    EXPECT_EQ(size.graphs, graphs) << bytes << ' ' << l2 << ' ' << room << ' ' << launches;
    EXPECT_EQ(size.beyond_l2, beyond) << bytes << ' ' << l2 << ' ' << room << ' ' << launches;
    EXPECT_EQ(size.first(0), 0u);
    EXPECT_EQ(size.first(graphs), copies);
  }
}

}  // namespace
}  // namespace redbench
