// Runs whose workers go by scripts: the test program starts itself, and then only the test ScriptedWorker runs
// (tests/run/test_scripted_worker.cpp).
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "src/run/run_tasks.hpp"
#include "tests/run_support.hpp"

namespace redbench {

using Lines = std::vector<std::string>;

/// What tells a scripted worker its script, and the folder of the test.
inline constexpr const char *scripts_variable = "REDBENCH_TEST_SCRIPTS",
                            *folder_variable = "REDBENCH_TEST_FOLDER";

inline std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "none";
}

inline Json record(std::size_t number, Mode mode = Mode::cold) {
  const Json record{{"case", number},
                    {"outcome", "passed"},
                    {"reason", "made"},
                    {"mode", mode_names[std::size_t(mode)]},
                    {"time_ns", 5}};
  return {{"number", number}, {"mode", mode_names[std::size_t(mode)]}, {"record", record}};
}
inline Json running(std::size_t number) { return {{"running", number}}; }
inline Json done(std::size_t cell) { return {{"done", cell}}; }
inline Json sleeps(int ms) { return {{"sleep", ms}}; }

inline const Json hears = "hear", up{{"up", true}}, ready{{"ready", true}}, alive{{"alive", true}},
                  dies{{"exit", 4}}, serves{{"serve", true}}, serving{hears, up, ready, serves};
inline const std::string died = "its process was ended with exit code 4",
                         died_before = "while the inputs were made, " + died;

/// The first cases of these cells.
inline std::vector<CellTask> tasks_of(const std::vector<std::size_t>& cells, std::size_t cases = 1) {
  std::vector<CellTask> tasks;
  for (const std::size_t cell : cells) {
    tasks.push_back({cell, {}});
    for (std::size_t number = 0; number < cases; ++number)
      tasks.back().missing.push_back({number, Mode::cold});
  }
  return tasks;
}

class Workers : public testing::Test {
 protected:
  Workers() {
    ::setenv("GTEST_FILTER", "ScriptedWorker.*", 1);
    ::setenv("GTEST_ALSO_RUN_DISABLED_TESTS", "1", 1);
    ::setenv(folder_variable, folder_.path().c_str(), 1);
    for (const char* name : {"REDBENCH_SIMT_THREADS", "OMP_NUM_THREADS"}) {
      before_[name] = variable(name);
      ::setenv(name, "2", 1);
    }
    ::alarm(300);  // ends this program where it waits for a worker
  }
  ~Workers() override {
    ::alarm(0);
    for (const char* name :
         {"GTEST_FILTER", "GTEST_ALSO_RUN_DISABLED_TESTS", folder_variable, scripts_variable})
      ::unsetenv(name);
    for (const auto& [name, value] : before_)
      if (value == "none") ::unsetenv(name.c_str());
      else ::setenv(name.c_str(), value.c_str(), 1);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }
  Work work(const Json& changes = Json::object(), const std::string& device = "simt:gtx480",
            Job::Kind kind = Job::Kind::profile) const {
    Json config = Json::parse(config_text("[1000, 1001, 1002]"));
    config["measure"]["hang_s"] = 0.2;
    config.merge_patch(changes);
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("config.json", config.dump()), .device = device}});
  }
  /// "cell.case mode outcome reason" of each record, in the order in which they come.
  Lines outcomes(const Json& scripts, const std::vector<CellTask>& tasks, int processes = 1) {
    ::setenv(scripts_variable, scripts.dump().c_str(), 1);
    for (const char* count : {"count", "counta", "countb"}) folder_.write(count, "");
    Lines lines;
    complete_ = run_tasks(work_, tasks, processes, false, [&](std::size_t cell, const Record& record) {
      const std::string reason = record["reason"];
      const std::vector<Case>& cases = work_.plan.cells.at(cell).cases;
      // A worker's record has its number; the parent's own has its key.
      const auto case_ = std::ranges::find(cases, record.value("key", ""), &Case::key);
      lines.push_back(
          fmt::format("{}.{} {} {} {}", cell,
                      case_ == cases.end() ? record["case"].dump() : std::to_string(case_->number),
                      record["mode"].get<std::string>(), record["outcome"].get<std::string>(),
                      reason.substr(0, reason.find(": Running main()"))));  // googletest's words
      if (record.value("passes", Json()).is_array()) lines.back() += " passes " + record["passes"].dump();
      if (!work_.devices->boards.empty())
        lines.back() +=
            " by " + record["session"].dump() + " beside " + record.value("others_sampling", Json()).dump();
      folder_.write(fmt::format("made{}", cell), "");
    });
    processes_ = std::filesystem::file_size(folder_.path() + "/count");
    return lines;
  }
  /// What a process was sent: "work", and of each task "cell missing".
  Lines heard(int process, const std::string& board = "") const {
    Lines texts;
    for (const std::string& line : lines_of(fmt::format("{}/heard{}{}", folder_.path(), board, process))) {
      const Json message = Json::parse(line);
      texts.push_back(message == to_json(work_)
                          ? std::string("work")
                          : message.at("cell").dump() + " " + message.at("missing").dump());
    }
    return texts;
  }

  TemporaryFolder folder_;
  Work work_ = work();
  bool complete_ = false;
  std::size_t processes_ = 0;  // that were started
  std::map<std::string, std::string> before_;
};

}  // namespace redbench
