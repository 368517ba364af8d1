// `redbench run` on a config of a test's own, and as a child that a test can kill.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "src/records/record.hpp"
#include "tests/support.hpp"

namespace redbench {

/// Two variants on as many sizes as `sizes` says.
inline std::string config_text(const std::string& sizes, const std::string& more_axes = "") {
  return R"({"title": "test", "experiments": [{"problem": "reduce", "variants": ["harris1", "harris3"],
             "axes": {"n": )" +
         sizes + R"(, "type": "i32", "operator": "sum")" + more_axes + "}}]}";
}

inline std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// On the modelled GTX 480, config.json of the folder into its out/.
inline std::string run_arguments(const TemporaryFolder& folder, const std::string& more = "") {
  return "run " + folder.path() + "/config.json -d simt:gtx480 -o " + folder.path() + "/out " + more;
}

/// Runs a config on a modelled device: of its cases those that did not pass, or what it said if there is none.
inline std::vector<std::string> not_passed(const std::string& config,
                                           const std::string& device = "simt:gtx480") {
  const TemporaryFolder folder;
  folder.write("config.json", config);
  const Answer answer = redbench("run config.json -d " + device + " -o out", folder.path());
  const auto records = lines_of(folder.path() + "/out/records.jsonl");
  if (records.empty()) return {answer.text};
  std::vector<std::string> found;
  for (const std::string& line : records) {
    const Json record = Json::parse(line);
    if (record["outcome"] != "passed") found.push_back(record["key"].dump() + ": " + record["reason"].dump());
  }
  return found;
}

/// Runs an experiment of one case: its record.
inline Record only_record(const std::string& experiment) {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"title": "test", "experiments": [)" + experiment + "]}");
  const Answer answer = redbench(run_arguments(folder));
  const std::vector<std::string> records = lines_of(folder.path() + "/out/records.jsonl");
  EXPECT_EQ(records.size(), 1u) << answer.text;
  return records.size() == 1 ? Json::parse(records[0]) : Record{{"outcome", "none"}};
}

/// Enough work that there is time to kill it: 2 x 24 cases of some 20 ms.
inline constexpr const char* many_sizes =
    "[200000, 200001, 200002, 200003, 200004, 200005, 200006, 200007, 200008, 200009, "
    "200010, 200011, 200012, 200013, 200014, 200015, 200016, 200017, 200018, 200019, "
    "200020, 200021, 200022, 200023]";
inline constexpr std::size_t many_records = 48;

class RunningProgram {
 public:
  explicit RunningProgram(const std::string& arguments) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    child_ = start(REDBENCH_BINARY, arguments, nothing);
    close(nothing);
  }
  explicit RunningProgram(const TemporaryFolder& folder, const std::string& more = "")
      : RunningProgram(run_arguments(folder, more)) {}
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() {
    if (child_ > 0) end_with(SIGKILL);
  }

  pid_t id() const { return child_; }
  bool lives() const {
    siginfo_t ended{};
    return waitid(P_PID, id_t(child_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
  }

  /// Until `path` has `lines` lines, or the program has ended.
  void wait_for(const std::string& path, std::size_t lines) const {
    while (lines_of(path).size() < lines && lives()) pause();
  }
  /// Its workers, as they were started; one that has ended is none.
  std::vector<pid_t> workers() const {
    const std::string id = std::to_string(child_);
    std::ifstream children("/proc/" + id + "/task/" + id + "/children");
    std::vector<pid_t> found;
    for (pid_t worker; children >> worker;) {
      std::string words;
      std::getline(std::ifstream("/proc/" + std::to_string(worker) + "/cmdline"), words);
      if (words == std::string("redbench\0worker\0", 16)) found.push_back(worker);
    }
    return found;
  }
  /// Sends its worker a signal, as early as there is one. It must come to have one.
  void send_worker(int signal) const {
    for (; lives(); pause())
      if (const std::vector<pid_t> found = workers(); !found.empty()) {
        kill(found[0], signal);
        return;
      }
    FAIL() << "the program has ended";
  }
  /// Between two looks at it.
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  /// Its exit status.
  int end() {
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return status;
  }
  int end_with(int signal) {
    kill(child_, signal);
    return end();
  }

 private:
  pid_t child_;
};

}  // namespace redbench
