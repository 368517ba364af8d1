// The worker of the tests of run_tasks and lanes: no test, but a process that one of them starts.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "tests/scripted_workers.hpp"

namespace redbench {
namespace {

void send(const Json& message) {
  const std::string line = message.dump() + '\n';
  if (::write(3, line.data(), line.size()) != ssize_t(line.size())) ::_exit(1);
}

/// Another process holds this one: as long as it does, this one's end is not told to its parent, as if the system could
/// not end it. Until the file `freed` is there.
void be_held(const std::string& folder) {
  const pid_t own = ::getpid();
  int held[2];
  if (::pipe(held) != 0) ::_exit(1);
  const pid_t holder = ::fork();
  if (holder == 0) {
    ::setsid();  // out of the group that is killed
    char allowed = 0;
    while (::ptrace(PTRACE_SEIZE, own, nullptr, nullptr) != 0 && ++allowed < 100) ::usleep(10'000);
    if (allowed == 100) std::ofstream(folder + "/not_held");
    ::close(held[1]);
    while (allowed < 100 && std::filesystem::exists(folder) && !std::filesystem::exists(folder + "/freed"))
      ::usleep(2000);
    ::_exit(0);
  }
  ::prctl(PR_SET_PTRACER, holder);
  ::close(held[1]);
  char byte = 0;
  if (::read(held[0], &byte, 1) < 0) ::_exit(1);
}

/// The first process goes by the first script, whose steps are the helpers of tests/scripted_workers.hpp.
TEST(ScriptedWorker, DISABLED_GoesByItsScript) {
  const char *const scripts = std::getenv(scripts_variable), *const folder = std::getenv(folder_variable);
  ASSERT_TRUE(scripts && folder) << "it is no test";
  const Json all = Json::parse(scripts);
  // Of several boards each has its own scripts, by what its processes see.
  const std::string board = all.is_object() ? variable("CUDA_VISIBLE_DEVICES") : "";
  const std::string count = std::string(folder) + "/count" + board;
  const std::size_t number = std::filesystem::file_size(count);
  std::ofstream(count, std::ios::app) << '+';
  std::ofstream heard(fmt::format("{}/heard{}{}", folder, board, number));
  std::string line;
  const auto hear = [&] {
    const bool is_line = bool(std::getline(std::cin, line));
    if (is_line) heard << line << std::endl;
    return is_line;
  };
  const Json script = (board.empty() ? all : all.at(board)).at(number);
  for (const Json& step : script) {
    if (step == "hear") {
      hear();
    } else if (step.contains("exit")) {
      ::_exit(step["exit"].get<int>());
    } else if (step.contains("raw")) {
      const std::string raw = step["raw"];
      if (::write(3, raw.data(), raw.size()) != ssize_t(raw.size())) ::_exit(1);
    } else if (step.contains("sleep")) {
      ::usleep(step["sleep"].get<unsigned>() * 1000);
    } else if (step == "held") {
      be_held(folder);
    } else if (step.contains("signal")) {
      ::kill(::getppid(), step["signal"].get<int>());
    } else if (step.contains("await")) {
      const std::string cell = Json::parse(line)["cell"].dump();
      const std::string file = folder + ("/" + step["await"].value(cell, "count"));
      while (!std::filesystem::exists(file)) ::usleep(2000);
    } else if (step.contains("exists")) {
      while (!std::filesystem::exists(folder + ("/" + step["exists"].get<std::string>()))) ::usleep(2000);
    } else if (step.contains("serve")) {
      while (hear()) {
        const Json task = Json::parse(line);
        std::ofstream(folder + std::string("/order"), std::ios::app) << number << ' ' << task["cell"] << '\n';
        for (const Json& wanted : task["missing"]) {
          send({{"running", wanted[0]}});
          const Json record{{"case", wanted[0]},
                            {"outcome", "failed"},
                            {"reason", variable("REDBENCH_SIMT_THREADS") + " " + variable("OMP_NUM_THREADS")},
                            {"mode", wanted[1]},
                            {"time_ns", wanted[0] == 0 ? Json(5) : Json()}};
          send({{"number", wanted[0]}, {"mode", wanted[1]}, {"record", record}});
        }
        send({{"done", task["cell"]}});
      }
    } else {
      send(step);
    }
  }
  while (hear()) {
  }
  ::_exit(0);
}

}  // namespace
}  // namespace redbench
