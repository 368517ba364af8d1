// Mistakes in files that cost a part of what a command was asked for, not all of it.
#pragma once

#include <string>

namespace redbench {

/// Names the mistake on the error stream, once however often it is met. The command goes on with the rest,
/// and ends in exit code 2 (src/cli/command_line.cpp).
void report_mistake(const std::string& sentence);

bool has_reported_mistakes();

}  // namespace redbench
