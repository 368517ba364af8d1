// Ctrl-C, and how a command learns of it.
#pragma once

namespace redbench {

/// Catches interrupt and terminate for as long as it lives. What a watch around another catches, both learn of.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

  /// Since the outermost watch began.
  static bool interrupted();
};

}  // namespace redbench
