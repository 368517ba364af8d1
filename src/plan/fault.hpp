// Faults in code that the harness did not write.
#pragma once

#include <functional>
#include <string>

namespace redbench {

/// Runs `work`, which `name` names. Returns the signal that ended it ("Segmentation fault") where it reads or
/// writes no memory of its own, divides by zero, aborts, or has no stack left; empty where it returns. What it
/// held is lost then, a lock, too: for launch code that is planned, which holds nothing but memory. Where it
/// ends the process, or computes for ten seconds, the process ends with a message and exit_usage.
std::string fault_in(const std::string& name, const std::function<void()>& work);

}  // namespace redbench
