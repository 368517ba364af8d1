// What a shell is offered, whole: words of each kind, paths, and what quotes and escapes stand for.
#include <gtest/gtest.h>

#include <string>

#include "tests/support.hpp"

namespace redbench {
namespace {

class CompletionOffers : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"ab/x.json", "ab/y.txt", "ab/.dot.json", "ab/.hid/z.json", "ab/sub/z.json",
                             "a b/w.json", "a'b/v.json"})
      folder_.write(file, "");
  }
  /// As the shell's function asks: what is typed, each word quoted for sh. One line.
  std::string offered(const std::string& words, const std::string& program = REDBENCH_BINARY) {
    const Answer answer = answer_of(program, "completion --complete " + words, folder_.path());
    EXPECT_EQ(answer.exit_code, exit_fine) << words;
    std::string line;
    for (const char c : answer.text) line += c == '\n' ? ' ' : c;
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }
  TemporaryFolder folder_;
};

// Both kinds of quotes end where they began, and may be followed by others; a backslash escapes outside
// single ones, but for the last of a word.
TEST_F(CompletionOffers, QuotesAreWhatTheyStandFor) {
  const std::string both = "paths ab/sub/ ab/x.json";
  for (const char* word : {R"("ab/")", R"("'a'b/")", R"("'a''b'/")", R"("'a'\"b\"/")", R"("\"a\"'b'/")",
                           R"("'ab/")", R"("\"ab/")", R"('a\b/')", R"('"a\b/"')", R"("'a'b'/'")"})
    EXPECT_EQ(offered(std::string("run ") + word), both) << word;
  EXPECT_EQ(offered(R"(run "'a b'/")"), "paths a b/w.json");
  EXPECT_EQ(offered(R"(run 'a\ b/')"), "paths a b/w.json");
  EXPECT_EQ(offered(R"(run "\"a'b\"/")"), "paths a'b/v.json") << "a quote within the other kind is a letter";
  EXPECT_EQ(offered(R"(run "a\\'b/")"), "paths a'b/v.json");
  EXPECT_EQ(offered(R"(run "'a\\b/'")"), "words") << "a backslash within single quotes is a letter";
  EXPECT_EQ(offered(R"(run 'ab/\')"), "words") << "and so is the last";
}

TEST_F(CompletionOffers, PathsAreThoseThatFit) {
  EXPECT_EQ(offered("run a"), "paths a b/ a'b/ ab/");
  EXPECT_EQ(offered("run ab/"), "paths ab/sub/ ab/x.json");
  EXPECT_EQ(offered("run ab/."), "paths ab/.dot.json ab/.hid/");
  EXPECT_EQ(offered("run ab/x"), "paths ab/x.json");
  EXPECT_EQ(offered("run ab/y"), "words");
  EXPECT_EQ(offered("run none/"), "words");
  EXPECT_EQ(offered("compare ab/"), "paths ab/sub/");
  EXPECT_EQ(offered("run --out=a"), "paths --out=a b/ --out=a'b/ --out=ab/");
  EXPECT_EQ(offered("run \"~/ab/\"", "env HOME=" + folder_.path() + " " REDBENCH_BINARY),
            "paths ~/ab/sub/ ~/ab/x.json");
  EXPECT_EQ(offered("run " + folder_.path() + "/ab/x"), "paths " + folder_.path() + "/ab/x.json");
}

TEST_F(CompletionOffers, WordsAreThoseThatTheNextMayBe) {
  EXPECT_EQ(offered(""), "words");
  EXPECT_EQ(offered("comp"), "words compare completion");
  EXPECT_EQ(offered("''").substr(0, 35), "words cachesim claims compare compl");
  EXPECT_EQ(offered("-"), "words --help --version");
  EXPECT_EQ(offered("completion ''"), "words bash fish zsh");
  EXPECT_EQ(offered("completion bash ''"), "words --help");
  EXPECT_EQ(offered("completion bash z"), "words");
  EXPECT_EQ(offered("frob ''"), "words") << "of an unknown command";
  EXPECT_EQ(offered("help ver"), "words verify");
  EXPECT_EQ(offered("describe segreduce/t"),
            "words segreduce/tb2 segreduce/tb4_warp segreduce/thrust_reduce_by_key");
  EXPECT_EQ(offered("run -b reduce/cpu_s"), "words reduce/cpu_serial");
  EXPECT_EQ(offered("why reduce/harris1 reduce/harris2"), "words reduce/harris2");
}

TEST_F(CompletionOffers, ValuesFollowTheirOption) {
  EXPECT_EQ(offered("run -d simt:g"), "words simt:gtx480 simt:gtx690");
  EXPECT_EQ(offered("run --device=simt:g"), "words --device=simt:gtx480 --device=simt:gtx690");
  EXPECT_EQ(offered("run --device=simt:k -d simt:h"), "words simt:h200");
  EXPECT_EQ(offered("run --dev"), "words --device");
  EXPECT_EQ(offered("run -d"), "words -d");
  EXPECT_EQ(offered("run -d host --de"), "words --device") << "one word is taken";
  EXPECT_EQ(offered("run -a op"), "words operator=");
  EXPECT_EQ(offered("run -a type=i"), "words type=i32 type=i64");
  EXPECT_EQ(offered("run -a type=i32,f"), "words type=i32,f16 type=i32,f32 type=i32,f64");
  EXPECT_EQ(offered("run --mode gr"), "words graph");
  EXPECT_EQ(offered("run --mode graph,c"), "words graph,cold");
  EXPECT_EQ(offered("run --set measure.max_n"), "words measure.max_noise=");
  EXPECT_EQ(offered("run --resume a"), "paths a b/ a'b/ ab/") << "a flag takes none";
  EXPECT_EQ(offered("run -- -"), "words") << "behind -- there are no options";
  EXPECT_EQ(offered("run --none=a"), "words");
  EXPECT_EQ(offered("profile --lines ''"), "words") << "of a number nothing is offered";
  EXPECT_EQ(offered("new-variant seg"), "words segreduce/ segscan/");
  EXPECT_EQ(offered("cachesim --machine ho"), "words host");
  EXPECT_EQ(offered("reproduce --precision q"), "words quick");
  EXPECT_EQ(offered("reproduce mart"), "words martin2012");
  EXPECT_EQ(offered("run -a type="),
            "words type=c32 type=c64 type=f16 type=f32 type=f64 type=i32 type=i64 type=u32 type=u8");
  EXPECT_EQ(offered("run --axis=given="), "words --axis=given=offsets --axis=given=owners");
  const bool has_cuda = redbench("--version").text.find("\ncuda     not built in\n") == std::string::npos;
  EXPECT_EQ(offered("run -d ''"), std::string("words auto ") + (has_cuda ? "cuda " : "") +
                                      "host simt simt:a100 simt:gtx480 simt:gtx690 simt:h200 simt:k20x "
                                      "simt:rtx3070");
}

// An option takes one word, or two, or may take one; what follows is again what the command takes.
TEST_F(CompletionOffers, AnOptionTakesAsManyWordsAsItSays) {
  EXPECT_EQ(offered("completion - ''"), "words --help") << "a dash alone is an argument";
  EXPECT_EQ(offered("run --seed=3 ab/"), "paths ab/sub/ ab/x.json");
  EXPECT_EQ(offered("run --seed 3 ab/"), "paths ab/sub/ ab/x.json");
  EXPECT_EQ(offered("run -a n=1 --de"), "words --device");
  EXPECT_EQ(offered("run -a n=1 ab/"), "paths ab/sub/ ab/x.json");
  EXPECT_EQ(offered("run -a n=1 -a o"), "words operator=");
  EXPECT_EQ(offered("run --json --dev"), "words") << "a file is named next, whatever its name";
  EXPECT_EQ(offered("compare --variants reduce/harris1 reduce/cpu_s"), "words reduce/cpu_serial");
  EXPECT_EQ(offered("compare --variants x y ab/"), "paths ab/sub/");
  EXPECT_EQ(offered("claims --json ab/"), "paths ab/sub/ ab/x.json ab/y.txt");
  EXPECT_EQ(offered("claims --json --fail"), "words --fail-on-claim");
  EXPECT_EQ(offered("claims --json --md=y ab/"), "paths ab/sub/");
  EXPECT_EQ(offered("claims --json y ab/"), "paths ab/sub/");
}

}  // namespace
}  // namespace redbench
