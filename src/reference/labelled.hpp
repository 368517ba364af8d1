// The exact reductions by label, slow and wide: the references of problems whose inputs have labels.
#pragma once

#include "src/inputs/problem.hpp"

namespace redbench {

/// n labels below m, and what is reduced by them. The memory must outlive the reference.
struct Labelled {
  Type label_type;  // u8 or u32
  const void* labels;
  const void* values;
  Index stride;  // in elements from one value to the next; 0: all inputs have the same value
  Index n, m;
};

/// Of a problem whose inputs are n values and as many labels below m of type u32, with so many results: it
/// reads them all and writes each result once. Refuses as check_values and check_labels do.
InputSizes sizes_of_pairs(const InputSpec& input, Index results);
/// The values and labels themselves.
Inputs make_pairs(const InputSpec& input);
Labelled labelled(const Inputs& pairs);

/// m results: result l is the reduction of the values with label l, in input order. `exact`: no order of the
/// operations rounds over these values. Memory: a state for each label, of at most 2^24 labels at once; for
/// more labels the inputs are gone through again.
std::unique_ptr<Reference> by_label(const Pair& pair, bool exact, const Labelled& inputs);

/// n results: result i is the reduction of the values before input i with its label, in input order, and of
/// value i where `inclusive`. Memory: a state for each of the m labels.
std::unique_ptr<Reference> scan_by_label(const Pair& pair, bool exact, const Labelled& inputs,
                                         bool inclusive);

}  // namespace redbench
