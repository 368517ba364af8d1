// What redbench says when it cannot go on, and the exit codes that go with it.
#pragma once

#include <stdexcept>

namespace redbench {

enum ExitCode : int {
  exit_fine = 0,
  exit_failed = 1,     // a case failed or regressed
  exit_usage = 2,      // command line, config or input file
  exit_undecided = 3,  // a comparison that cannot tell
  exit_wrong = 4,      // a wrong result
  exit_interrupted = 130,
};

/// The user's mistake, in a sentence that says where it is and what is allowed. Ends in exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device that could not do what a case asked: it costs that case.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A variant's own refusal of a case (Queue::refuse): the sentence of an `unsupported` row.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace redbench
