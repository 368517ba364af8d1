// What a shell is offered for a word of a command line: the words, and whether it adds files or folders.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "src/build_facts.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Words that are typed, the last to be completed; then the answer, with a bar behind each of its lines.
using Rows = std::vector<std::pair<std::string, std::string>>;

void expect_offers(const Rows& rows) {
  for (const auto& [words, lines] : rows) {
    const Answer answer = redbench("completion --complete " + words);
    EXPECT_EQ(answer.exit_code, exit_fine) << words;
    std::string text = answer.text;
    for (char& c : text)
      if (c == '\n') c = '|';
    EXPECT_EQ(text, lines) << words;
  }
}

TEST(Completion, OffersCommandsAndFlags) {
  expect_offers(
      {{"", "words|"},
       {"''",
        "words|cachesim|claims|compare|completion|describe|doctor|fields|help|list|new-variant|plan|profile|"
        "reproduce|results|run|schema|selftest|tables|verify|why|"},
       {"w", "words|why|"},  // and not the worker, which is for no user
       {"-", "words|--help|--version|"},
       {"list ''", "words|--benchmark|--help|--json|--variants|"},
       {"help com", "words|compare|completion|"},
       {"completion z ''", "words|--help|"}});
}

// By the name that the help gives the value; of numbers nothing is offered.
TEST(Completion, OffersWhatAValueMayBe) {
  const bool with_cuda = std::string_view(build_facts.cuda_compiler) != "none";
  expect_offers(
      {{"run -d ''",
        fmt::format(
            "words|auto|{}host|simt|simt:a100|simt:gtx480|simt:gtx690|simt:h200|simt:k20x|simt:rtx3070|",
            with_cuda ? "cuda|" : "")},
       {"plan --device=ho", "words|--device=host|"},
       {"describe gath",
        "words|gather|gather/cpu_sequential|gather/cpu_sorted|gather/multipass|gather/naive|"},
       {"why x reduce/cpu_s", "files|reduce/cpu_serial|"},
       {"reproduce all --precision ''", "words|default|paper|quick|"},
       {"claims -b slides/", "words|slides/harris-ladder|"},
       {"run c --set measure.max_n", "words|measure.max_noise=|"},
       {"run c --mode cold,w", "words|cold,warm|"},
       {"run x --axis n=", "words|"},
       {"run x -a given=", "words|given=offsets|given=owners|"},
       {"run x -a type=i32,f", "words|type=i32,f16|type=i32,f32|type=i32,f64|"},
       {"plan configs/selft", "files|configs/selftest.json|"},
       {"cachesim x.json --machine=h", "files|--machine=host|"},
       {"results a", "folders|"},
       {"run x --csv a", "files|"}});
}

// An option takes one word, or two, or may take one; what follows is an argument again.
TEST(Completion, KnowsWhoseAWordIs) {
  expect_offers({{"describe - reduce/harris7", "words|"},  // "-" is the variant, and there is no second
                 {"list -b x --js", "words|--json|"},
                 {"compare a --variants reduce/harris1 reduce/harris7", "words|reduce/harris7|"},
                 {"compare a --variants x y r", "folders|"},
                 // A path that may be left out is none that begins like a flag.
                 {"claims --json ''", "files|"},
                 {"claims --json --m", "words|--md|"},
                 {"claims a --json b ''", "folders|"}});
}

// Else the script of a shell is printed, as it is in the repository.
TEST(Completion, IsAskedForByTwoWords) {
  EXPECT_EQ(redbench("list --complete x").text,
            "redbench: redbench list has no flag `--complete`; redbench list --help lists them\n");
  for (const std::string shell : {"bash", "fish", "zsh"}) {
    std::ifstream file(REDBENCH_SOURCE_DIR "/scripts/completion/redbench." + shell);
    EXPECT_EQ(redbench("completion " + shell).text, std::string(std::istreambuf_iterator<char>(file), {}));
  }
}

}  // namespace
}  // namespace redbench
