// redbench new-variant: what it writes, and what it refuses before it writes.
#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "src/json.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/new_variant/variant_names.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
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
  EXPECT_THAT(answer.text,
              HasSubstr("kernels/reduce/mine.cu is written. Next, in " + folder_.path() + ":\n"));
  EXPECT_THAT(answer.text, HasSubstr("verify -b '^reduce/mine$'"));
  EXPECT_THAT(answer.text, HasSubstr("variants=[\"mine\", \"harris3\"]"));
  EXPECT_THAT(answer.text, Not(HasSubstr("REDBENCH_KERNELS")));
  const std::string text = read("kernels/reduce/mine.cu");
  EXPECT_THAT(text, HasSubstr("struct mine {"));
  EXPECT_THAT(text, HasSubstr("REDBENCH_VARIANT(Reduce, mine)"));
  EXPECT_THAT(text, HasSubstr(".title = \"yours, from reduce/harris3: sequential addressing\""));
  EXPECT_THAT(text, Not(HasSubstr("struct harris3")));
  expect_refused("reduce/mine --from reduce/harris3", "kernels/reduce/mine.cu is there already");
  expect_refused("reduce/other --from harris33", "did you mean `reduce/harris3`?");
}

TEST_F(NewVariant, WithoutAnOriginItIsTheSmallestKernel) {
  for (const std::string& problem : problem_names()) {
    const Answer answer = new_variant(problem + "/smallest_mine --kernels '../my kernels'");
    ASSERT_EQ(answer.exit_code, 0) << answer.text;
    const std::string text = read("my kernels/" + problem + "/smallest_mine.cu");
    EXPECT_THAT(text, HasSubstr("__global__ void kernel(")) << problem;
    EXPECT_THAT(text, HasSubstr("struct smallest_mine {")) << problem;
    EXPECT_THAT(text, HasSubstr("title = \"yours: ")) << problem;
    EXPECT_THAT(text, Not(HasSubstr("kernels/parts/"))) << problem;
    EXPECT_THAT(answer.text, HasSubstr("cmake -B build -DREDBENCH_KERNELS='" +
                                       fs::canonical(folder_.path()).string() + "/my kernels'\n"));
  }
}

TEST_F(NewVariant, EveryVariantCanBeTheOrigin) {
  const Json list = Json::parse(redbench("list --json").text);
  int i = 0;
  for (const auto& [name, card] : list.items()) {
    if (fs::path(card["file"].get<std::string>()).is_absolute()) continue;  // make test KERNELS=DIR
    const std::string problem = card["problem"], mine = "mine" + std::to_string(i++);
    const Answer answer = new_variant(problem + "/" + mine + " --from " + name);
    ASSERT_EQ(answer.exit_code, 0) << answer.text;
    const std::string ending = fs::path(card["file"].get<std::string>()).extension();
    EXPECT_THAT(read("kernels/" + problem + "/" + mine + ending), HasSubstr("struct " + mine + " ")) << name;
  }
}

/// A kernel that stays shared would let a change to the copy change other variants.
TEST_F(NewVariant, ASharedKernelIsBroughtAlong) {
  ASSERT_EQ(new_variant("reduce/mine --from reduce/shuffle_block_atomic_vec4").exit_code, 0);
  const std::string text = read("kernels/reduce/mine.cu");
  EXPECT_THAT(text, HasSubstr("__global__ void shuffle_block_atomic_kernel("));
  EXPECT_THAT(text, HasSubstr("// Brought along from kernels/reduce/shuffle_reduce.hpp"));
  EXPECT_THAT(text, Not(HasSubstr("#include \"kernels/reduce/shuffle_reduce.hpp\"")));
  EXPECT_THAT(text, HasSubstr("#include \"kernels/parts/block_shuffle.hpp\""));
  EXPECT_THAT(text, Not(HasSubstr("#pragma once")));
  EXPECT_THAT(text, Not(HasSubstr("REDBENCH_TARGET")));
  // A kernel of its own needs none of others.
  ASSERT_EQ(new_variant("reduce/other --from reduce/harris7").exit_code, 0);
  EXPECT_THAT(read("kernels/reduce/other.cu"), HasSubstr("#include \"kernels/reduce/block_tree.hpp\""));
}

/// What everybody begins with must be right: on every shape, and with every access watched.
TEST(SmallestKernels, PassTheBatteryAndTheRaces) {
  const std::size_t problems = problem_names().size();
  for (const char* flags : {"", " --races"}) {
    const Answer answer =
        answer_of(REDBENCH_WRONG_BINARY,
                  std::string("verify -d simt --json --schedules 1 -b '/smallest$'") + flags, ".");
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
    const Json counts = Json::parse(answer.text);
    EXPECT_EQ(counts.size(), problems);
    for (const auto& [name, count] : counts.items()) EXPECT_GT(count["passed"], 50) << name << flags;
  }
}

TEST(KernelText, OnlyTheVariantIsRenamed) {
  const KernelText from{"cub.cu", "yours: ",
                        "#include <cub/cub.cuh>\nstruct cub { // cub\n  int x = ::cub::y(\"cub\");\n};\n"
                        "REDBENCH_VARIANT(Reduce, cub)\n"};
  EXPECT_EQ(renamed(from, "mine"),
            "#include <cub/cub.cuh>\nstruct mine { // cub\n  int x = ::cub::y(\"cub\");\n};\n"
            "REDBENCH_VARIANT(Reduce, mine)\n");
}

// A string may be followed by a word without a space; a name may be within others, and of another namespace.
TEST(KernelText, WordsAreWholeAndBeginWhereAStringOrACommentEnds) {
  KernelText from{"x.cu", "yours: ", ""};
  from.text = R"text(REDBENCH_VARIANT( Reduce,
                  cub )
struct cub { const char* a = "cub"cub, *b = "a\"cub"cub, *c = ""cub, *d = "\\"cub; };
int e = "cub"//cub "mine"
cub_x, xcub, _cub, cub2, 2cub, other::cub, ::cub, cub::y, (cub)/cub,cub//"
cub, #cub "
cub "two // lines" cub
  .title = "mine", .title = "cub", .titles = cub;
"cub\)text";
  EXPECT_EQ(renamed(from, "mine"), R"text(REDBENCH_VARIANT( Reduce,
                  mine )
struct mine { const char* a = "cub"mine, *b = "a\"cub"mine, *c = ""mine, *d = "\\"mine; };
int e = "cub"//cub "mine"
cub_x, xcub, _cub, cub2, 2cub, other::cub, ::cub, mine::y, (mine)/mine,mine//"
mine, #cub "
mine "two // lines" mine
  .title = "yours: mine", .title = "cub", .titles = mine;
"cub\)text");
  const std::string same = from.text;
  EXPECT_EQ(renamed(from, "cub"), std::string(same).insert(same.find("mine\", .title"), "yours: "))
      << "its own name is no other's";
  from.text = "REDBENCH_VARIANT(A,b)\n\"cub";
  EXPECT_EQ(renamed(from, "c"), "REDBENCH_VARIANT(A,c)\n\"cub") << "a string without an end";
  from.text += "\"mine";
  EXPECT_EQ(usage_error([&] { renamed(from, "mine"); }), "`mine` is a name within x.cu; take another");
  from.text = "struct cub {};\nREDBENCH_VARIANT(Reduce)\n";
  EXPECT_EQ(usage_error([&] { renamed(from, "mine"); }), "x.cu: has no REDBENCH_VARIANT to rename");
}

// A quote may be a character, which begins no string; a quote between digits begins no character.
TEST(KernelText, CommentsOverLinesAndCharactersAreNotCode) {
  KernelText from{"x.cu", "", ""};
  from.text = R"text(/* cub " ' // cub
cub */ REDBENCH_VARIANT(Reduce, cub) /**/ cub /*/ cub */ cub;
char a = '"', b = cub, c = '\'', d = cub, e = 'cub', f = '\\'; int g = 10'000 + cub, h = 1'0'0; cub i = '/'; // cub '
cub; /* cub)text";
  EXPECT_EQ(renamed(from, "mine"), R"text(/* cub " ' // cub
cub */ REDBENCH_VARIANT(Reduce, mine) /**/ mine /*/ cub */ mine;
char a = '"', b = mine, c = '\'', d = mine, e = 'cub', f = '\\'; int g = 10'000 + mine, h = 1'0'0; mine i = '/'; // cub '
mine; /* cub)text");
}

TEST(KernelText, AnyLayoutTakesAKernelAlong) {
  TemporaryFolder root;
  root.write(
      "kernels/parts/part.hpp",
      "// The part.\n#pragma once\n\n#if defined(X)\n#include <x>\n#endif\n\n#include <b>\n\n#include "
      "\"kernels/y.hpp\"\n\nnamespace redbench {\ninline namespace REDBENCH_TARGET {\n\n__global__ void "
      "k();\n\n}  // namespace REDBENCH_TARGET\n}  // namespace redbench\n");
  KernelText from{"mine.cu", "",
                  "// Mine.\n#include <a>\n#include <b>\n\n#include \"kernels/parts/part.hpp\"\n#include "
                  "\"kernels/z.hpp\"\n\nnamespace mine {\nint x;\n}\n"};
  bring_kernels_along(from, root.path());
  EXPECT_EQ(
      from.text,
      "// Mine.\n// Brought along from kernels/parts/part.hpp: this file's own.\n// The part.\n#if "
      "defined(X)\n#include <x>\n#endif\n\n#include <a>\n#include <b>\n\n#include "
      "\"kernels/y.hpp\"\n#include "
      "\"kernels/z.hpp\"\n\nnamespace redbench {\nnamespace {\n\n__global__ void k();\n\n}  // namespace\n}  "
      "// namespace redbench\n\nnamespace mine {\nint x;\n}\n");
}

// Of a file that is laid out as all of the project's are, what its namespaces hold follows what is brought.
TEST(KernelText, WhatIsBroughtComesFirstInTheFilesOwnNamespaces) {
  TemporaryFolder root;
  root.write("kernels/parts/part.hpp",
             "// Part.\n#pragma once\n#ifdef A\n#if B\n#include <c>\n#endif\n// in it\n#endif\n#include "
             "<z>\n#include \"kernels/parts/none.hpp\"\n\nnamespace redbench {\ninline namespace "
             "REDBENCH_TARGET {\n__global__ void k();\n}  // namespace REDBENCH_TARGET\n}\n");
  root.write("kernels/parts/none.hpp", "void f();\n");
  const std::string text =
      "#include \"kernels/parts/part.hpp\"\n#include \"kernels/parts/none.hpp\"\n#include "
      "\"kernels/other.hpp\"\n// Mine.\n\nnamespace redbench {\nnamespace {\n\nint x;\n\n}\n}\n";
  KernelText from{"mine.cu", "", text};
  bring_kernels_along(from, root.path());
  EXPECT_EQ(from.text,
            "// Mine.\n// Brought along from kernels/parts/part.hpp: this file's own.\n// Part.\n#ifdef "
            "A\n#if B\n#include <c>\n#endif\n// in it\n#endif\n\n#include <z>\n\n#include "
            "\"kernels/other.hpp\"\n#include \"kernels/parts/none.hpp\"\n\nnamespace redbench {\nnamespace "
            "{\n__global__ void k();\nint x;\n\n}\n}\n");
  // What has a kernel of its own, or needs none, stays as it is.
  for (const std::string& same :
       {text + "__global__ void own();\n", std::string("#include \"kernels/parts/none.hpp\"\n")}) {
    KernelText plain{"mine.cu", "", same};
    bring_kernels_along(plain, root.path());
    EXPECT_EQ(plain.text, same);
  }
  root.write("kernels/parts/part.hpp", "__global__ void k();\n}  // namespace REDBENCH_TARGET\n");
  from.text = text;
  EXPECT_EQ(usage_error([&] { bring_kernels_along(from, root.path()); }),
            "kernels/parts/part.hpp: has no namespace REDBENCH_TARGET, whose inside could be brought along");
  from.text = "#include \"kernels/parts/missing.hpp\"\n";
  EXPECT_EQ(usage_error([&] { bring_kernels_along(from, root.path()); }),
            root.path() + "/kernels/parts/missing.hpp: cannot be opened: No such file or directory");
}

TEST(KernelText, AHeaderWithoutAKernelStaysAHeader) {
  TemporaryFolder root;
  const std::string opening = "namespace redbench {\ninline namespace REDBENCH_TARGET {\n",
                    closing = "}  // namespace REDBENCH_TARGET\n}  // namespace redbench\n";
  root.write("kernels/parts/kernel.hpp", opening + "__global__ void k();\n" + closing);
  root.write("kernels/parts/plain.hpp", opening + "void f();\n" + closing);
  KernelText from{"mine.cu", "",
                  "#include \"kernels/parts/kernel.hpp\"\n#include \"kernels/parts/plain.hpp\"\n\nnamespace "
                  "redbench {\nint x;\n}\n"};
  bring_kernels_along(from, root.path());
  EXPECT_THAT(from.text, HasSubstr("__global__ void k();"));
  EXPECT_THAT(from.text, HasSubstr("#include \"kernels/parts/plain.hpp\"\n"));
  EXPECT_THAT(from.text, Not(HasSubstr("void f();")));
}

TEST_F(NewVariant, RefusesWhatWouldNotBuild) {
  expect_refused("reduce/mine --from reduce/haris3",
                 "there is no such variant; did you mean `reduce/harris3`?");
  expect_refused("mine --from reduce/harris3", "a name has its problem before it, as in reduce/mine");
  expect_refused("redcue/mine --from reduce/harris3", "there is no problem `redcue`; did you mean `reduce`?");
  expect_refused("triple_reduce/mine --from reduce/harris3", "solves another problem");
  expect_refused("reduce/harris4 --from reduce/harris3",
                 "there is a variant of that name already: kernels/reduce/harris4.cu");
  expect_refused("reduce/cpu_serial --kernels ../mine", "kernels/reduce/cpu_serial.cpp");
  folder_.write("kernels/reduce/unbuilt.cpp", "");
  expect_refused("reduce/unbuilt --from reduce/harris3", "kernels/reduce/unbuilt.cpp is there already");
  for (const char* bad : {"reduce/", "reduce/1st", "reduce/my-kernel", "'reduce/a b'", "reduce/_x",
                          "reduce/a__b", "reduce/../../x", "reduce/x.cu"})
    expect_refused(std::string(bad) + " --kernels ../mine", "cannot name a C++ struct");
  expect_refused("reduce/class --from reduce/harris3", "`class` is a word of C++");
  expect_refused("reduce/sequential_addressing --from reduce/harris3",
                 "is a name within kernels/reduce/harris3.cu");
  expect_refused("reduce/kernel", "is a name within kernels/smallest/reduce/smallest.cu");
}

/// Else the copy would be written, and the build end at its first #include.
TEST_F(NewVariant, AHeaderBesideTheOriginMustBeBesideTheCopy) {
  folder_.write("kernels/reduce/harris3.cu", "#include \"mine.hpp\"\n" + read("kernels/reduce/harris3.cu"));
  folder_.write("kernels/reduce/mine.hpp", "");
  const std::string copy = "reduce/mine --from reduce/harris3 --kernels ../mine";
  expect_refused(copy, "/kernels/reduce/harris3.cu includes \"mine.hpp\", which ");
  expect_refused(copy, "/mine/reduce does not have; copy that there first");
  folder_.write("mine/reduce/mine.hpp", "");
  EXPECT_EQ(new_variant(copy).exit_code, exit_fine);
}

TEST(NewVariantFiles, HeadersBesideTheOriginAreNotLeftBehind) {
  EXPECT_EQ(included_names(
                "#include \"a.hpp\"\n  # include \"b/c.hpp\"  // why\n#include <d>\n// #include \"e\"\n"),
            (std::vector<std::string>{"a.hpp", "b/c.hpp"}));
}

TEST_F(NewVariant, AFolderThatCannotBeMade) {
  folder_.write("taken", "a file");
  expect_refused("reduce/mine --kernels ../taken", "/taken/reduce: cannot be made: Not a directory");
  folder_.write("mine/reduce", "a file");
  expect_refused("reduce/mine --kernels ../mine", "/mine/reduce: cannot be made: ");
}

TEST(VariantNames, WordsThatMeanSomethingElseAreRefused) {
  // [lex.key], [lex.digraph] and the identifiers with a special meaning of C++20; the words of CUDA.
  std::istringstream words(
      "alignas alignof asm auto bool break case catch char char8_t char16_t char32_t class concept const "
      "consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete "
      "do double dynamic_cast else enum explicit export extern false float for friend goto if inline int "
      "long "
      "mutable namespace new noexcept nullptr operator private protected public register reinterpret_cast "
      "requires return short signed sizeof static static_assert static_cast struct switch template this "
      "thread_local throw true try typedef typeid typename union unsigned using virtual void volatile "
      "wchar_t "
      "while and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq final override import module "
      "NULL EOF INT_MAX errno assert offsetof stdin stdout stderr alloca htole16 be64toh size_t uint32_t std "
      "threadIdx blockIdx blockDim gridDim warpSize dim3 uint3 int4 float2 double1 ulonglong2 half half2 min "
      "max "
      "atomicAdd atomicCAS cudaStream_t cudaError cooperative_groups make_float4 redbench");
  int count = 0;
  for (std::string word; words >> word; ++count) EXPECT_NE(why_no_variant_name(word), "") << word;
  EXPECT_GT(count, 130);
  for (const char* fine : {"mine", "harris8", "Min2", "minimum", "notes", "summed", "int5", "my_float4",
                           "cub", "half_warp", "sizes", "atomic_sum", "Tb2"})
    EXPECT_EQ(why_no_variant_name(fine), "") << fine;
  for (const char* bad : {"", "1st", "_x", "a__b", "a-b", "a b", "a\n", "ä"})
    EXPECT_THAT(why_no_variant_name(bad), HasSubstr("cannot name a C++ struct")) << bad;
  EXPECT_EQ(why_no_variant_name(std::string(60, 'x')), "");
  EXPECT_EQ(why_no_variant_name(std::string(61, 'x')),
            "`" + std::string(61, 'x') +
                "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60");
  EXPECT_THAT(why_no_variant_name(std::string(100000, 'x')), HasSubstr("cannot name a C++ struct"));
}

/// What a kernel's file sees by kernels/variant.hpp and its problem: a struct of the same name would hide it
/// or be taken for it. clang-format keeps what a namespace declares at the start of a line.
TEST(VariantNames, NoNameOfTheContractIsFree) {
  const std::regex declared(
      R"((?:struct|class|enum class|using|namespace|#define) (\w+)\b.*|(?:inline )?constexpr [\w:<>, ]*?(\w+)( = |\{).*|[\w:][\w:<>*& ]*[ *](\w+)\(.*)");
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(REDBENCH_SOURCE_DIR "/kernels"))
    for (const char* seen : {"/kernels/[a-z]+.hpp", "/contract/(?!simt).+", "/problem.hpp"})
      if (std::regex_search(entry.path().string(), std::regex(std::string(seen) + "$")))
        files.push_back(entry.path());
  std::size_t count = 0;
  for (const fs::path& file : files) {
    std::istringstream lines(read_text(file));
    for (std::string line; std::getline(lines, line);) {
      std::smatch found;
      if (!std::regex_match(line, found, declared)) continue;
      for (std::size_t i : {1, 2, 4})
        if (found[i].matched) {
          ++count;
          EXPECT_NE(why_no_variant_name(found[i]), "") << file << ": " << line;
        }
    }
  }
  EXPECT_GT(count, 90u);
}

TEST(KernelText, TheSmallestKernelIsThatOfItsProblem) {
  for (const std::string& problem : problem_names()) {
    const KernelText smallest = smallest_kernel(problem);
    const std::string file = "kernels/smallest/" + problem + "/smallest.cu";
    EXPECT_EQ(smallest.file, file);
    EXPECT_EQ(smallest.title, "yours: ");
    EXPECT_EQ(smallest.text, read_text(std::string(REDBENCH_SOURCE_DIR "/") + file));
  }
  EXPECT_EQ(usage_error([] { smallest_kernel("nothing"); }),
            "new-variant: nothing has no smallest kernel to begin with; --from takes another");
}

// From a folder outside, the next steps are those in the source that this program was built from.
TEST(NewVariantText, SaysWhatComesNext) {
  const TemporaryFolder folder;
  const std::string kernels = folder.path() + "/my kernels";
  const Answer smallest = redbench("new-variant reduce/mine --kernels 'my kernels'", folder.path());
  EXPECT_EQ(smallest.exit_code, exit_fine);
  EXPECT_THAT(smallest.text,
              testing::StartsWith(kernels + "/reduce/mine.cu is written. Next, in " REDBENCH_SOURCE_DIR
                                            ":\n  cmake -B build -DREDBENCH_KERNELS='"));
  EXPECT_THAT(smallest.text, testing::EndsWith(kernels + "'\n"
                                                         "  cmake --build build\n"
                                                         "  build/redbench describe reduce/mine\n"
                                                         "  build/redbench verify -b '^reduce/mine$'\n"
                                                         "  build/redbench run configs/quick.json --set "
                                                         "'experiments[0].variants=[\"mine\"]'\n"));
  const Answer copy =
      redbench("new-variant segscan/mine --from segscan/cpu_serial --kernels 'my kernels'", folder.path());
  EXPECT_THAT(copy.text, testing::StartsWith(kernels + "/segscan/mine.cpp is written. Next, in "));
  EXPECT_THAT(copy.text, testing::EndsWith("  cmake --build build\n"
                                           "  build/redbench describe segscan/mine\n"
                                           "  build/redbench verify -b '^segscan/mine$'\n"))
      << "the config that may be run is of reductions";
}

// A short file is written when it is closed.
TEST(NewVariantText, WhatCannotBeWrittenLeavesNothing) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& variant) {
    const Answer answer = answer_of(
        "sh",
        "-c 'trap \"\" XFSZ; ulimit -f 0; " REDBENCH_BINARY " new-variant " + variant + " --kernels mine'",
        folder.path());
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    return answer.text;
  };
  EXPECT_EQ(refused("multireduce/mine --from multireduce/cpu_sequential"),
            "redbench: " + folder.path() + "/mine/multireduce/mine.cpp: cannot be written: File too large\n");
  EXPECT_FALSE(fs::exists(folder.path() + "/mine/multireduce")) << "the folder was made for it";
  fs::create_directory(folder.path() + "/mine/reduce");
  EXPECT_EQ(refused("reduce/mine"),
            "redbench: " + folder.path() + "/mine/reduce/mine.cu: cannot be written: File too large\n");
  EXPECT_TRUE(fs::is_empty(folder.path() + "/mine/reduce")) << "a folder that was there stays";
}

}  // namespace
}  // namespace redbench
