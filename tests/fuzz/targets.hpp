// What reads data from strangers, one function each: it takes any bytes, throws UsageError or nothing, writes
// no file and does the same for the same bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redbench {

struct FuzzTarget {
  std::string name;  // of its corpus, too (tests/fuzz/corpora/NAME), and in tests/fuzz/seeds.txt
  void (*read)(std::string_view bytes);
};

const std::vector<FuzzTarget>& fuzz_targets();

/// Runs a target: a UsageError is an answer, any other exception leaves.
void run_target(const FuzzTarget& target, std::string_view bytes);

}  // namespace redbench
