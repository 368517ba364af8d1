// What a shell is offered for a word of a command line: the words, and whether it adds files or folders.
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// Each line: the words that are typed, the last to be completed; then what the shell adds, and the words.
TEST(Completion, OffersWhatFitsTheLastWord) {
  std::string text;
  for (const char* words :
       {"", "''", "w", "-", "worker ''", "list ''", "help com", "completion z ''",
        // By the name that the help gives a value; of numbers nothing is offered.
        "run -d ''", "plan --device=ho", "describe gath", "why x reduce/cpu_s",
        "reproduce all --precision ''", "claims -b slides/", "run c --set measure.max_n",
        "run c --mode cold,w", "run x --axis n=", "run x -a given=", "run x -a type=i32,f",
        "plan configs/selft", "cachesim x.json --machine=h", "results a", "run x --csv a",
        // An option takes one word, or two, or may take one; what follows is an argument again.
        "describe - reduce/harris7", "list -b x --js", "compare a --variants reduce/harris1 reduce/harris7",
        "compare a --variants x y r", "claims --json ''", "claims --json --m", "claims a --json b ''"}) {
    const Answer answer = redbench(std::string("completion --complete ") + words);
    EXPECT_EQ(answer.exit_code, exit_fine) << words;
    std::string line = std::string(words) + ": " + answer.text;
    std::ranges::replace(line.begin(), line.end() - 1, '\n', ' ');
    if (const std::size_t at = line.find(" cuda "); at != line.npos) line.erase(at, 5);  // not in every build
    text += line;
  }
  expect_golden("cli/completion.txt", text);
}

// Else the script of a shell is printed, as it is in the repository.
TEST(Completion, IsAskedForByTwoWords) {
  EXPECT_EQ(redbench("list --complete x").text,
            "redbench: redbench list has no flag `--complete`; redbench list --help lists them\n");
  for (const std::string shell : {"bash", "fish", "zsh"})
    EXPECT_EQ(redbench("completion " + shell).text,
              text_in(REDBENCH_SOURCE_DIR "/scripts/completion/redbench." + shell));
}

}  // namespace
}  // namespace redbench
