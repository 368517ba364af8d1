// The manual page and the help of a command, whole, and what `help` does not explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::EndsWith;
using testing::StartsWith;

constexpr const char* completion_section =
    R"(.SS completion
\fBredbench completion [OPTIONS] SHELL
\fR
.PP
Prints a script for bash, zsh or fish. With it, the Tab key completes commands, options, variants, configs, )"
    R"(devices, axes, keys and papers. The script asks redbench itself, so it offers what the program at hand )"
    R"(knows, a kernel of your own included. `cmake \-\-install` puts the scripts where the shells look for them.
.TP
\fBSHELL REQUIRED\fR
bash, zsh or fish
.PP
Writes: nothing
.PP
Exit codes:
.TP
\fB0\fR
fine
.TP
\fB1\fR
the machine failed: its memory, a process or a device
.TP
\fB2\fR
a mistake in the command line or in a file, or output that cannot be written
.PP
Examples:
.TP
\fBsource <(redbench completion bash)\fR
in this shell; in ~/.bashrc, in each
.TP
\fBredbench completion fish\fR
the script for fish
.PP
See also: README.md (Install)
.SS help
)";

constexpr const char* help_section =
    R"(.SS help
\fBredbench help [OPTIONS] [COMMAND...]
\fR
.PP
Prints what \-\-help prints: of the program, or of one command. With \-\-man the texts of all commands are )"
    R"(one manual page in roff, which `cmake \-\-install` puts where `man redbench` finds it.
.TP
\fBCOMMAND ...\fR
the command that is explained
.TP
\fB\-\-man\fR
all commands, as a page for man
.PP
Writes: nothing
.PP
Exit codes:
.TP
\fB0\fR
fine
.TP
\fB1\fR
the machine failed: its memory, a process or a device
.TP
\fB2\fR
a mistake in the command line or in a file, or output that cannot be written
.PP
Examples:
.TP
\fBredbench help run\fR
as redbench run \-\-help
.TP
\fBredbench help \-\-man > redbench.1\fR
the manual page; `man ./redbench.1` shows it
.PP
See also: README.md
.SH SEE ALSO
The pages that are named above are installed in share/doc/redbench.
)";

TEST(ManPage, IsOfAllCommandsInTheirOrder) {
  const Answer man = redbench("help --man");
  EXPECT_EQ(man.exit_code, exit_fine);
  const std::string version = redbench("--version").text;
  const std::string first = version.substr(0, version.find('\n'));  // "redbench 0.1.0"
  EXPECT_THAT(man.text, StartsWith(".TH REDBENCH 1 \"\" \"" + first +
                                   "\"\n.nh\n.ad l\n.SH NAME\n"
                                   "redbench \\- benchmarks of parallel reductions on GPUs\n"
                                   ".SH SYNOPSIS\n\\fBredbench\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n"
                                   "redbench: which GPU reduction is fastest, by how much, and why.\n\n"
                                   ".SH COMMANDS\n.SS list\n\\fBredbench list [OPTIONS]\n"));
  EXPECT_THAT(man.text, testing::HasSubstr(completion_section));
  EXPECT_THAT(man.text, EndsWith(help_section));
  std::string sections;
  std::istringstream lines(man.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".SS ")) sections += line.substr(3);
    if (line.starts_with('.')) {
      EXPECT_THAT(line.substr(0, 3), testing::AnyOf(".TH", ".nh", ".ad", ".SH", ".SS", ".PP", ".TP")) << line;
    }
  }
  EXPECT_EQ(
      sections,
      " list describe plan run verify profile results tables compare selftest claims cachesim reproduce "
      "why fields schema new\\-variant doctor completion help");
}

TEST(HelpCommand, IsThatOfTheOption) {
  const Answer help = redbench("help completion");
  EXPECT_EQ(help.exit_code, exit_fine);
  EXPECT_EQ(help.text, R"(redbench completion: what makes a shell complete redbench's command lines

Prints a script for bash, zsh or fish. With it, the Tab key completes commands,
options, variants, configs, devices, axes, keys and papers. The script asks
redbench itself, so it offers what the program at hand knows, a kernel of your
own included. `cmake --install` puts the scripts where the shells look for them.

Usage: redbench completion [OPTIONS] SHELL

Positionals:
  SHELL REQUIRED          bash, zsh or fish

Options:
  -h,--help               prints this text

Writes:
  nothing

Exit codes:
  0    fine
  1    the machine failed: its memory, a process or a device
  2    a mistake in the command line or in a file, or output that cannot be
       written

Examples:
  source <(redbench completion bash)
      in this shell; in ~/.bashrc, in each
  redbench completion fish
      the script for fish

See also:
  README.md (Install)
)");
  EXPECT_EQ(redbench("completion --help").text, help.text);
  EXPECT_EQ(redbench("help").text, redbench("--help").text);
}

TEST(HelpCommand, ExplainsOneCommandAtMost) {
  const std::string there_are =
      "; there are `list`, `describe`, `plan`, `run`, `verify`, `profile`, `results`, `tables`, `compare`, "
      "`selftest`, `claims`, `cachesim`, `reproduce`, `why`, `fields`, `schema`, `new-variant`, `doctor`, "
      "`completion` or `help`\n";
  for (const auto& [arguments, said] :
       {std::pair<std::string, std::string>("run plan", "one command at most is explained\n"),
        {"run plan verify", "one command at most is explained\n"},
        {"--man run", "--man is the page of all commands, and takes none\n"},
        {"runn", "there is no command `runn`; did you mean `run`?" + there_are},
        {"worker", "there is no command `worker`" + there_are}}) {
    const Answer answer = redbench("help " + arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments;
    EXPECT_EQ(answer.text, "redbench: redbench help: " + said) << arguments;
  }
  for (const char* unknown : {"csh", "fishh"}) {
    const Answer answer = redbench(std::string("completion ") + unknown);
    EXPECT_EQ(answer.exit_code, exit_usage);
    EXPECT_EQ(answer.text, std::string("redbench: redbench completion ") + unknown +
                               ": there is no such shell" +
                               (*unknown == 'f' ? "; did you mean `fish`?" : "; did you mean `zsh`?") +
                               "; there are `bash`, `fish` or `zsh`\n");
  }
}

// A folder that was removed while somebody stood in it has no name any more, whatever the system lets one do
// there.
TEST(DoctorLines, AFolderThatIsGoneCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string text =
      answer_of("sh",
                "-c 'mkdir gone && cd gone && rmdir ../gone && exec " REDBENCH_BINARY " doctor' 2>/dev/null",
                folder.path())
          .text;
  EXPECT_THAT(text, testing::HasSubstr(
                        "\nmissing  disk          cannot be written: run elsewhere, or with --out DIR\n"));
}

}  // namespace
}  // namespace redbench
