// Report of a profile: the accesses of each launch, and the source lines that cost most.
#pragma once

#include <functional>
#include <string>

#include "src/records/record.hpp"

namespace redbench {

/// A line of a source file without its indentation; empty where the file is not there.
using SourceText = std::function<std::string(const std::string& file, int line)>;

/// For each launch its shape, a table of its accesses, its branches and barriers; for the launch that costs
/// most up to `lines` source lines, by cost. Cost is the work of the memory: sectors, wavefronts, and turns
/// of lanes that wait for each other at an atomic. Empty without counters.
/// `width`: of its lines in characters, 0: any.
std::string profile_report(const Record& record, std::size_t lines, const SourceText& source,
                           std::size_t width = 0);

}  // namespace redbench
