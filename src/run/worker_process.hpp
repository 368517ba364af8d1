// A child process of redbench with a line of JSON in either direction.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "src/json.hpp"

namespace redbench {

class WorkerProcess {
 public:
  /// Starts `redbench worker` with `variables` ("NAME=value") added to the environment.
  explicit WorkerProcess(const std::vector<std::string>& variables);
  /// Kills it where it still lives.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// False where the child no longer listens.
  bool send(const Json& message);

  /// Descriptor to wait on for messages.
  int messages() const { return from_child_; }
  /// Reads what is there without waiting. False at the end of the stream: the child is gone.
  bool receive(std::vector<Json>& messages);

  /// Kills the child and waits for its end.
  void stop();
  /// Waits for the end: "killed by signal 11 (Segmentation fault)", "ended with exit code 1", with the last
  /// that it wrote to its error stream.
  std::string ending();

 private:
  pid_t child_ = -1;
  int to_child_ = -1, from_child_ = -1, errors_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::string unread_;
};

}  // namespace redbench
