// Where the copies of a cell's inputs lie that graphs run over, and what they hold.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "src/cell/rotation.hpp"
#include "tests/fake_device.hpp"

namespace redbench {
namespace {

/// Runs what it is to capture at once, and counts it as one launch.
class FakeGpu : public FakeDevice {
 public:
  Target target() const override { return Target::cuda; }
  std::unique_ptr<Graph> capture(const std::function<void()>& work) override {
    struct One : Graph {
      void launch() override {}
      std::size_t nodes() const override { return 1; }
    };
    work();
    return std::make_unique<One>();
  }
  using FakeDevice::facts_;
};

/// What a rotation's case is given, and what lies there as it is captured.
struct Copy {
  const char *values, *labels, *offsets;
  std::string held;
};

// Values, labels and offsets lie behind each other, each from a multiple of 256 bytes on: 1024 of 1000, 768
// of 600 and 256 of 200. A case finds its own in every copy, whatever the others have of their inputs.
TEST(Rotation, EachCopyIsOfAllInputs) {
  FakeGpu gpu;
  static const Variant variant;
  const Case one{&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}};
  const auto copies = [&](std::size_t values, std::size_t labels, std::size_t offsets) {
    Inputs inputs;
    for (const auto& [buffer, bytes, byte] : {std::tuple(&inputs.values, values, 'v'),
                                              {&inputs.labels, labels, 'l'},
                                              {&inputs.offsets, offsets, 'o'}}) {
      *buffer = HostBuffer(bytes);
      std::memset(buffer->data.get(), byte, bytes);
    }
    Operands original;
    original.values = inputs.values.data.get();
    original.labels = inputs.labels.data.get();
    original.offsets = reinterpret_cast<const Index*>(inputs.offsets.data.get());
    original.result = &inputs;
    original.n = 77;
    std::vector<Copy> found;
    const Rotation rotation(
        gpu, {&one}, inputs, original,
        [&](const Case&, const Operands& x) {
          Copy copy{static_cast<const char*>(x.values),
                    static_cast<const char*>(x.labels),
                    reinterpret_cast<const char*>(x.offsets),
                    {}};
          for (const auto& [start, bytes] :
               {std::pair(copy.values, values), {copy.labels, labels}, {copy.offsets, offsets}})
            copy.held.append(start, bytes);
          EXPECT_EQ(x.result, &inputs);
          EXPECT_EQ(x.n, 77);
          found.push_back(copy);
        },
        [](const Case&, const std::string& why) { ADD_FAILURE() << why; }, [] {});
    EXPECT_EQ(found.size(), 1 + rotation.size().copies) << "once to count its launches";
    return found;
  };
  gpu.facts_.l2_bytes = 1800;
  for (const auto& [values, labels, offsets] :
       {std::tuple(1000u, 600u, 200u), {1000u, 0u, 0u}, {1000u, 600u, 0u}, {1000u, 0u, 200u}}) {
    const std::vector<Copy> all = copies(values, labels, offsets);
    ASSERT_EQ(all.size(), 1 + 5 * 1800 / (values + labels + offsets) + 1u);
    const std::string held = std::string(values, 'v') + std::string(labels, 'l') + std::string(offsets, 'o');
    const std::ptrdiff_t to_offsets = labels ? 1024 + 768 : 1024, stride = to_offsets + (offsets ? 256 : 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].held, held) << i;
      if (i < 2) continue;  // the original, which is the first copy
      EXPECT_EQ(all[i].labels - all[i].values, 1024) << i;
      EXPECT_EQ(all[i].offsets - all[i].values, to_offsets) << i;
      if (i == 2) continue;
      EXPECT_EQ(all[i].values - all[i - 1].values, stride) << i;
    }
  }
  // A copy takes 2048 bytes, and 20479 but for their eighth have room for 8 of them.
  gpu.free_ = 20479;
  gpu.facts_.l2_bytes = 1 << 20;
  EXPECT_EQ(copies(1000, 600, 200).size(), 1 + 1 + 8u);
  gpu.free_ = 18725;
  EXPECT_EQ(copies(1000, 600, 200).size(), 1 + 1 + 8u) << "18725 - 2340 = 16385";
  gpu.free_ = 18723;
  EXPECT_EQ(copies(1000, 600, 200).size(), 1 + 1 + 7u) << "18723 - 2340 = 16383";
}

TEST(Rotation, AsManyLaunchesAsTheQueueHoldsAreNotTooMany) {
  const FakeGpu gpu;
  const Variant variant;
  Case one{&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}};
  one.footprint.launches.resize(900);
  EXPECT_EQ(refusal_in(Mode::graph, one, gpu), "");
  one.footprint.launches.resize(901);
  EXPECT_EQ(refusal_in(Mode::graph, one, gpu),
            "mode graph: it launches 901 kernels, more than the 900 that the queue holds");
  EXPECT_EQ(refusal_in(Mode::cold, one, gpu), "");
  one.refusal = "it is too large";
  for (const Mode mode : {Mode::graph, Mode::cold}) EXPECT_EQ(refusal_in(mode, one, gpu), "it is too large");
}

}  // namespace
}  // namespace redbench
