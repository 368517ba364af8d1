// The loops of Eilers' sequential algorithms (2014, chapter 2) as streams of memory accesses, and their
// simulation.
#pragma once

#include <string>
#include <vector>

#include "src/cachesim/hierarchy.hpp"

namespace redbench::cachesim {

enum class LoopProblem : std::uint8_t { multireduce, multiscan, scatter, gather };
inline constexpr std::array<std::string_view, 4> loop_problem_names{"multireduce", "multiscan", "scatter",
                                                                    "gather"};

/// Distribution of the labels, named as by the axis "labels" of configs.
enum class LabelDistribution : std::uint8_t { uniform, degenerate, sequential, sorted };
inline constexpr std::array<std::string_view, 4> label_distribution_names{"uniform", "degenerate",
                                                                          "sequential", "sorted"};

struct Loop {
  LoopProblem problem = LoopProblem::multireduce;
  LabelDistribution labels = LabelDistribution::uniform;
  std::uint64_t n = 1, m = 1;  // m at most 2^32
  unsigned value_bytes = 4;
  /// A stable radix sort by so many of the labels' top bits comes before the loop (Alg. 2.4, 2.5); 0: none. A
  /// gather has none.
  int sort_bits = 0;
  int digit_bits = 9;            // that one pass sorts by
  bool dependent = false;        // a bucket is read only after the one before (2.4, Fig. 2.8)
  std::uint64_t page_bytes = 0;  // 0: addresses are not translated
};

/// `serial`: the thesis' simulator (SerialClock). `overlapped`: ours (OverlappedClock).
enum class Timing : std::uint8_t { serial, overlapped };

struct Phase {
  std::string name;  // "clear", "count", "move", "pairs", "loop"
  double ns = 0;     // of all steps
  Counts counts;     // of all steps
};

struct SimulatedLoop {
  std::vector<Phase> phases;
  std::uint64_t n = 1;
  double ns_per_input() const;
  Counts counts() const;
};

/// Of a long phase a sample is simulated: `most_steps` steps warm the caches up, as many are counted, and the
/// counts are scaled to all of its steps.
SimulatedLoop simulate(const Machine& machine, Timing timing, const Loop& loop, std::uint64_t most_steps);

}  // namespace redbench::cachesim
