// The texts of commands as a page for `man` and as --help, whole: of a program with two commands of its own.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "src/build_facts.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// With texts that are longer than a line, and such as roff would take for its own.
class TwoCommands : public testing::Test {
 protected:
  TwoCommands() {
    format_help(app_);
    CLI::App& command = add_command(
        app_,
        {.name = "weigh-it",
         .what = "the weight of one thing, or of a number of things of which each has a name of its own",
         .about =
             ".A line that begins with a dot. The next sentence is there to make the text longer than the "
             "eighty characters of a line.",
         .writes =
             "'weights' in a file of the folder from which it is called, or in the one that --out names",
         .exits = {{exit_failed, "too heavy"},
                   {exit_wrong,
                    "it is the weight of something else that lay there "
                    "before, which nobody had taken away"}},
         .examples = {{"redbench weigh-it a\\b",
                       "the backslash is a part of the name, as a shell would have it "
                       "in a word without quotes"},
                      {".run", "so"}},
         .see =
             "docs/weights.md, docs/scales.md, docs/lengths.md, docs/masses.md, docs/units-of-all-kinds.md"},
        exit_code_, [] { return 3; });
    add_argument(command, "THING", thing_, "what is weighed");
    add_flag(command, "-g,--grams", grams_, "in grams");
    add_command(app_,
                {.name = "b",
                 .what = "no more",
                 .about = "About.",
                 .writes = "nothing",
                 .exits = {},
                 .examples = {},
                 .see = "README.md"},
                exit_code_, [] { return 4; });
    add_hidden_command(app_, "inner", exit_code_, [] { return 5; });
  }

  CLI::App app_{"what it is for", "redbench"};
  int exit_code_ = 0;
  std::string thing_;
  bool grams_ = false;
};

TEST_F(TwoCommands, AsAManPage) {
  const std::string exits = ".PP\nExit codes:\n.TP\n\\fB0\\fR\nfine\n.TP\n\\fB1\\fR\n";
  const std::string mistake =
      ".TP\n\\fB2\\fR\na mistake in the command line or in a file, or output that cannot be written\n";
  EXPECT_EQ(man_page(app_),
            std::string(".TH REDBENCH 1 \"\" \"redbench ") + build_facts.version +
                "\"\n"
                ".nh\n"
                ".ad l\n"
                ".SH NAME\n"
                "redbench \\- benchmarks of parallel reductions on GPUs\n"
                ".SH SYNOPSIS\n"
                "\\fBredbench\\fR \\fICOMMAND\\fR ...\n"
                ".SH DESCRIPTION\n"
                "what it is for\n"
                ".SH COMMANDS\n"
                ".SS weigh\\-it\n"
                "\\fBredbench weigh\\-it [OPTIONS] THING\\fR\n"
                ".PP\n"
                "\\&.A line that begins with a dot. The next sentence is there to make the text longer than "
                "the eighty "
                "characters of a line.\n"
                ".TP\n"
                "\\fBTHING REQUIRED\\fR\n"
                "what is weighed\n"
                ".TP\n"
                "\\fB\\-g,\\-\\-grams\\fR\n"
                "in grams\n"
                ".PP\n"
                "Writes: \\&'weights' in a file of the folder from which it is called, or in the one that "
                "\\-\\-out "
                "names\n" +
                exits + "too heavy\n" + mistake +
                ".TP\n"
                "\\fB4\\fR\n"
                "it is the weight of something else that lay there before, which nobody had taken away\n"
                ".PP\n"
                "Examples:\n"
                ".TP\n"
                "\\fBredbench weigh\\-it a\\eb\\fR\n"
                "the backslash is a part of the name, as a shell would have it in a word without quotes\n"
                ".TP\n"
                "\\fB\\&.run\\fR\n"
                "so\n"
                ".PP\n"
                "See also: docs/weights.md, docs/scales.md, docs/lengths.md, docs/masses.md, "
                "docs/units\\-of\\-all\\-kinds.md\n"
                ".SS b\n"
                "\\fBredbench b [OPTIONS]\\fR\n"
                ".PP\n"
                "About.\n"
                ".PP\n"
                "Writes: nothing\n" +
                exits + "the machine failed: its memory, a process or a device\n" + mistake +
                ".PP\n"
                "Examples:\n"
                ".PP\n"
                "See also: README.md\n"
                ".SH SEE ALSO\n"
                "The pages that are named above are installed in share/doc/redbench.\n");
}

TEST_F(TwoCommands, AsHelpOnLinesOfEightyCharacters) {
  EXPECT_EQ(app_.get_subcommand("weigh-it")->help("redbench"),
            "redbench weigh-it: the weight of one thing, or of a number of things of which\n"
            "each has a name of its own\n"
            "\n"
            ".A line that begins with a dot. The next sentence is there to make the text\n"
            "longer than the eighty characters of a line.\n"
            "\n"
            "Usage: redbench weigh-it [OPTIONS] THING\n"
            "\n"
            "Positionals:\n"
            "  THING REQUIRED          what is weighed\n"
            "\n"
            "Options:\n"
            "  -h,--help               Print this help message and exit\n"
            "  -g,--grams              in grams\n"
            "\n"
            "Writes:\n"
            "  'weights' in a file of the folder from which it is called, or in the one that\n"
            "  --out names\n"
            "\n"
            "Exit codes:\n"
            "  0    fine\n"
            "  1    too heavy\n"
            "  2    a mistake in the command line or in a file, or output that cannot be\n"
            "       written\n"
            "  4    it is the weight of something else that lay there before, which nobody\n"
            "       had taken away\n"
            "\n"
            "Examples:\n"
            "  redbench weigh-it a\\b\n"
            "      the backslash is a part of the name, as a shell would have it in a word\n"
            "      without quotes\n"
            "  .run\n"
            "      so\n"
            "\n"
            "See also:\n"
            "  docs/weights.md, docs/scales.md, docs/lengths.md, docs/masses.md,\n"
            "  docs/units-of-all-kinds.md\n");
  EXPECT_EQ(help_of_program(app_),
            "what it is for\n"
            "\n"
            "Usage: redbench [OPTIONS] [SUBCOMMAND]\n"
            "\n"
            "Options:\n"
            "  -h,--help   Print this help message and exit\n"
            "\n"
            "Subcommands:\n"
            "  weigh-it    the weight of one thing, or of a number of things of which each\n"
            "              has a name of its own\n"
            "  b           no more\n");
}

TEST_F(TwoCommands, TheOneThatIsGivenActs) {
  app_.parse("b");
  EXPECT_EQ(exit_code_, 4);
  app_.parse("weigh-it stone -g");
  EXPECT_EQ(exit_code_, 3);
  EXPECT_EQ(thing_, "stone");
  EXPECT_TRUE(grams_);
  app_.parse("inner");
  EXPECT_EQ(exit_code_, 5);
}

TEST(HelpCommand, IsOfOneCommandOrOfAll) {
  const auto said = [](const std::string& arguments) {
    const Answer answer = redbench(arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    return answer.text;
  };
  const std::string commands =
      "there are `list`, `describe`, `plan`, `run`, `verify`, `profile`, `results`, `tables`, `compare`, "
      "`selftest`, `claims`, `cachesim`, `reproduce`, `why`, `fields`, `schema`, `new-variant`, `doctor`, "
      "`completion` or `help`\n";
  EXPECT_EQ(said("help --man run"),
            "redbench: redbench help: --man is the page of all commands, and takes none\n");
  EXPECT_EQ(said("help run plan"), "redbench: redbench help: one command at most is explained\n");
  EXPECT_EQ(said("help cmpare"),
            "redbench: redbench help: there is no command `cmpare`; did you mean `compare`?; " + commands);
  EXPECT_EQ(said("help worker"), "redbench: redbench help: there is no command `worker`; " + commands);
  EXPECT_EQ(redbench("help").text, redbench("--help").text);
  const Answer completion = redbench("help completion");
  EXPECT_EQ(completion.exit_code, exit_fine);
  EXPECT_EQ(completion.text, redbench("completion --help").text);
  EXPECT_THAT(completion.text, testing::StartsWith("redbench completion: what makes a shell complete "));
  const Answer man = redbench("help --man");
  EXPECT_EQ(man.exit_code, exit_fine);
  std::string sections;
  std::istringstream lines(man.text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(".SS ")) sections += line.substr(3);
  EXPECT_EQ(
      sections,
      " list describe plan run verify profile results tables compare selftest claims cachesim reproduce "
      "why fields schema new\\-variant doctor completion help");
  EXPECT_THAT(man.text, testing::StartsWith(".TH REDBENCH 1 \"\" \"redbench "));
  EXPECT_THAT(man.text,
              testing::HasSubstr("\n.SS help\n\\fBredbench help [OPTIONS] [COMMAND...]\\fR\n.PP\n"));
  EXPECT_THAT(man.text, testing::EndsWith("\n.SH SEE ALSO\nThe pages that are named above are installed in "
                                          "share/doc/redbench.\n"));
}

TEST(CompletionCommand, IsOfShellsThatThereAre) {
  for (const char* unknown : {"csh", "fishh"}) {
    const Answer answer = redbench(std::string("completion ") + unknown);
    EXPECT_EQ(answer.exit_code, exit_usage);
    EXPECT_EQ(answer.text, std::string("redbench: redbench completion ") + unknown +
                               ": there is no such shell" +
                               (*unknown == 'f' ? "; did you mean `fish`?" : "; did you mean `zsh`?") +
                               "; there are `bash`, `fish` or `zsh`\n");
  }
}

}  // namespace
}  // namespace redbench
