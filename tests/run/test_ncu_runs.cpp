// A run under Nsight Compute: what ncu is told, found by and believed, of an ncu that notes just that.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "src/run/nsight_compute.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> columns{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                       "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                       "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
                                       "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                                       "smsp__sass_inst_executed_op_shared_ld.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                       "smsp__sass_inst_executed_op_shared_st.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                                       "smsp__sass_inst_executed_op_shared_atom.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                                       "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"};

/// A row for each kernel, whose first column has `counts`, one each.
std::string table_of(const std::vector<std::string>& kernels, const std::vector<std::string>& counts) {
  std::string table = "\"Kernel Name\"", units = "\"\"";
  for (const std::string& column : columns) {
    table += ",\"" + column + "\"";
    units += ",\"\"";
  }
  table += "\n" + units + "\n";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    table += "\"" + kernels[i] + "\",\"" + counts[i] + "\"";
    for (std::size_t k = 1; k < columns.size(); ++k) table += ",\"0\"";
    table += '\n';
  }
  return table;
}

/// Run by a test below, for its command line: what it asks for is in its environment.
TEST(PlayedProfile, DISABLED_RunsAgain) {
  const char* const ncu = std::getenv("REDBENCH_TEST_NCU");
  ASSERT_TRUE(ncu);
  for (const MeasuredLaunch& launch : run_again_under(ncu))
    std::cout << launch.kernel << '=' << launch.counters["global_load_requests"] << ';';
}

class NcuRuns : public testing::Test {
 protected:
  NcuRuns() {
    fs::create_directory(temporary_);
    ::setenv("TMPDIR", temporary_.c_str(), 1);
  }
  ~NcuRuns() override {
    ::setenv("PATH", path_.c_str(), 1);
    if (tmpdir_.empty()) ::unsetenv("TMPDIR");
    else ::setenv("TMPDIR", tmpdir_.c_str(), 1);
  }

  /// An ncu that notes what it is given, takes its time, prints, leaves a table and ends so.
  std::string ncu(const std::string& table, const std::string& end) const {
    folder_.write("table", table);
    const std::string script = folder_.write("bin/ncu", R"(#!/bin/sh
for word; do printf '%s\n' "$word"; done > )" + folder_.path() +
                                                            R"(/words
printf '%s' "$REDBENCH_UNDER_NCU" > )" + folder_.path() + R"(/under
echo noise
while [ "$1" != --log-file ]; do shift; done
sleep 0.02
cat )" + folder_.path() + "/table > \"$2\"\n" + end + "\n");
    fs::permissions(script, fs::perms::owner_all);
    return script;
  }
  static std::ptrdiff_t files_of(const std::string& folder) {
    return std::distance(fs::directory_iterator(folder), {});
  }

  TemporaryFolder folder_;
  const std::string temporary_ = folder_.path() + "/tmp";
  const std::string tmpdir_ = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "", path_ = std::getenv("PATH");
};

// The bug: the words of the command line, or the metrics, did not reach ncu as they are.
TEST_F(NcuRuns, TheSameCommandRunsWithAllMetrics) {
  const std::string exe = fs::read_symlink("/proc/self/exe");
  const Answer answer = answer_of(
      "env REDBENCH_TEST_NCU=" + ncu(table_of({"tree", "fill"}, {"5", "1,234"}), "exit 0") + " " + exe,
      "--gtest_filter=PlayedProfile.* --gtest_also_run_disabled_tests 'two words' ''", folder_.path());
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("tree=5;fill=1234;"));
  EXPECT_THAT(answer.text, Not(HasSubstr("noise"))) << "what the second run prints nobody wants";

  std::vector<std::string> words = lines_of(folder_.path() + "/words");
  ASSERT_GT(words.size(), 11u);
  EXPECT_TRUE(words[11].starts_with(temporary_ + "/redbench-")) << words[11];
  words[11] = "its table";
  EXPECT_EQ(words, (std::vector<std::string>{
                       "--target-processes", "all", "--clock-control", "none", "--csv", "--page", "raw",
                       "--print-units", "base", "--force-overwrite", "--log-file", "its table", "--metrics",
                       fmt::format("{}", fmt::join(columns, ",")), exe, "--gtest_filter=PlayedProfile.*",
                       "--gtest_also_run_disabled_tests", "two words", ""}));
}

// The bug: files and descriptors stayed behind; the process took itself for the one under ncu.
TEST_F(NcuRuns, LeaveNothingBehind) {
  const std::string script = ncu(table_of({"tree"}, {"7"}), "exit 0");
  const std::ptrdiff_t open = files_of("/proc/self/fd");
  EXPECT_FALSE(is_under_ncu());
  const std::vector<MeasuredLaunch> launches = run_again_under(script);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "tree");
  EXPECT_EQ(launches[0].counters["global_load_requests"], 7);
  EXPECT_FALSE(is_under_ncu());
  EXPECT_EQ(lines_of(folder_.path() + "/under"), std::vector<std::string>{"1"});
  EXPECT_EQ(files_of(temporary_), 0);
  EXPECT_EQ(files_of("/proc/self/fd"), open);

  ::setenv("REDBENCH_UNDER_NCU", "", 1);
  EXPECT_TRUE(is_under_ncu());
  ::unsetenv("REDBENCH_UNDER_NCU");
}

// The bug: descriptor 0, which is free here, was no file.
TEST_F(NcuRuns, NeedNoStandardInput) {
  const std::string script = ncu(table_of({"tree"}, {"7"}), "exit 0");
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  ::close(STDIN_FILENO);
  EXPECT_EQ(run_again_under(script).size(), 1u);
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  ::close(input);
}

// Cases that fail or are wrong were counted, too.
TEST_F(NcuRuns, EndAsTheirCasesCameToOrSayWhy) {
  const std::string table = table_of({"tree"}, {"7"});
  for (const int code : {0, 1, 4})
    EXPECT_EQ(run_again_under(ncu(table, fmt::format("exit {}", code))).size(), 1u) << code;
  for (const auto& [end, code] :
       {std::pair("exit 2", 2), {"exit 3", 3}, {"exit 130", 130}, {"kill -9 $$", 137}}) {
    const std::string script = ncu("==PROF== fine\n==ERROR== one\n" + table + "==ERROR== two\n", end);
    EXPECT_EQ(usage_error([&] { run_again_under(script); }),
              fmt::format("{} ended with {}: ==ERROR== one: ==ERROR== two", script, code));
  }
  const std::string none = folder_.path() + "/bin/none";
  EXPECT_EQ(usage_error([&] { run_again_under(none); }),
            none + ": cannot be started: No such file or directory");
  EXPECT_EQ(files_of(temporary_), 0);
  const std::string silent = ncu("", "exit 0");
  EXPECT_EQ(usage_error([&] { run_again_under(silent); }),
            silent + ": no table of ncu's page `raw`: it starts with a row that has a `Kernel Name`");
}

TEST_F(NcuRuns, NcuIsTheFirstOfThePathThatCanRun) {
  ncu("", "");
  folder_.write("plain/ncu", "no program");
  const std::string plain = folder_.path() + "/plain", bin = folder_.path() + "/bin";
  ::setenv("PATH", (folder_.path() + ":" + plain + ":" + bin).c_str(), 1);
  EXPECT_EQ(find_ncu(), bin + "/ncu");
  ::setenv("PATH", plain.c_str(), 1);
  EXPECT_EQ(find_ncu(), "");
  ::unsetenv("PATH");
  EXPECT_EQ(find_ncu(), "");
}

// The bugs: the first column was not read; the start of what is no number was one; a name lost its first
// letter.
TEST(NcuTables, ACountIsAWholeNumberOrNone) {
  const std::vector<std::string> counts{"1,234,567", "1.5e3", "2.9", "0",     "12x",
                                        "-5",        "",      "n/a", "1e999", "--1"};
  const std::vector<std::string> kernels{"void tree(int)",
                                         "void <unnamed>::b<1>(int)",
                                         "c ()",
                                         "a::(anonymous namespace)::d",
                                         "{anonymous}::e",
                                         "f",
                                         "g",
                                         "voided",
                                         "i",
                                         "<unnamed>"};
  std::string text;
  for (const MeasuredLaunch& launch : read_ncu_table(table_of(kernels, counts), "x.csv"))
    text += launch.kernel + "=" + launch.counters["global_load_requests"].dump() + "," +
            launch.counters["global_atomic_sectors"].dump() + " ";
  EXPECT_EQ(text,
            "tree=1234567,0 b=1500,0 c=2,0 d=0,0 e=null,0 f=null,0 g=null,0 voided=null,0 i=null,0 =null,0 ");
}

}  // namespace
}  // namespace redbench
