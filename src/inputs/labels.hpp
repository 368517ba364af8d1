// The label of each input, below m: generated, or from the user's file.
#pragma once

#include "src/inputs/problem.hpp"

namespace redbench {

/// The axis "labels": a distribution by name, or {"file": "labels.npy"} (u8, u32, i32 or i64), or
/// {"file": "image.pgm"}, a label for each pixel; {"repeat": "image.pgm"} begins again where the file ends, up to n.
///   uniform     random, each label as likely as any other
///   degenerate  0 for all inputs
///   sequential  i mod m
///   sorted      never decreasing, n / m inputs of each label to within one
///   reversed    never increasing, the same shares
///   zipf:S      label k with a probability like (k + 1)^-S, S > 0
///   runs:L      runs of equal labels, of mean length L >= 1; each run's label is drawn anew, so that two
///               neighbouring runs in m may have the same
///   missing     uniform, but label m / 2 (rounded down) never occurs
ProblemAxis labels_axis();

/// The axis "m": how many labels there are, a size as n is, 1 to 2^32.
ProblemAxis m_axis();
Index label_count(const InputSpec& input);

/// Throws Refusal where `input` cannot have n labels of `type` (u8 or u32): m beyond the type, `missing` of
/// one label; UsageError for a file that is too short, or that holds a number not below m (by its index).
void check_labels(const InputSpec& input, Type type);

/// n labels of `type`. Label i depends on the seed, i and m (sorted and reversed: also on n), so that any
/// number of threads gives the same.
HostBuffer make_labels(const InputSpec& input, Type type);

}  // namespace redbench
