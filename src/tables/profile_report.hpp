// A counted record for readers: what each launch accessed, and the source lines that cost most.
#pragma once

#include <functional>
#include <string>

#include "src/records/record.hpp"

namespace redbench {

/// Text of a line of a source file, without its indentation; empty where it is not at hand.
using SourceText = std::function<std::string(const std::string& file, int line)>;

/// From a record with counters, else empty: for each launch its shape, a table of its accesses, its branches
/// and barriers; of the dearest launch at most `lines` source lines, the dearest first. Cost is what the
/// memory has to do: sectors, wavefronts, and turns that atomics on one address wait for each other.
std::string profile_report(const Record& record, std::size_t lines, const SourceText& source);

}  // namespace redbench
