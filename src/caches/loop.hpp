// The loops of Eilers' sequential algorithms (2014, chapter 2) as streams of accesses, and what they take.
#pragma once

#include <string>
#include <vector>

#include "src/caches/hierarchy.hpp"

namespace redbench::caches {

enum class Problem : std::uint8_t { multireduce, multiscan, scatter, gather };
inline constexpr std::array<std::string_view, 4> problem_names{"multireduce", "multiscan", "scatter",
                                                               "gather"};

/// How labels are distributed, as the axis "labels" of configs says.
enum class Labels : std::uint8_t { uniform, degenerate, sequential, sorted };
inline constexpr std::array<std::string_view, 4> labels_names{"uniform", "degenerate", "sequential",
                                                              "sorted"};

struct Loop {
  Problem problem = Problem::multireduce;
  Labels labels = Labels::uniform;
  std::uint64_t n = 1, m = 1;  // m at most 2^32
  unsigned value_bytes = 4;
  /// A stable radix sort before the loop (Alg. 2.4, 2.5), by so many of the labels' top bits; 0: none. Not of
  /// a gather.
  int sort_bits = 0;
  int digit_bits = 9;            // of them in a pass
  bool dependent = false;        // no bucket is read before the last one was (2.4, Fig. 2.8)
  std::uint64_t page_bytes = 0;  // 0: no translation
};

/// `serial`: the thesis' simulator. `overlapped`: ours.
enum class Model : std::uint8_t { serial, overlapped };
inline constexpr std::array<std::string_view, 2> model_names{"serial", "overlapped"};

struct Phase {
  std::string name;  // "clear", "count", "move", "pairs", "loop"
  double ns = 0;     // of all its steps
  Counts counts;     // of all its steps
};

struct Prediction {
  std::vector<Phase> phases;
  std::uint64_t n = 1;
  double ns_per_input() const;
  Counts counts() const;
};

/// Of a phase of more steps than `most_steps` that many are simulated, after as many that only fill the
/// caches, and the rest is taken to be alike.
Prediction predict(const Machine& machine, Model model, const Loop& loop, std::uint64_t most_steps);

/// The levels of translation are not simulated where `page_bytes` is 0. This is what a loop uses in pages as
/// small or as large as there are; 0 where the machine says nothing of translation.
std::uint64_t page_bytes_of(const Machine& machine, bool huge);

}  // namespace redbench::caches
