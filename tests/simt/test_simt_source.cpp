// What the program's DWARF tells of a kernel: its name, its file, and its shared memory.
#include "src/simt/source.hpp"

#include <algorithm>

#include "src/simt/model.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

const simt::KernelSource& source_of(const char* kernel) {
  return simt::kernel_source(reinterpret_cast<const void*>(test_kernels().at(kernel).kernel));
}

TEST(KernelSource, AKernelInAnUnnamedNamespaceIsOfItsFile) {
  EXPECT_EQ(source_of("indices").name, "indices");
  EXPECT_EQ(source_of("indices").file, "tests/simt/memory.cu");
  EXPECT_EQ(source_of("reverse").file, "tests/simt/barriers.cu");
}

// Several files may have it from a header.
TEST(KernelSource, AnyOtherIsOfNoFile) {
  const simt::KernelSource& source = simt::kernel_source(reinterpret_cast<const void*>(&simt::load_model));
  EXPECT_EQ(source.name, "simt::load_model");
  EXPECT_EQ(source.file, "");
}

TEST(KernelSource, AnAddressOfNoFunctionIsAnUnnamedKernel) {
  const std::vector<int> nothing(1);
  const simt::KernelSource& source = simt::kernel_source(nothing.data());
  EXPECT_EQ(source.name, "an unnamed kernel");
  EXPECT_EQ(source.file, "");
  EXPECT_TRUE(source.shared.empty());
  EXPECT_EQ(source.shared_bytes, 0u);
}

TEST(KernelSource, SharedVariablesHaveTheirNamesAndBytesAndComeByTheirPlaces) {
  const auto bytes_of = [](const char* kernel) {
    std::map<std::string, std::size_t> bytes;
    for (const simt::SharedVariable& variable : source_of(kernel).shared)
      bytes[variable.name] = variable.bytes;
    return bytes;
  };
  EXPECT_EQ(bytes_of("shared_in_function"), (std::map<std::string, std::size_t>{{"small", 10}, {"box", 8}}));
  EXPECT_EQ(bytes_of("producer_consumer"), (std::map<std::string, std::size_t>{{"buffer", 256}}));
  EXPECT_EQ(bytes_of("shared_behind_two_calls"), (std::map<std::string, std::size_t>{{"kept", 12}}));
  EXPECT_TRUE(bytes_of("indices").empty());
  for (const auto& [name, entry] : test_kernels()) {
    const simt::KernelSource& source = source_of(name.c_str());
    EXPECT_TRUE(std::ranges::is_sorted(source.shared, {}, &simt::SharedVariable::offset)) << name;
    std::size_t bytes = 0;
    for (const simt::SharedVariable& variable : source.shared) {
      EXPECT_LE(variable.offset + variable.bytes, simt::thread_storage_bytes()) << name;
      bytes += (variable.bytes + 15) / 16 * 16;
    }
    EXPECT_EQ(source.shared_bytes, bytes) << name;
  }
}

TEST(KernelSource, ALineIsFileAndNumberOrUnknown) {
  EXPECT_EQ(simt::to_string({"kernels/reduce/harris3.cu", 17}), "kernels/reduce/harris3.cu:17");
  EXPECT_EQ(simt::to_string({"kernels/reduce/harris3.cu", 0}), "an unknown line");
  EXPECT_EQ(simt::line_of_call(nullptr), simt::SourceLine());
}

}  // namespace
}  // namespace redbench
