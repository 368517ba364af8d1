// redbench try: a kernel file that is being written, compiled, checked, measured and explained at once.
#pragma once

#include <string>
#include <vector>

#include "src/tables/tables.hpp"

namespace redbench {

struct TrialOptions {
  std::string file;             // its name may be anything; REDBENCH_VARIANT says which problem it solves
  std::string device = "auto";  // a GPU where there is one; a modelled device: nothing is timed
  std::string only = {};        // the key of a case: it alone is checked, and nothing else is done
  std::vector<std::string> records = {};  // folders whose records say which variant is fastest
  TableWidth width = {};
};

/// - Checks the file on the modelled device, every access, then on the GPU.
/// - On the GPU measures it at five sizes, in two forks, beside the library, the fastest variant that keeps the same
///   order, and the file as it was when it was last right.
/// - Counts what it does that the fastest does not, and what it has done before.
/// Prints as it goes. Returns the exit code. Throws UsageError for a file that is no kernel.
int try_kernel(const TrialOptions& options);

}  // namespace redbench
