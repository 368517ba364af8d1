#include "src/plugins/kernel_file.hpp"

#include <gmock/gmock.h>

#include "src/own_files.hpp"
#include "src/registry.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// A record of the modelled device is known by this hash, whichever way its kernel came into the program.
TEST(KernelFile, TheHashIsThatOfTheBuild) {
  for (const Variant& variant : variants()) {
    const std::filesystem::path file = own_files() / variant.source;
    EXPECT_EQ(byte_hash_of(parts_of({file, variant.name})), variant.byte_hash) << variant.name;
  }
}

TEST(KernelFile, WhatIsNoVariantIsNamed) {
  const TemporaryFolder folder;
  for (const char* file :
       {"flat/mine.cu", "typo/reduec/mine.cu", "name/reduce/my-kernel.cu", "other/reduce/notes.md"})
    folder.write(file, "");
  folder.write("top/reduce/mine.cu", "");
  folder.write("top/left_out.cu", "REDBENCH_VARIANT(Reduce, LeftOut)");
  for (const auto& [name, message] : {std::pair("nowhere", "there is no such folder"),
                                      {"flat", "holds no variant: <problem>/<name>.cu or .cpp, of `gather`"},
                                      {"other", "holds no variant"},
                                      {"top", "left_out.cu: is in no folder of a problem"},
                                      {"typo", "`reduec` is no problem; did you mean `reduce`?"},
                                      {"name", "`my-kernel` cannot name a variant"}})
    EXPECT_THAT(usage_error([&] { kernel_files(folder.path() + "/" + name); }), testing::HasSubstr(message));
}

}  // namespace
}  // namespace redbench
