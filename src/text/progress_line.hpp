// What takes long, on the error stream: one line that is redrawn on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace redbench {

class ProgressLine {
 public:
  /// The first line comes after `first_s` seconds, on a terminal; in a log after ten.
  explicit ProgressLine(double first_s);
  ~ProgressLine();  // removes its line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  /// Whether it is time to draw; in a log the next line comes after a tenth of the time so far.
  bool is_due() const { return seconds() >= next_; }
  void draw(const std::string& text);
  /// Characters of a line.
  std::size_t width() const;

  /// Removes the line that is up, for a message.
  static void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  Clock::time_point start_ = Clock::now();
  double next_;  // in seconds
};

/// "[######........]", filled up to this share.
std::string progress_bar(double share);

/// The progress of a task that has no plan, from the second second on: how much of all is done.
class Steps {
 public:
  /// `what`: "reading results/h200/quick/records.jsonl".
  Steps(std::string what, double all);
  void done(double so_far);

 private:
  std::string what_;
  double all_;
  ProgressLine line_;
};

}  // namespace redbench
