// Exact reductions by label: the references of problems whose inputs have labels.
#pragma once

#include <functional>

#include "src/inputs/problem.hpp"

namespace redbench {

/// n labels below m, and the values that are reduced by them. The memory must outlive the reference.
struct Labelled {
  Type label_type;  // u8 or u32
  const void* labels;
  const void* values;
  Index stride;  // elements between values; 0: all inputs have the same value
  Index n, m;
};

/// Sizes of a problem that reads n values and as many labels (u32, below m) once, and writes `results`
/// results once. Refuses as check_values and check_labels do.
InputSizes sizes_of_pairs(const InputSpec& input, Index results);
/// Makes the values and labels.
Inputs make_pairs(const InputSpec& input);
Labelled labelled(const Inputs& pairs);

/// Memory of by_label and by_label_in_parts besides the states of all labels.
std::size_t bytes_of_parts(const InputSpec& input, bool exact);

/// m results: result l is the reduction of the values with label l, in input order. `exact`: over these
/// values no order of operations rounds. Memory: a state per label, for at most 2^24 labels at a time, and
/// bytes_of_parts; more labels take more passes over the inputs.
std::unique_ptr<Reference> by_label(const Pair& pair, bool exact, const Labelled& inputs);

/// The same of inputs that come in parts, of which `labelled` says what they are. Memory: two states per label, and
/// bytes_of_parts.
std::unique_ptr<GrowingReference> by_label_in_parts(const Pair& pair, bool exact, Index m,
                                                    std::function<Labelled(const Inputs&)> labelled);

/// n results: result i is the reduction of the values before input i that have its label, in input order, and
/// of value i where `inclusive`. Memory: a state per label.
std::unique_ptr<Reference> scan_by_label(const Pair& pair, bool exact, const Labelled& inputs,
                                         bool inclusive);

}  // namespace redbench
