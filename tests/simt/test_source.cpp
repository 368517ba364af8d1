// What the program's DWARF tells of a kernel: its name, its file, and its shared memory.
#include "src/simt/source.hpp"

#include <algorithm>

#include "src/simt/model.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

const simt::KernelSource& source_of(const std::string& kernel) {
  return simt::kernel_source(reinterpret_cast<const void*>(test_kernels().at(kernel).kernel));
}

// A kernel in an unnamed namespace is of its file; any other may be in several, from a header.
TEST(KernelSource, NameAndFile) {
  EXPECT_EQ(source_of("indices").name, "indices");
  EXPECT_EQ(source_of("indices").file, "tests/simt/memory.cu");
  const simt::KernelSource& shared = simt::kernel_source(reinterpret_cast<const void*>(&simt::load_model));
  EXPECT_EQ(shared.name, "simt::load_model");
  EXPECT_EQ(shared.file, "");
  const std::vector<int> no_function(1);
  EXPECT_EQ(simt::kernel_source(no_function.data()).name, "an unnamed kernel");
}

TEST(KernelSource, ALineIsFileAndNumberOrUnknown) {
  EXPECT_EQ(simt::to_string({"kernels/reduce/harris3.cu", 17}), "kernels/reduce/harris3.cu:17");
  EXPECT_EQ(simt::to_string({"kernels/reduce/harris3.cu", 0}), "an unknown line");
  EXPECT_EQ(simt::line_of_call(nullptr), simt::SourceLine());
}

// Of the listings in tests/simt/*.cu: names and bytes, in the order of the names, and each at a multiple
// of 16.
TEST(KernelSource, SharedMemoryIsThatOfTheListing) {
  struct {
    const char *kernel, *variables;
    std::size_t bytes;
  } const cases[] = {{"indices", "", 0},
                     {"reverse", "s 4096", 4096},
                     {"producer_consumer", "buffer 256", 256},
                     {"spins_on_thread", "flag 4", 16},
                     {"unwritten_static", "s 256", 256},
                     {"shared_in_function", "box 8, small 10", 32},
                     {"shared_behind_a_call", "kept 12", 16},
                     {"shared_behind_two_calls", "kept 12", 16},
                     {"race_structs", "s 260", 272},
                     {"race_last_block", "is_last 1", 16}};
  for (const auto& [kernel, variables, bytes] : cases) {
    const simt::KernelSource& source = source_of(kernel);
    EXPECT_EQ(source.shared_bytes, bytes) << kernel;
    std::vector<std::string> found;
    for (const simt::SharedVariable& one : source.shared)
      found.push_back(one.name + " " + std::to_string(one.bytes));
    std::ranges::sort(found);
    std::string text;
    for (const std::string& one : found) text += (text.empty() ? "" : ", ") + one;
    EXPECT_EQ(text, variables) << kernel;
  }
}

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
