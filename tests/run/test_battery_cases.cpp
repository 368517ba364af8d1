// The whole battery of a few variants, case by case: sizes around their tiles and around what they cover, the
// pairs that differ, each parameter, each shape.
#include <gtest/gtest.h>

#include "src/run/worker.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Lists that come again and again, by a name.
const std::pair<const char*, const char*> known_lists[] = {
    {"TILES",
     "0,1,2,3,31,32,33,63,64,65,127,128,129,255,256,257,511,512,513,1009,1023,1024,1025,2047,2048,2049,4095,"
     "4096,4097"},
    {"KINDS", "degenerate,sequential,sorted,reversed,zipf:1,runs:40,missing"},
    {"COUNTS", "1,2,3,31,32,33,255,257,1023,1024,1031"},
    {"SHAPES",
     "one,fixed:1,fixed:3,fixed:3+empty,uniform:0..6,uniform:1..3000,geometric:0.5,fixed:511,fixed:512,fixed:"
     "513,"
     "zipf:1.5"}};

std::string joined(const std::vector<Json>& values) {
  std::string text;
  for (const Json& value : values)
    text += (text.empty() ? "" : ",") + (value.is_string() ? value.get<std::string>() : value.dump());
  for (const auto& [name, list] : known_lists)
    if (text == list) return name;
  return text;
}

/// "n=1,33 block=32,64: i32 sum, u32 affine": a line for each experiment, one for neighbours that differ in
/// their pair alone.
std::string text_of(const std::vector<Experiment>& experiments) {
  std::string text, before;
  for (const Experiment& one : experiments) {
    std::string axes, pair;
    for (const auto& [name, values] : one.axes)
      if (name == "type") pair = joined(values);
      else if (name == "operator") pair += " " + joined(values);
      else axes += (axes.empty() ? "" : " ") + name + "=" + joined(values);
    if (axes == before) text += ", " + pair;
    else text += (text.empty() ? "" : "\n") + axes + ": " + pair;
    before = axes;
  }
  return text + '\n';
}

struct WholeBattery {
  const char* variant;
  Breadth breadth;
  const char* text;
};

// The bug: a size, a pair, a value or a shape that was left out, and with it what breaks at it alone.
TEST(BatteryCases, AreTheseOfEachKindOfVariant) {
  const WholeBattery all[] = {
      // Its block of 256 threads takes 512 inputs: 257 blocks for 131073, which with an input a thread
      // take 65792.
      {"reduce/tb2", Breadth::few, R"(
n=TILES: i32 sum, c64 sum, u32 affine, f16 min
n=1,1000,10007 block=32,64,128,256,512,1024: i32 sum
n=510,511,512,65791,65792,65793,100003,131073: i32 sum
n=1,1000,10007 block=32,64,128,256,512,1024: u32 affine
n=510,511,512,65791,65792,65793,100003,131073: u32 affine
scheduled n=33,1000,10007: i32 sum, u32 affine
)"},
      // Segments are around the tile, too.
      {"segreduce/tb2", Breadth::few, R"(
n=TILES given=owners,offsets: i32 sum, c64 sum, u32 affine, f16 min
n=1,1000,10007 given=owners,offsets block=32,64,128,256,512,1024: i32 sum
n=510,511,512,65791,65792,65793,100003,131073 given=owners,offsets: i32 sum
n=1,1000,10007 given=owners,offsets block=32,64,128,256,512,1024: u32 affine
n=510,511,512,65791,65792,65793,100003,131073 given=owners,offsets: u32 affine
n=33,513,1009 given=owners,offsets segments=SHAPES: i32 sum, u32 affine, c64 sum, f16 min
scheduled n=33,1000,10007 given=owners,offsets: i32 sum, u32 affine
)"},
      // Results of u32 of elements of u8 are the pair with most traits. 4097 blocks of 256 for 1048577.
      {"histogram/global_atomic", Breadth::whole, R"(
n=TILES: u32 sum, u8 sum
n=1,1000,10007 block=32,64,224,256,288,1024: u8 sum
n=255,256,257,100003,1048577: u8 sum
n=1,31,32,33,255,256,257,769,1009,10007 labels=KINDS: u8 sum
n=33,257,1009 labels=KINDS m=1,1031: u8 sum
n=1,31,32,33,255,256,257,769,1009,10007 m=COUNTS: u8 sum
n=33,257,1009 m=COUNTS labels=degenerate,missing: u8 sum
n=33,257,1009 labels=KINDS: u32 sum
n=33,257,1009 m=COUNTS: u32 sum
scheduled n=33,1000,10007: u8 sum
)"},
      // It takes 64 labels at the most, and has 3 blocks of 192 threads for 131073.
      {"histogram/podlozhnyuk64", Breadth::few, R"(
n=TILES m=64: u8 sum
n=1,1000,10007 m=64 fills=1,2,65536: u8 sum
n=575,576,577,43690,43691,43692,100003,131073 m=16: u8 sum
n=33,1009 m=64 labels=KINDS: u8 sum
n=33,1009 m=COUNTS: u8 sum
scheduled n=33,1000,10007 m=64: u8 sum
)"},
      // A small one has few labels where they are not what is tried.
      {"multireduce/minimal", Breadth::small, R"(
n=1,33,1009,10007 m=16: i32 sum
n=1009 block=32,64,224,256,288,1024: i32 sum
n=1009 per_sm=1,2,7,8,9,64: i32 sum
n=1009 values=exact,equal,extreme: i32 sum
n=1009 labels=KINDS: i32 sum
n=1009 m=COUNTS: i32 sum
n=1,33,1009,10007 m=16: u32 affine
n=1009 block=32,64,224,256,288,1024: u32 affine
n=1009 per_sm=1,2,7,8,9,64: u32 affine
n=1009 values=exact,equal,extreme: u32 affine
n=1009 labels=KINDS: u32 affine
n=1009 m=COUNTS: u32 affine
scheduled n=33,1000,10007: i32 sum, u32 affine
)"},
      // One with the default m of 256 has a block for each input: nothing is around what they cover.
      {"multireduce/vector_reduce", Breadth::few, R"(
n=TILES: i32 sum, f32 sum, i32 min, u32 affine
n=1,1000,10007 block=32,64,128,256,512,1024: i32 sum
n=100003,131073 m=16: i32 sum
n=1,1000,10007 block=32,64,128,256,512,1024: u32 affine
n=100003,131073 m=16: u32 affine
n=33,1009 labels=KINDS: i32 sum
n=33,1009 m=COUNTS: i32 sum
n=33,1009 labels=KINDS: u32 affine
n=33,1009 m=COUNTS: u32 affine
n=33,1009 labels=KINDS: f32 sum
n=33,1009 m=COUNTS: f32 sum
n=33,1009 labels=KINDS: i32 min
n=33,1009 m=COUNTS: i32 min
scheduled n=33,1000,10007: i32 sum, u32 affine
)"},
      // 2049 blocks of 64 threads, with an input each, then as many of one thread: the first are the widest.
      {"multireduce/wrong_label_dropped", Breadth::few, R"(
n=TILES: i32 sum, f32 sum, u32 affine
n=63,64,65,100003,131073 m=16: i32 sum, u32 affine
n=33,65,1009 labels=KINDS: i32 sum
n=33,65,1009 m=COUNTS: i32 sum
n=33,65,1009 labels=KINDS: u32 affine
n=33,65,1009 m=COUNTS: u32 affine
n=33,65,1009 labels=KINDS: f32 sum
n=33,65,1009 m=COUNTS: f32 sum
scheduled n=33,1000,10007: i32 sum, u32 affine
)"},
      // Up to 16 blocks of 384 threads cover 138240 by 22.5 and 131088 by 21.3 inputs a thread.
      {"multireduce/global_transposed", Breadth::few, R"(
n=TILES: i32 sum, f32 sum, i32 min, u32 affine
n=1,1000,10007 block=32,64,352,384,416,1024: i32 sum
n=1,1000,10007 blocks=1,2,15,16,17,4096: i32 sum
n=1,1000,10007 items=0,1,32: i32 sum
n=23,24,25,100003,131073,131089,138241 m=16: i32 sum
n=1,1000,10007 block=32,64,352,384,416,1024: u32 affine
n=1,1000,10007 blocks=1,2,15,16,17,4096: u32 affine
n=1,1000,10007 items=0,1,32: u32 affine
n=23,24,25,100003,131073 m=16: u32 affine
n=25,33,1009 labels=KINDS: i32 sum
n=25,33,1009 m=COUNTS: i32 sum
n=9,33,1009,3073 labels=KINDS: u32 affine
n=9,33,1009,3073 m=COUNTS: u32 affine
n=25,33,1009 labels=KINDS: f32 sum
n=25,33,1009 m=COUNTS: f32 sum
n=25,33,1009 labels=KINDS: i32 min
n=25,33,1009 m=COUNTS: i32 min
scheduled n=33,1000,10007: i32 sum, u32 affine
)"},
      // Each form of a case, and the whole of a battery.
      {"multiscan/sequential_global", Breadth::whole, R"(
n=TILES scan=exclusive,inclusive: i32 sum
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: i32 sum
n=TILES scan=exclusive,inclusive: u32 sum
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: u32 sum
n=TILES scan=exclusive,inclusive: f32 sum
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: f32 sum
n=TILES scan=exclusive,inclusive: i32 min
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: i32 min
n=TILES scan=exclusive,inclusive: i32 right
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: i32 right
n=TILES scan=exclusive,inclusive: u32 affine
n=1,1000,10007 scan=exclusive,inclusive values=exact,equal,extreme: u32 affine
n=1,1000,10007 scan=exclusive,inclusive block=32,64,224,256,288,1024: i32 sum
n=1,1000,10007 scan=exclusive,inclusive blocks=1,2,23,24,25,4096: i32 sum
n=1,1000,10007 scan=exclusive,inclusive items=8,16,32: i32 sum
n=1,1000,10007 scan=exclusive,inclusive write=0,1: i32 sum
n=175,176,177,100003,1048577 scan=exclusive,inclusive: i32 sum
n=1,1000,10007 scan=exclusive,inclusive block=32,64,224,256,288,1024: u32 affine
n=1,1000,10007 scan=exclusive,inclusive blocks=1,2,23,24,25,4096: u32 affine
n=1,1000,10007 scan=exclusive,inclusive items=8,16,32: u32 affine
n=1,1000,10007 scan=exclusive,inclusive write=0,1: u32 affine
n=175,176,177,100003,1048577 scan=exclusive,inclusive: u32 affine
n=1,7,8,9,25,31,32,33,63,64,65,193,1009,2047,2048,2049,6145,10007 scan=exclusive,inclusive labels=KINDS: i32 sum
n=9,33,65,1009,2049 scan=exclusive,inclusive labels=KINDS m=1,1031: i32 sum
n=1,7,8,9,25,31,32,33,63,64,65,193,1009,2047,2048,2049,6145,10007 scan=exclusive,inclusive m=COUNTS: i32 sum
n=9,33,65,1009,2049 scan=exclusive,inclusive m=COUNTS labels=degenerate,missing: i32 sum
n=1,7,8,9,25,31,32,33,63,64,65,193,1009,2047,2048,2049,6145,10007 scan=exclusive,inclusive labels=KINDS: u32 affine
n=9,33,65,1009,2049 scan=exclusive,inclusive labels=KINDS m=1,1031: u32 affine
n=1,7,8,9,25,31,32,33,63,64,65,193,1009,2047,2048,2049,6145,10007 scan=exclusive,inclusive m=COUNTS: u32 affine
n=9,33,65,1009,2049 scan=exclusive,inclusive m=COUNTS labels=degenerate,missing: u32 affine
n=9,33,65,1009,2049 scan=exclusive,inclusive labels=KINDS: f32 sum
n=9,33,65,1009,2049 scan=exclusive,inclusive m=COUNTS: f32 sum
n=9,33,65,1009,2049 scan=exclusive,inclusive labels=KINDS: i32 min
n=9,33,65,1009,2049 scan=exclusive,inclusive m=COUNTS: i32 min
n=1048577 scan=exclusive,inclusive: f32 sum
scheduled n=33,1000,10007 scan=exclusive,inclusive: i32 sum, u32 affine
)"},
  };
  OpenDevices open{"simt:gtx480"};
  for (const WholeBattery& one : all) {
    const Battery battery = make_battery("^" + std::string(one.variant) + "$", one.breadth, open.devices());
    EXPECT_EQ("\n" + text_of(battery.experiments) + "scheduled " + text_of(battery.scheduled), one.text)
        << one.variant;
    const std::string name = one.variant;
    for (const Experiment& experiment : battery.experiments) {
      EXPECT_EQ(experiment.problem, name.substr(0, name.find('/')));
      EXPECT_EQ(experiment.variants, std::vector<std::string>{name.substr(name.find('/') + 1)});
    }
  }
}

}  // namespace
}  // namespace redbench
