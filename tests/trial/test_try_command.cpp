// redbench try, as the author of a kernel meets it. The kernels are harris3 with a mistake in it.
#include <gmock/gmock.h>

#include "tests/plugin_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

Answer tried(const PluginFolder& folder, const Changes& changes, const std::string& more = "") {
  folder.write("my kernel.cu", changed_kernel("harris3", changes));
  return folder.redbench("try 'my kernel.cu' -d simt:h200 --width 0 " + more);
}

TEST(TryCommand, OfARightKernelItSaysWhatItDoesNotDoAsTheFastestDoes) {
  const PluginFolder folder;
  const Answer first = tried(folder, {});
  EXPECT_EQ(first.exit_code, exit_fine) << first.text;
  EXPECT_THAT(first.text, HasSubstr("right on simt:h200: "));
  EXPECT_THAT(first.text,
              HasSubstr("sequential_addressing<Sum<int>>: 4096 x 256 threads, 1024 bytes of shared memory"));
  EXPECT_THAT(first.text, HasSubstr("my_kernel has 36.1 times as many calls of a block's barrier by warps"));
  EXPECT_THAT(first.text, Not(HasSubstr("my_kernel_before")));
  // An idle barrier more.
  const Answer second = tried(folder, {{"  if (t == 0) out", "  __syncthreads();\n  if (t == 0) out"}});
  EXPECT_EQ(second.exit_code, exit_fine) << second.text;
  EXPECT_THAT(second.text, HasSubstr("against reduce/my_kernel_before, on"));
  EXPECT_THAT(second.text, HasSubstr("my kernel.cu:20"));
}

// The smallest multireduce's one block makes more accesses of many inputs than are counted.
TEST(TryCommand, IsExplainedOnItsDeviceAndOnFewInputsWhereManyAreTooMany) {
  const PluginFolder folder;
  EXPECT_EQ(folder.redbench("new-variant multireduce/mine --kernels .").exit_code, exit_fine);
  const Answer answer = folder.redbench("try multireduce/mine.cu -d simt:gtx480 --width 0");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("on device simt:gtx480  ·  n 16Ki"));
}

TEST(TryCommand, AMistakeIsFoundWithItsLine) {
  const std::string fetch = "s[t] = i < n ? in[i] : Op::identity();", barrier = "    __syncthreads();\n  }",
                    pass = "multi_pass(queue, x,", run = "  template <class Op>\n  static void run",
                    result = "if (t == 0) out[blockIdx.x] = s[0];";
  for (
      const auto& [changes, code, message] :
      {std::tuple(Changes{{barrier, "  }"}}, exit_failed, "my kernel.cu:19): race in shared memory: writes"),
       {Changes{{fetch, "s[t] = i <= n ? in[i] : Op::identity();"}}, exit_failed,
        "my kernel.cu:14): out of bounds: reads"},
       {Changes{{fetch, "if (i < n) s[t] = in[i];"}}, exit_failed, "which nobody has written"},
       {Changes{{barrier, "    if (t % 2) __syncthreads();\n  }\n  __syncthreads();"}}, exit_failed,
        "my kernel.cu:20"},
       // The only array of its file: there is no other behind it.
       {Changes{
            {"auto* s = dynamic_shared<typename Op::Value>();", "__shared__ typename Op::Value s[255];"},
            {run,
             "  template <class Op>\n  static constexpr std::string_view refuses() {\n    return Op::type == "
             "Type::i32 && Op::name == Operator::sum ? \"\" : \"sums of i32\";\n  }\n" +
                 run}},
        exit_failed, "4 bytes at byte 1020 of s, which has 1020"},
       {Changes{{fetch, "assert(n != 31);\n  " + fetch},
                {"#include \"kernels/reduce/multi", "#include <cassert>\n#include \"kernels/reduce/multi"}},
        exit_failed, "Assertion `n != 31' failed"},
       {Changes{{pass, "if (x.n > 40) return;\n    " + pass}}, exit_failed,
        "launches nothing while it is planned"},
       {Changes{{result, "if (t == 0) out[blockIdx.x] = Op::type == Type::i64 ? Op::identity() : s[0];"}},
        exit_wrong, "type=i64"},
       {Changes{{pass, "Reduce<Op> y = x;\n    y.n = x.n / block * block;\n    multi_pass(queue, y,"}},
        exit_wrong, "the exact answer is"}}) {
    const PluginFolder folder;
    const Answer answer = tried(folder, changes);
    EXPECT_EQ(answer.exit_code, code) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(message));
    // What it says of repeating it.
    const std::size_t again = answer.text.find("again alone: redbench ");
    ASSERT_NE(again, answer.text.npos) << answer.text;
    const Answer alone = folder.redbench(answer.text.substr(again + 22));
    EXPECT_EQ(alone.exit_code, code) << alone.text;
    EXPECT_THAT(alone.text, HasSubstr(message));
    EXPECT_THAT(alone.text, Not(HasSubstr("compiled")));
  }
}

TEST(TryCommand, WhatIsNoKernelIsASentence) {
  const PluginFolder folder;
  folder.write("notes.cu", "// TODO\n");
  folder.write("redcue.cu", changed_kernel("harris3", {{"VARIANT(Reduce", "VARIANT(Redcue"}}));
  folder.write("notes.md", "");
  for (const auto& [file, message] :
       {std::pair("nowhere.cu", "nowhere.cu: there is no such file"),
        {"notes.md", "a kernel file ends in .cu"},
        {"notes.cu", "has no REDBENCH_VARIANT(Problem, Variant)"},
        {"redcue.cu", "REDBENCH_VARIANT(Redcue, ...): there is no such problem"}}) {
    const Answer answer = folder.redbench("try " + std::string(file));
    EXPECT_EQ(answer.exit_code, exit_usage);
    EXPECT_THAT(answer.text, HasSubstr(message));
  }
}

}  // namespace
}  // namespace redbench
