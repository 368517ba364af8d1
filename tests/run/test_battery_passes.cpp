// Sizes of the battery that take several passes, on a device whose grids are so wide that some are too many.
#include <gtest/gtest.h>

#include "src/run/worker.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// The experiments that go on to a size above 2^17: "i32 sum n=1,2 m=16".
std::vector<std::string> of_many(const std::vector<Experiment>& experiments) {
  std::vector<std::string> lines;
  for (const Experiment& one : experiments) {
    std::string pair, axes;
    bool many = false;
    for (const auto& [name, values] : one.axes) {
      std::string list;
      for (const Json& value : values)
        list += (list.empty() ? "" : ",") + (value.is_string() ? value.get<std::string>() : value.dump());
      if (name == "n") many = values.back() > (1 << 17);
      if (name == "type" || name == "operator") pair += list + " ";
      else axes += (axes.empty() ? "" : " ") + name + "=" + list;
    }
    if (many) lines.push_back(pair + axes);
  }
  return lines;
}

// What a grid covers once, and one more, is worth a case where that is more than goes through anyway, and
// less than twice as much.
TEST(BatteryPasses, AreThoseOfGridsThatCoverALittleMore) {
  OpenDevices open{"simt:h200"};
  const auto sizes = [&](const char* variant, Breadth breadth) {
    return of_many(make_battery("^" + std::string(variant) + "$", breadth, open.devices()).experiments);
  };
  using Lines = std::vector<std::string>;
  // 1024 blocks of 256 threads for 1048577, 1025 inputs each; 2048 of them would cover 2103296, too many.
  EXPECT_EQ(sizes("reduce/shuffle_block_atomic_vec4", Breadth::whole),
            (Lines{"i32 sum n=1024,1025,1026,100003,262143,262144,262145,1048577", "f32 sum n=1048577"}));
  // 128 blocks for 131073.
  EXPECT_EQ(sizes("reduce/shuffle_block_atomic_vec4", Breadth::few),
            (Lines{"i32 sum n=1024,1025,1026,32767,32768,32769,100003,131073"}));
  // 513 blocks of 256 for 131073. The 1056 that there may be go twice over 4 times as many, so 1025 do, which
  // cover 262400: more than 2 * 131073 = 262146.
  EXPECT_EQ(sizes("gather/naive", Breadth::few), (Lines{"i32 right n=255,256,257,100003,131073 m=16"}));
  // For 4 times as many 15 blocks of 12288 inputs and 16 of 10924, which is 184320 and 174784.
  EXPECT_EQ(sizes("multireduce/global_transposed", Breadth::few),
            (Lines{"i32 sum n=31,32,33,100003,131073,174785,184321 m=16",
                   "u32 affine n=31,32,33,100003,131073,174785,184321 m=16"}));
}

}  // namespace
}  // namespace redbench
