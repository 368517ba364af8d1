// What is said of a name that a new variant cannot have, to the word.
#include <gtest/gtest.h>

#include "src/new_variant/variant_names.hpp"

namespace redbench {
namespace {

TEST(VariantNameWords, SayWhatTheNameIsAlready) {
  const std::pair<const char*, const char*> taken[] = {
      {"class", "a word of C++"},
      {"alignas", "a word of C++"},
      {"xor_eq", "a word of C++"},
      {"NULL", "written as macros are, in capitals"},
      {"A", "written as macros are, in capitals"},
      {"B2_", "written as macros are, in capitals"},
      {"abort", "a name of the C++ library"},
      {"int_fast16_t", "a name of the C++ library"},
      {"ssize_t", "a name of the C++ library"},
      {"be32toh", "a name of the C++ library"},
      {"float4", "a name of CUDA"},
      {"ulonglong1", "a name of CUDA"},
      {"cudaMalloc", "a name of CUDA"},
      {"nv_bfloat162", "a name of CUDA"},
      {"on_simt", "a name of redbench"},
      {"Histogram", "a name of redbench"},
      {"SegReducePairs", "a name of redbench"},
      {"grid_sync", "a name of redbench"},
      {"u16", "a name of redbench"},
  };
  for (const auto& [name, what] : taken)
    EXPECT_EQ(why_no_variant_name(name), "`" + std::string(name) + "` is " + what);
  // A part of such a word, or more than it, is free.
  for (const char* name : {"classes", "xor_", "Null", "aB", "aborts", "int_fast17_t", "be32to", "float5",
                           "cuda", "nv_half3", "on_gpu", "Histograms", "grid_sync_", "u32x"})
    EXPECT_EQ(why_no_variant_name(name), "") << name;
}

// The bug: a name that some file system or listing cuts off, or one that C++ keeps for itself.
TEST(VariantNameWords, SayWhatANameIsMadeOf) {
  const std::string rule =
      "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60";
  const std::string longest(60, 'x');
  EXPECT_EQ(why_no_variant_name(longest), "");
  for (const std::string& name :
       {longest + "x", longest + "_", std::string(), std::string("_"), std::string("7"), std::string("a__"),
        std::string("a.b"), std::string("a\nb"), std::string("class ")})
    EXPECT_EQ(why_no_variant_name(name), "`" + name + rule);
  for (const char* name : {"x", "z9", "a_", "a_1", "a_b_c_"})
    EXPECT_EQ(why_no_variant_name(name), "") << name;
}

}  // namespace
}  // namespace redbench
