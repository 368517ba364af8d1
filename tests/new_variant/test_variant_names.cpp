// Which names a new variant may have.
#include "src/new_variant/variant_names.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace redbench {
namespace {

TEST(VariantNames, WordsThatMeanSomethingElseAreRefused) {
  for (const auto& [words, what] :
       {std::pair("class alignas co_await xor_eq final override char8_t", "a word of C++"),
        {"NULL A B2_ INT_MAX", "written as macros are, in capitals"},
        {"abort errno std size_t int_fast16_t be32toh", "a name of the C++ library"},
        {"threadIdx dim3 float4 ulonglong1 half2 min atomicAdd cudaMalloc make_float4", "a name of CUDA"},
        {"redbench on_simt u16 Histogram SegReducePairs grid_sync", "a name of redbench"}}) {
    std::istringstream names(words);
    for (std::string name; names >> name;) EXPECT_EQ(why_no_variant_name(name), "`" + name + "` is " + what);
  }
  // What has such a word as a part is free.
  for (const char* name : {"mine", "harris8", "classes", "Min2", "minimum", "aborts", "float5", "cuda", "cub",
                           "half_warp", "on_gpu", "Histograms", "u32x", "x", "a_", "a_1"})
    EXPECT_EQ(why_no_variant_name(name), "") << name;
  EXPECT_EQ(why_no_variant_name(std::string(60, 'x')), "");
  for (const std::string& name :
       {std::string(61, 'x'), std::string(100000, 'x'), std::string(), std::string("1st"), std::string("_x"),
        std::string("a__b"), std::string("a-b"), std::string("a b"), std::string("a\n"), std::string("ä")})
    EXPECT_EQ(
        why_no_variant_name(name),
        "`" + name + "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60");
}

}  // namespace
}  // namespace redbench
