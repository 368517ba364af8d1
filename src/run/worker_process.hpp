// A child process of redbench with a line of JSON in either direction.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "src/json.hpp"

namespace redbench {

/// A file descriptor that is closed with it; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int number() const { return number_; }

 private:
  int number_;
};

class WorkerProcess {
 public:
  /// Starts `redbench worker` with `variables` ("NAME=value") added to the environment. Throws
  /// std::system_error where it cannot be started.
  explicit WorkerProcess(const std::vector<std::string>& variables);
  /// Kills it where it still lives.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Never waits: a child that has stopped reads nothing.
  void send(const Json& message);
  /// Descriptor that takes more of what is still to be sent; -1 where nothing is.
  int unsent() const { return unsent_.empty() ? -1 : to_child_.number(); }
  /// Sends as much of it as is taken. To a child that no longer listens nothing is sent.
  void send_rest();

  /// Descriptor to wait on for messages.
  int messages() const { return from_child_.number(); }
  /// Reads what is there without waiting. False at the end of the stream: the child is gone.
  bool receive(std::vector<Json>& messages);

  /// Kills the child and waits for its end.
  void stop();
  /// Waits a while for the end, and kills a child that has closed its messages and lives on: "killed by
  /// signal 11 (Segmentation fault)", "ended with exit code 1", with the last that it wrote to its error
  /// stream.
  std::string ending();

 private:
  pid_t child_ = -1;
  Descriptor to_child_, from_child_, errors_;
  int status_ = 0;
  bool ended_ = false;
  std::string unread_, unsent_;
};

}  // namespace redbench
