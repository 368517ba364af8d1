// Names of kernels as records have them, from the symbols of the program.
#include <gtest/gtest.h>

#include <utility>

#include "src/simt/source.hpp"

namespace redbench {
namespace {

TEST(KernelNames, AreThoseUnderNvcc) {
  const auto name = [](const char* symbol) { return simt::short_name(simt::demangled(symbol)); };
  EXPECT_EQ(name("_ZN8redbench7on_simt11fill_kernelIDF16_EEvPT_lS2_"), "fill_kernel<__half>");
  EXPECT_EQ(
      name("_ZN8redbench12_GLOBAL__N_114segmented_treeINS_7on_simt3MaxIDF16_EEEEvPKNT_5ValueEPKjlPS6_NS2_"
           "7CarriesIS6_EE"),
      "segmented_tree<Max<__half>>");
  EXPECT_EQ(name("_ZN8redbench7on_simt11half_kernelILi256EEEvPi"), "half_kernel<256>");
  EXPECT_EQ(name("main"), "main");
  EXPECT_EQ(simt::short_name(
                "void redbench::(anonymous namespace)::tree<redbench::on_simt::Sum<int> >(int const*)"),
            "tree<Sum<int>>");
  EXPECT_EQ(simt::short_name("tree<redbench::Sum<int> >"), "tree<Sum<int>>") << "without a return type";
}

// Of a demangled name only its own part stays: neither what it returns nor what it takes.
TEST(KernelNames, AreCutAtTheRightBrackets) {
  for (const auto& [whole, kernel] :
       {std::pair("void redbench::plain(int const*, int*)", "plain"),
        {"redbench::plain(int (*)(int), int*)", "plain"},
        {"unsigned long redbench::on_simt::counts(int*)", "counts"},
        {"void redbench::by_kind<(redbench::Kind)1>(int*)", "by_kind<(Kind)1>"},
        {"void redbench::by_kind<(redbench::Kind)1, unsigned int>(int*)", "by_kind<(Kind)1, unsigned int>"},
        {"std::pair<int, int> redbench::two<std::pair<int, (redbench::Kind)2> >(int*)",
         "two<std::pair<int, (Kind)2>>"},
        {"void redbench::box<unsigned int>::fill(int*)", "box<unsigned int>::fill"},
        {"void redbench::(anonymous namespace)::hidden<redbench::(anonymous namespace)::Add>(int)",
         "hidden<Add>"},
        {"void redbench::sorts<&redbench::operator< >", "sorts<&operator< >"},
        {"a<b<c<int> > >", "a<b<c<int>>>"},
        {"main", "main"}})
    EXPECT_EQ(simt::short_name(whole), kernel) << whole;
}

}  // namespace
}  // namespace redbench
