// A child process `redbench worker`; messages in both directions are lines of JSON.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/json/json.hpp"

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
  /// Starts `redbench worker` with `variables` ("NAME=value") added to the environment, on those of the cores that this
  /// thread may use; where that is none, on all. Throws std::system_error where it cannot be started.
  explicit WorkerProcess(const std::vector<std::string>& variables, const std::vector<int>& cores = {});
  /// Kills it where it still lives.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Does not wait for the child to read: what its pipe does not hold is kept until send_rest().
  void send(const Json& message);
  /// A descriptor: the one to poll for room where something is still to be sent, else -1.
  int unsent() const { return unsent_.empty() ? -1 : to_child_.number(); }
  /// Sends as much as the pipe takes. What a child that has ended would not read is dropped.
  void send_rest();

  /// A descriptor: the one to poll for messages.
  int messages() const { return from_child_.number(); }
  /// Appends the messages that have come; a line that is no JSON is a discarded value. False at the end of
  /// the stream: the child is gone.
  bool receive(std::vector<Json>& messages);

  /// Sends a signal to the child and to all that it has started: its process group.
  void signal(int number) const;
  /// Kills them and waits for the child's end. False where it does not come for `patience_s`, as the system waits for a
  /// device that is gone: nobody waits for the child then, nor sends it a signal.
  bool stop(double patience_s = 30);
  /// Tells the child that nothing more comes, and waits for its end, at most for `patience_s`.
  void finish(double patience_s = 30);
  /// How the child ended, with the last lines of its output: "killed by signal 11 (Segmentation fault): ...",
  /// "ended with exit code 1: ...". A child that lives on for longer than `patience_s` is killed.
  std::string ending(double patience_s = 5);

 private:
  bool has_ended_within(double patience_s);

  pid_t child_ = -1;
  Descriptor to_child_, from_child_, errors_;
  std::optional<int> status_;  // once it has ended
  bool is_left_ = false;       // it cannot be killed
  std::string unread_, unsent_;
};

}  // namespace redbench
