// Plugins in the running program: their variants are like those that are built in.
#pragma once

#include <string>
#include <vector>

#include "src/plugins/build.hpp"

namespace redbench {

/// Builds what is missing of the folders' kernel files, and loads all of them; before variants() is first called.
/// Workers that this program starts load the same. Throws UsageError where a name is taken already, and where an
/// object registers no variant, cannot be loaded or ends the process as it is loaded: that is tried in a process of
/// its own first.
void use_kernels(const std::vector<std::string>& folders);
void use_kernel_files(const std::vector<KernelFile>& files, const PluginReport& ready = {});

/// In a worker: those of its parent.
void use_kernels_of_parent();

}  // namespace redbench
