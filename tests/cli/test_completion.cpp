// What a shell is offered for a word of a command line: each answer whole, in a folder of known files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "src/build_facts.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Rows = std::vector<std::pair<const char*, const char*>>;

class Completion : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"x.json", "a.txt", "a b.json", "a\\b.json", "a\"q.json", "two\nlines",
                             "runs/.in", "runs/in", ".hidden/x.json"})
      folder_.write(name, "");
  }
  /// The answer's lines after the first, which says what kind they are, with a bar behind each.
  std::string offered(const std::string& words) {
    const Answer answer = answer_of("env HOME=" + folder_.path() + " " REDBENCH_BINARY,
                                    "completion --complete " + words, folder_.path());
    EXPECT_EQ(answer.exit_code, exit_fine) << words;
    std::string text = answer.text;
    for (char& c : text)
      if (c == '\n') c = '|';
    return text;
  }
  void expect(const Rows& rows) {
    for (const auto& [words, lines] : rows) EXPECT_EQ(offered(words), lines) << words;
  }
  TemporaryFolder folder_;
};

TEST_F(Completion, OffersCommandsAndFlags) {
  expect(
      {{"", "words|"},
       {"''",
        "words|cachesim|claims|compare|completion|describe|doctor|fields|help|list|new-variant|plan|profile|"
        "reproduce|results|run|schema|selftest|tables|verify|why|"},
       {"w", "words|why|"},  // and not the worker, which is none for users
       {"nothing ''", "words|"},
       {"-", "words|--help|--version|"},
       {"--ver", "words|--version|"},
       {"-h", "words|-h|"},
       {"-x", "words|"},
       {"list -", "words|--benchmark|--help|--json|--variants|"},
       {"list ''", "words|--benchmark|--help|--json|--variants|"},
       {"list --json=x ''", "words|--benchmark|--help|--json|--variants|"},
       {"list --ver", "words|"},
       {"list -b", "words|-b|"},
       {"list -x", "words|"},
       {"list -- ''", "words|"},
       {"list -- -", "words|"},
       {"help com", "words|compare|completion|"},
       {"completion ''", "words|bash|fish|zsh|"},
       {"completion z", "words|zsh|"},
       {"completion z ''", "words|--help|"},
       {"plan a ''",
        "words|--axis|--benchmark|--device|--help|--json|--max-noise|--max-samples|--min-samples|--mode|"
        "--seed|--set|--timeout|--variants|"},
       {"plan a x", "words|"}});
}

// By the name that the help gives the value; of numbers nothing is offered.
TEST_F(Completion, OffersWhatAValueMayBe) {
  const bool with_cuda = std::string_view(build_facts.cuda_compiler) != "none";
  EXPECT_EQ(offered("run -d ''"),
            fmt::format("words|auto|{}host|simt|simt:a100|simt:gtx480|simt:gtx690|simt:h200|simt:k20x|"
                        "simt:rtx3070|",
                        with_cuda ? "cuda|" : ""));
  expect({{"plan --device=ho", "words|--device=host|"},
          {"run --device=simt:g", "words|--device=simt:gtx480|--device=simt:gtx690|"},
          {"run --nothing=x", "words|"},
          {"list -b reduce/cpu_s", "words|reduce/cpu_serial|"},
          {"list --variants=reduce/cpu_s", "words|--variants=reduce/cpu_serial|"},
          {"describe gath",
           "words|gather|gather/cpu_sequential|gather/cpu_sorted|gather/multipass|gather/naive|"},
          {"profile reduce/cpu_s", "words|reduce/cpu_serial|"},
          {"why x reduce/cpu_s", "words|reduce/cpu_serial|"},
          {"new-variant g", "words|gather/|"},
          {"new-variant reduce/x --from reduce/cpu_s", "words|reduce/cpu_serial|"},
          {"reproduce m", "words|martin2012|"},
          {"reproduce all --precision ''", "words|default|paper|quick|"},
          {"claims -b slides/", "words|slides/harris-ladder|"},
          {"run c --set measure.max_n", "words|measure.max_noise=|"},
          {"run c --set=seed", "words|--set=seed=|"},
          {"run c --set seed=", "words|"},
          {"run c --mode ''", "words|cold|graph|warm|"},
          {"run c --mode cold,w", "words|cold,warm|"},
          {"run x -a o", "words|operator=|"},
          {"run x -a seg", "words|segments=|"},
          {"run x --axis n=", "words|"},
          {"run x -a given=", "words|given=offsets|given=owners|"},
          {"run x -a type=",
           "words|type=c32|type=c64|type=f16|type=f32|type=f64|type=i32|type=i64|type=u32|type=u8|"},
          {"run x -a type=i32,f", "words|type=i32,f16|type=i32,f32|type=i32,f64|"},
          {"run x -a operator=m", "words|operator=max|operator=min|"},
          {"run x --seed ''", "words|"},
          {"tables --width ''", "words|"}});
}

// Of an option those that it still takes are its values; what follows is an argument again.
TEST_F(Completion, KnowsWhoseAWordIs) {
  expect({{"describe - reduce/harris7", "words|"},  // "-" is the variant, and there is no second
          {"describe -d", "words|-d|"},
          {"plan -d ho -- x", "paths|x.json|"},
          {"run -d host x", "paths|x.json|"},
          {"run -dhost x", "paths|x.json|"},
          {"run --nothing x", "paths|x.json|"},
          {"run --set seed=1 -b y x", "paths|x.json|"},
          {"list -b x --js", "words|--json|"},
          {"compare a --variants reduce/harris1 reduce/harris7", "words|reduce/harris7|"},
          {"compare a --variants x y re", "words|"},
          {"compare a --variants x y r", "paths|runs/|"},
          // A path that may be left out is none that begins like a flag.
          {"claims --json ''", "paths|a b.json|a\"q.json|a.txt|a\\b.json|runs/|x.json|"},
          {"claims --json --m", "words|--md|"},
          {"claims --json --md=x ''", "paths|runs/|"},
          {"claims --json -- ''", "paths|runs/|"},
          {"claims -- --json ''", "paths|runs/|"},
          {"claims a --json b ''", "paths|runs/|"},
          {"plan a -- ''", "words|"},
          {"plan a -- -", "words|"}});
}

// Folders alone, configs or all files, as the value is; none that a shell which reads lines would break.
TEST_F(Completion, OffersPathsOfTheFolderThatAWordIsIn) {
  expect({{"results ''", "paths|runs/|"},
          {"results .", "paths|.hidden/|"},
          {"results runs/", "words|"},
          {"run x --out r", "paths|runs/|"},
          {"run x --csv a", "paths|a b.json|a\"q.json|a.txt|a\\b.json|"},
          {"run x --csv t", "words|"},
          {"run x --csv runs/", "paths|runs/in|"},
          {"run x --csv runs/.", "paths|runs/.in|"},
          {"run x", "paths|x.json|"},
          {"run a", "paths|a b.json|a\"q.json|a\\b.json|"},
          {"run .hidden/", "paths|.hidden/x.json|"},
          {"run '~/x'", "paths|~/x.json|"},
          {"run nowhere/x", "words|"},
          {"cachesim x.json -m ''", "paths|a b.json|a\"q.json|a\\b.json|core2_t7300|host|runs/|x.json|"},
          {"cachesim x.json --machine=h", "words|--machine=host|"},
          {"cachesim x.json --machine=x", "paths|--machine=x.json|"}});
  EXPECT_EQ(offered("run " + folder_.path() + "/x"), "paths|" + folder_.path() + "/x.json|");
}

// The last quote may be open, and within one the other is a character like any.
TEST_F(Completion, ReadsAWordAsAShellWould) {
  expect({{R"(run '"a b')", "paths|a b.json|"},
          {R"(run 'a\ b')", "paths|a b.json|"},
          {R"(run "'a b")", "paths|a b.json|"},
          {R"(run "'a 'b")", "paths|a b.json|"},
          {R"(run "'a '\"b")", "paths|a b.json|"},
          {R"(run "\"a\"' b'")", "paths|a b.json|"},
          {R"(run '"a\"q')", "paths|a\"q.json|"},
          {R"(run "'a\"q")", "paths|a\"q.json|"},
          {R"(run "'a\\b")", "paths|a\\b.json|"},
          {R"(run 'a\')", "paths|a\\b.json|"},
          {R"(run 'a\\')", "paths|a\\b.json|"},
          {R"(list "''")", "words|--benchmark|--help|--json|--variants|"}});
}

// It is asked for by these two words alone; else the script of a shell is printed, as it is in the
// repository.
TEST_F(Completion, IsAskedForByTwoWords) {
  EXPECT_EQ(redbench("list --complete x").text,
            "redbench: redbench list has no flag `--complete`; redbench list --help lists them\n");
  for (const std::string shell : {"bash", "fish", "zsh"}) {
    std::ifstream file(REDBENCH_SOURCE_DIR "/scripts/completion/redbench." + shell);
    EXPECT_EQ(redbench("completion " + shell).text, std::string(std::istreambuf_iterator<char>(file), {}));
  }
}

}  // namespace
}  // namespace redbench
