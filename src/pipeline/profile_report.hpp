// A counted record for readers: what each launch accessed, and the source lines that cost most.
#pragma once

#include <functional>
#include <string>

#include "src/pipeline/measure.hpp"

namespace redbench {

/// Text of a line of a source file, without its indentation; empty where it is not at hand.
using SourceText = std::function<std::string(const std::string& file, int line)>;

/// From a record with counters: for each launch its shape, a table of its accesses, its branches and barriers, and
/// at most `lines` source lines, the dearest first. A line's cost is what the memory has to do for it: sectors,
/// wavefronts, and turns that atomics on one address wait for each other.
std::string profile_report(const Record& record, std::size_t lines, const SourceText& source);

}  // namespace redbench
