// redbench new-variant: what it writes, and what it refuses before it writes.
#include <gmock/gmock.h>

#include "src/json/json.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/registry.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A copy of the repository's kernels, for new-variant to write into, and a folder beside them.
class NewVariant : public testing::Test {
 protected:
  NewVariant() {
    fs::copy(REDBENCH_SOURCE_DIR "/kernels", folder_.path() + "/kernels", fs::copy_options::recursive);
    fs::create_directory(folder_.path() + "/build");
  }
  Answer new_variant(const std::string& arguments) {
    return redbench("new-variant " + arguments, folder_.path() + "/build");  // found from a folder below
  }
  void expect_refused(const std::string& arguments, const std::string& message) {
    const std::size_t before = files();
    const Answer answer = new_variant(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_THAT(answer.text, HasSubstr(message));
    EXPECT_EQ(files(), before) << arguments;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(folder_.path())) ++count;
    return count;
  }
  std::string read(const std::string& name) const { return read_text(folder_.path() + "/" + name); }
  TemporaryFolder folder_;
};

TEST_F(NewVariant, WritesAFileOfItsOwn) {
  const Answer answer = new_variant("reduce/mine --from reduce/harris3");
  ASSERT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_EQ(answer.text, folder_.path() + "/kernels/reduce/mine.cu is written. Next, in " + folder_.path() +
                             ":\n"
                             "  cmake --build build\n"
                             "  build/redbench describe reduce/mine\n"
                             "  build/redbench verify -b '^reduce/mine$'\n"
                             "  build/redbench run configs/quick.json --set "
                             "'experiments[0].variants=[\"mine\", \"harris3\"]'\n");
  EXPECT_THAT(read("kernels/reduce/mine.cu"),
              AllOf(HasSubstr("struct mine {"), HasSubstr("REDBENCH_VARIANT(Reduce, mine)"),
                    HasSubstr(".title = \"yours, from reduce/harris3: sequential addressing\""),
                    Not(HasSubstr("struct harris3"))));
  expect_refused("reduce/mine --from reduce/harris3", "kernels/reduce/mine.cu is there already");
}

TEST_F(NewVariant, WithoutAnOriginItIsTheSmallestKernel) {
  for (const std::string& problem : problem_names()) {
    const Answer answer = new_variant(problem + "/smallest_mine --kernels '../my kernels'");
    ASSERT_EQ(answer.exit_code, 0) << answer.text;
    EXPECT_THAT(read("my kernels/" + problem + "/smallest_mine.cu"),
                AllOf(HasSubstr("__global__ void kernel("), HasSubstr("struct smallest_mine {"),
                      HasSubstr("title = \"yours: "), Not(HasSubstr("kernels/parts/"))))
        << problem;
    EXPECT_THAT(answer.text, HasSubstr("  redbench try '" + fs::canonical(folder_.path()).string() +
                                       "/my kernels/" + problem + "/smallest_mine.cu'\n"));
  }
}

TEST(KernelText, EveryVariantCanBeTheOrigin) {
  for (const Variant& variant : variants()) {
    if (variant.source.starts_with("tests/")) continue;  // a wrong kernel, of this program alone
    const KernelText from{variant.source, "", read_text(fs::path(REDBENCH_SOURCE_DIR) / variant.source)};
    EXPECT_THAT(renamed(from, "my_own"), HasSubstr("struct my_own ")) << variant.name;
  }
}

// A kernel that stays shared would let a change to the copy change other variants.
TEST_F(NewVariant, ASharedKernelIsBroughtAlong) {
  ASSERT_EQ(new_variant("reduce/mine --from reduce/shuffle_block_atomic_vec4").exit_code, 0);
  EXPECT_THAT(read("kernels/reduce/mine.cu"),
              AllOf(HasSubstr("__global__ void shuffle_block_atomic_kernel("),
                    HasSubstr("// Brought along from kernels/reduce/shuffle_reduce.hpp"),
                    Not(HasSubstr("#include \"kernels/reduce/shuffle_reduce.hpp\"")),
                    HasSubstr("#include \"kernels/parts/block_shuffle.hpp\""), Not(HasSubstr("#pragma once")),
                    Not(HasSubstr("REDBENCH_TARGET"))));
  // A kernel of its own needs none of others.
  ASSERT_EQ(new_variant("reduce/other --from reduce/harris7").exit_code, 0);
  EXPECT_THAT(read("kernels/reduce/other.cu"), HasSubstr("#include \"kernels/reduce/block_tree.hpp\""));
}

TEST_F(NewVariant, RefusesWhatWouldNotBuild) {
  const std::string from = " --from reduce/harris3";
  expect_refused("reduce/mine --from reduce/haris3",
                 "there is no such variant; did you mean `reduce/harris3`?");
  expect_refused("mine" + from, "a name has its problem before it, as in reduce/mine");
  expect_refused("redcue/mine" + from, "there is no problem `redcue`; did you mean `reduce`?");
  expect_refused("triple_reduce/mine" + from, "solves another problem");
  expect_refused("reduce/harris4" + from,
                 "there is a variant of that name already: kernels/reduce/harris4.cu");
  folder_.write("kernels/reduce/unbuilt.cpp", "");
  expect_refused("reduce/unbuilt" + from, "kernels/reduce/unbuilt.cpp is there already");
  expect_refused("reduce/../../x --kernels ../mine", "cannot name a C++ struct");
  expect_refused("reduce/sequential_addressing" + from, "is a name within kernels/reduce/harris3.cu");
  folder_.write("taken", "a file");
  expect_refused("reduce/mine --kernels ../taken", "/taken/reduce: cannot be made: Not a directory");
}

// Else the copy would be written, and the build end at its first #include.
TEST_F(NewVariant, AHeaderBesideTheOriginMustBeBesideTheCopy) {
  folder_.write("kernels/reduce/harris3.cu", "#include \"mine.hpp\"\n" + read("kernels/reduce/harris3.cu"));
  folder_.write("kernels/reduce/mine.hpp", "");
  const std::string copy = "reduce/mine --from reduce/harris3 --kernels ../mine";
  expect_refused(copy, "/kernels/reduce/harris3.cu includes \"mine.hpp\", which ");
  folder_.write("mine/reduce/mine.hpp", "");
  EXPECT_EQ(new_variant(copy).exit_code, exit_fine);
}

// What everybody begins with must be right: on every shape, and with every access watched, of problems with labels
// on as many shapes as in RacesFlag.
TEST(SmallestKernels, PassTheBatteryAndTheRaces) {
  std::size_t checked = 0;
  for (const char* what :
       {"/smallest$'", "^[^m].*/smallest$' --races", "^multi.*/smallest$' --races --small"}) {
    const Answer answer =
        answer_of(REDBENCH_WRONG_BINARY, std::string("verify -d simt --json --schedules 1 -b '") + what, ".");
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
    const Json counts = Json::parse(answer.text);
    checked += counts.size();
    for (const auto& [name, count] : counts.items()) EXPECT_GT(count["passed"], 40) << name << what;
  }
  EXPECT_EQ(checked, 2 * problem_names().size());
}

// Words in strings, comments and other namespaces stay; a quote between digits begins no character.
TEST(KernelText, OnlyTheVariantIsRenamed) {
  KernelText from{"x.cu", "yours: ", R"text(#include <cub/cub.cuh>
/* cub " ' // cub
cub */ REDBENCH_VARIANT( Reduce,
                  cub )
struct cub { const char* a = "cub"cub, *b = "a\"cub"cub, *d = "\\"cub; };  // cub "mine"
cub_x, xcub, 2cub, other::cub, ::cub, cub::y, (cub)/cub,cub//"
char a = '"', b = cub, c = '\'', d = cub, e = 'cub'; int g = 10'000 + cub; cub i = '/'; // cub '
  .title = "mine", .title = "cub", .titles = cub;
"cub)text"};
  EXPECT_EQ(renamed(from, "mine"), R"text(#include <cub/cub.cuh>
/* cub " ' // cub
cub */ REDBENCH_VARIANT( Reduce,
                  mine )
struct mine { const char* a = "cub"mine, *b = "a\"cub"mine, *d = "\\"mine; };  // cub "mine"
cub_x, xcub, 2cub, other::cub, ::cub, mine::y, (mine)/mine,mine//"
char a = '"', b = mine, c = '\'', d = mine, e = 'cub'; int g = 10'000 + mine; mine i = '/'; // cub '
  .title = "yours: mine", .title = "cub", .titles = mine;
"cub)text");
  from.text = "REDBENCH_VARIANT(A,b)\nint mine;";
  EXPECT_EQ(usage_error([&] { renamed(from, "mine"); }), "`mine` is a name within x.cu; take another");
  from.text = "struct cub {};\nREDBENCH_VARIANT(Reduce)\n";
  EXPECT_EQ(usage_error([&] { renamed(from, "mine"); }), "x.cu: has no REDBENCH_VARIANT to rename");
}

}  // namespace
}  // namespace redbench
