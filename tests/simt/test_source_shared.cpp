// The static shared memory of each kind of kernel: its own, of functions that it calls, of several variables.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/simt/source.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

// Of the listings in tests/simt/*.cu: names and bytes, in the order of the names, and each at a multiple
// of 16.
TEST(KernelSource, SharedMemoryIsThatOfTheListing) {
  struct {
    const char *kernel, *variables;
    std::size_t bytes;
  } const cases[] = {{"indices", "", 0},
                     {"reverse", "s 4096", 4096},
                     {"producer_consumer", "buffer 256", 256},
                     {"grid_keeps_shared", "mine 4", 16},
                     {"grid_of_wide_blocks", "s 16000", 16000},
                     {"spins_on_thread", "flag 4", 16},
                     {"unwritten_static", "s 256", 256},
                     {"shared_in_function", "box 8, small 10", 32},
                     {"shared_behind_two_calls", "kept 12", 16},
                     {"race_bytes", "bytes 64", 64},
                     {"race_halfwords", "pairs 128", 128},
                     {"race_structs", "s 260", 272},
                     {"race_atomic", "sum 4", 16},
                     {"race_last_block", "is_last 1", 16},
                     {"pair_of_words", "s 132", 144}};
  for (const auto& [kernel, variables, bytes] : cases) {
    const simt::KernelSource& source =
        simt::kernel_source(reinterpret_cast<const void*>(test_kernels().at(kernel).kernel));
    EXPECT_EQ(source.name, kernel);
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

// The same memory for all who call it, and none for two variables.
TEST(KernelSource, VariablesDoNotOverlap) {
  std::map<std::size_t, std::pair<std::string, std::size_t>> places;  // by offset: name, bytes
  for (const auto& [name, entry] : test_kernels())
    for (const simt::SharedVariable& one :
         simt::kernel_source(reinterpret_cast<const void*>(entry.kernel)).shared) {
      const auto [place, is_new] = places.emplace(one.offset, std::pair(one.name, one.bytes));
      EXPECT_EQ(place->second, std::pair(one.name, one.bytes)) << name;
    }
  EXPECT_GT(places.size(), 20u);
  std::size_t end = 0;
  for (const auto& [offset, variable] : places) {
    EXPECT_GE(offset, end) << variable.first;
    end = offset + variable.second;
  }
}

}  // namespace
}  // namespace redbench
