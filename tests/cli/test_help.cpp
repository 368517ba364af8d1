// What --help and the manual page say, and the texts that other commands print as they are.
#include <gmock/gmock.h>

#include <sstream>

#include "src/build_facts.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

std::vector<std::string> commands() {
  std::vector<std::string> names;
  std::istringstream lines(redbench("--help").text);
  bool listed = false;
  for (std::string line; std::getline(lines, line) && (!listed || !line.empty());) {
    if (listed && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Subcommands:";
  }
  return names;
}

// The same with each version of CLI11, on lines of at most 80 characters.
TEST(Help, IsAPageOfEachCommand) {
  std::string text = redbench("--help").text;
  EXPECT_EQ(redbench("help").text, text);
  for (const std::string& command : commands()) {
    const Answer page = redbench(command + " --help");
    EXPECT_EQ(page.exit_code, exit_fine);
    EXPECT_EQ(page.text, redbench("help " + command).text);
    text += '\n' + page.text;
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_example = line.starts_with("  redbench ");  // whose line is not broken
    EXPECT_TRUE(is_example || line.size() <= 80) << line;
  }
}

// The pages of --help, of which the golden file shows one.
TEST(Help, TheManualPageHasEachCommandsPage) {
  const Answer answer = redbench("help --man");
  ASSERT_EQ(answer.exit_code, exit_fine);
  std::string page = answer.text;
  for (const std::string& command : commands()) {
    std::string name = command;
    if (const std::size_t dash = name.find('-'); dash != name.npos) name.insert(dash, "\\");
    EXPECT_THAT(page, HasSubstr("\n.SS " + name + "\n"));
  }
  const auto cut = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = page.find(from);
    page.erase(begin, page.find(to, begin) - begin);
  };
  cut(".SS list\n", ".SS compare\n");
  cut(".SS selftest\n", ".SH SEE ALSO");
  page.replace(page.find(build_facts.version), std::string(build_facts.version).size(), "VERSION");
  expect_golden("cli/man_page.txt", page);
}

}  // namespace
}  // namespace redbench
