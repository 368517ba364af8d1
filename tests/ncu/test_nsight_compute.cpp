// The counters of a GPU: how Nsight Compute is run, by an ncu of the test's own, and what its table becomes.
#include "src/ncu/nsight_compute.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "src/records/derived.hpp"
#include "src/simt/counters.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The metrics, and the counter that each is a part of.
const std::pair<const char*, const char*> columns[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store_requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_store_sectors"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "global_atomic_requests"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "global_atomic_requests"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "global_atomic_sectors"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "global_atomic_sectors"},
    {"smsp__sass_inst_executed_op_shared_ld.sum", "shared_load_requests"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_wavefronts"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_load_conflicts"},
    {"smsp__sass_inst_executed_op_shared_st.sum", "shared_store_requests"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_wavefronts"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared_store_conflicts"},
    {"smsp__sass_inst_executed_op_shared_atom.sum", "shared_atomic_requests"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "shared_atomic_wavefronts"},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "shared_atomic_conflicts"},
    {"smsp__inst_executed_op_branch.sum", "branches"},
    {"smsp__sass_branch_targets_threads_divergent.sum", "divergent_branches"}};

/// Each kernel with the count of its first column; the k-th of the others has 2^k where `distinct`, else 0.
std::string table_of(const std::vector<std::pair<std::string, std::string>>& kernels, bool distinct = false) {
  std::string table = "\"Kernel Name\"", units = "\"\"";
  for (const auto& [metric, counter] : columns) {
    table += fmt::format(",\"{}\"", metric);
    units += ",\"\"";
  }
  table += "\n" + units + "\n";
  for (const auto& [kernel, count] : kernels) {
    table += fmt::format("\"{}\",\"{}\"", kernel, count);
    for (std::size_t k = 1; k < std::size(columns); ++k)
      table += fmt::format(",\"{}\"", distinct ? 1 << k : 0);
    table += '\n';
  }
  return table;
}

Record record_of(const std::vector<std::string>& kernels) {
  Record record{{"key", "reduce/x"}, {"outcome", "passed"}, {"launches", Json::array()}};
  for (const std::string& kernel : kernels) record["launches"].push_back({{"kernel", kernel}});
  return record;
}

TEST(NcuTable, EachCounterIsTheSumOfItsOwnColumns) {
  const std::vector<MeasuredLaunch> launches =
      read_ncu_table("==PROF== Connected to process 7\n" + table_of({{"f(int)", "1"}}, true), "x.csv");
  ASSERT_EQ(launches.size(), 1u);
  Json expected = Json::object();
  for (const std::string_view name : counter_names) expected[std::string(name)] = nullptr;
  for (std::size_t k = 0; k < std::size(columns); ++k)
    expected[columns[k].second] =
        expected[columns[k].second].is_null() ? 1 << k : expected[columns[k].second].get<int>() + (1 << k);
  EXPECT_EQ(launches[0].counters, expected);
}

// Demanglers differ in the space before the arguments, and in what they call a namespace without a name. The
// start of what is no number is none.
TEST(NcuTable, AKernelIsItsNameAndACountAWholeNumberOrNone) {
  std::string text;
  for (const MeasuredLaunch& launch : read_ncu_table(
           table_of({{"void redbench::<unnamed>::tree<redbench::Sum<int>>(const int *, long)", "1,234,567"},
                     {"void <unnamed>::b  <1>(int)", "1.5e3"},
                     {"c ()", "2.9"},
                     {"a::(anonymous namespace)::d", "12x"},
                     {"{anonymous}::e", "-5"},
                     {"voided", "n/a"},
                     {"<unnamed>", ""}}),
           "x.csv"))
    text += launch.kernel + "=" + launch.counters["global_load_requests"].dump() + " ";
  EXPECT_EQ(text, "tree=1234567 b=1500 c=2 d=null e=null voided=null =null ");
}

TEST(NcuTable, WhatIsNoTableIsRefused) {
  const auto error = [](const std::string& text) {
    return usage_error([&] { read_ncu_table(text, "x.csv"); });
  };
  EXPECT_EQ(error("==ERROR== no permission"),
            "x.csv: no table of ncu's page `raw`: it starts with a row that has a `Kernel Name`");
  EXPECT_EQ(error("\"ID\",\"Kernel Name\"\n\"\",\"\"\n"),
            "x.csv: no column l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(error(table_of({}) + "\"0\",\"tree\"\n"), "x.csv: a row of 2 fields under a header of 20");
}

// No ratio is made of what was not measured. Launches of other kernels, as those of libraries, are left out.
TEST(MeasuredCounters, GoToTheirRecordsInOrder) {
  const std::vector<MeasuredLaunch> launches =
      read_ncu_table(table_of({{"tree", "1024"}, {"fill", "1"}, {"tree", "5"}}), "x.csv");
  std::vector<Record> records{record_of({"tree"}), record_of({}), record_of({"tree"})};
  EXPECT_EQ(add_measured_counters(records, launches), "");
  EXPECT_EQ(records[0]["launches"][0]["counters"]["global_load_requests"], 1024);
  EXPECT_EQ(records[0]["launches"][0]["lines"], Json::array());
  EXPECT_FALSE(records[1].contains("counters")) << "a library's launches are not known";
  EXPECT_EQ(records[2]["counters"]["global_load_requests"], 5);
  std::vector<Record> both{record_of({"tree", "tree"})};
  EXPECT_EQ(add_measured_counters(both, launches), "");
  EXPECT_EQ(both[0]["counters"]["global_load_requests"], 1029);
  EXPECT_TRUE(both[0]["counters"]["barriers"].is_null()) << "not measured";
  add_derived_counts(both[0]["counters"]);
  EXPECT_TRUE(both[0]["counters"]["active_lanes"].is_null());
  EXPECT_FALSE(both[0]["counters"]["sectors"].is_null());

  std::vector<Record> missing{record_of({"tree", "other"})};
  EXPECT_EQ(add_measured_counters(missing, launches), "reduce/x: ncu has no launch of other for it");
  EXPECT_FALSE(missing[0].contains("counters"));
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

  /// An ncu that notes what it is given, prints, leaves a table and ends so.
  std::string ncu(const std::string& table, const std::string& end) const {
    folder_.write("table", table);
    const std::string script = folder_.write("bin/ncu", "#!/bin/sh\ncd " + folder_.path() + R"(
for word; do printf '%s\n' "$word"; done > words
printf '%s' "$REDBENCH_UNDER_NCU" > under
echo noise
while [ "$1" != --log-file ]; do shift; done
cat table > "$2"
)" + end + "\n");
    fs::permissions(script, fs::perms::owner_all);
    return script;
  }

  TemporaryFolder folder_;
  const std::string temporary_ = folder_.path() + "/tmp";
  const std::string tmpdir_ = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "", path_ = std::getenv("PATH");
};

// The bug: the words of the command line, or the metrics, did not reach ncu as they are.
TEST_F(NcuRuns, TheSameCommandRunsWithAllMetrics) {
  const std::string exe = fs::read_symlink("/proc/self/exe");
  const Answer answer = answer_of(
      "env REDBENCH_TEST_NCU=" + ncu(table_of({{"tree", "5"}, {"fill", "1,234"}}), "exit 0") + " " + exe,
      "--gtest_filter=PlayedProfile.* --gtest_also_run_disabled_tests 'two words' ''", folder_.path());
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("tree=5;fill=1234;"));
  EXPECT_THAT(answer.text, testing::Not(HasSubstr("noise"))) << "what the second run prints nobody wants";
  EXPECT_EQ(lines_of(folder_.path() + "/under"), std::vector<std::string>{"1"});

  std::string words, metrics;
  for (const std::string& word : lines_of(folder_.path() + "/words"))
    words += (word.starts_with(temporary_ + "/redbench-") ? "TABLE" : word) + "|";
  for (const auto& [metric, counter] : columns) metrics += (metrics.empty() ? "" : ",") + std::string(metric);
  EXPECT_EQ(words,
            "--target-processes|all|--clock-control|none|--csv|--page|raw|--print-units|base|"
            "--force-overwrite|--log-file|TABLE|--metrics|" +
                metrics + "|" + exe +
                "|--gtest_filter=PlayedProfile.*|--gtest_also_run_disabled_tests|two words||");
}

// Cases that fail or are wrong were counted, too. Nothing stays behind, and this process does not take itself
// for the one under ncu.
TEST_F(NcuRuns, EndAsTheirCasesCameToOrSayWhy) {
  const std::string table = table_of({{"tree", "7"}});
  for (const int code : {0, 1, 4})
    EXPECT_EQ(run_again_under(ncu(table, fmt::format("exit {}", code))).size(), 1u) << code;
  for (const auto& [end, code] : {std::pair("exit 2", 2), {"kill -9 $$", 137}}) {
    const std::string script = ncu("==PROF== fine\n==ERROR== one\n" + table + "==ERROR== two\n", end);
    EXPECT_EQ(usage_error([&] { run_again_under(script); }),
              fmt::format("{} ended with {}: ==ERROR== one: ==ERROR== two", script, code));
  }
  const std::string none = folder_.path() + "/bin/none";
  EXPECT_EQ(usage_error([&] { run_again_under(none); }), none + " ended with 127") << "there is none";
  EXPECT_TRUE(fs::is_empty(temporary_));
  EXPECT_FALSE(is_under_ncu());
  ::setenv("TMPDIR", "/proc", 1);  // where nobody can make a file
  EXPECT_THAT(usage_error([&] { run_again_under(none); }),
              testing::MatchesRegex("/proc/redbench-[A-Za-z0-9]+: cannot be made: [A-Z].*"));
}

TEST_F(NcuRuns, NcuIsTheFirstOfThePathThatCanRun) {
  ncu("", "");
  folder_.write("plain/ncu", "no program");
  const std::string plain = folder_.path() + "/plain", bin = folder_.path() + "/bin";
  ::setenv("PATH", (folder_.path() + ":" + plain + ":" + bin).c_str(), 1);
  EXPECT_EQ(find_ncu(), bin + "/ncu");
  ::setenv("PATH", plain.c_str(), 1);
  EXPECT_EQ(find_ncu(), "");
}

}  // namespace
}  // namespace redbench
