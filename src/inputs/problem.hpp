// What the harness knows of a problem: its inputs, its result, its exact answer. One file in src/problems/
// each, which registers itself.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/variant.hpp"
#include "src/inputs/type_facts.hpp"
#include "src/json/json.hpp"

namespace redbench {

struct Draw;    // src/inputs/distributions.hpp
struct Oracle;  // src/reference/oracle.hpp

/// A type and an operator that a problem is built for, as data, and the functions that need their C++ types.
/// Made from the problem's list of operators by src/reference/pairs.hpp. Where the operator takes labels, the
/// results may be of another type than the elements.
struct Pair {
  Type type;
  Operator op;
  bool commutative;
  bool exact;               // no operation rounds, whatever the values
  const TypeFacts* value;   // an element that the operator takes
  const TypeFacts* result;  // one result
  const Oracle* oracle;
  bool accumulates;  // in the type of its result: a pair of the axis `accumulator`
  /// Writes draw.count elements.
  void (*generate)(const Draw& draw, void* values);
  /// Throws UsageError, which begins with the path, where the elements of a file have no answer to check
  /// against. Null where all have.
  void (*check_file)(const void* values, Index count, const std::string& path);
  /// Whether a value among identities is the result, as it is of a reduction.
  bool takes_planted = true;
};

/// Consecutive ones of a case's inputs.
struct Part {
  Index first = 0, count = 0;
};

/// What determines an input: the part of a case that all variants of a cell share.
struct InputSpec {
  Type type = Type::i32;
  Operator op = Operator::sum;
  Index n = 0;
  Json axes =
      Json::object();  // the problem's own axes, one value each: {"values": "uniform", "layout": "arrays"}
  std::uint64_t seed = 1;
  const Pair* pair = nullptr;  // the problem's, of this type and operator; null where it has none
  /// Of a problem that is spread over GPUs: those that `make` makes; none: all.
  std::optional<Part> part = {};
  Index made() const { return part ? part->count : n; }
};

/// Host memory: uninitialised bytes, aligned for any element.
struct HostBuffer {
  HostBuffer() = default;
  explicit HostBuffer(std::size_t size);
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data.get());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data.get());
  }
  std::unique_ptr<std::byte[]> data;
  std::size_t bytes = 0;
};

/// A cell's inputs in host memory. Empty buffers are not used by the problem.
struct Inputs {
  HostBuffer values, labels, offsets;
  Index n = 0, m = 0;
  int form = 0;
  /// Where each segment of the inputs begins, and n, whatever form the device gets. References read it.
  std::vector<Index> segments;
};

/// Sizes of a case's buffers, known without making them.
struct InputSizes {
  std::size_t values = 0, labels = 0, offsets = 0, result = 0;  // bytes
  std::size_t reference = 0;  // bytes of the host that the reference keeps besides a state for each result
  Index m = 0;                // Inputs::m and Inputs::form
  int form = 0;
  double bytes_read = 0, bytes_written = 0;  // by the problem's definition
  /// The most values that one result is made from, where operations on them may round; 0 where none does.
  Index rounded_terms = 0;
};

/// The exact answer for a block of results. Where no order of the operations rounds (exact operators, and
/// inputs whose partial sums or products are all representable), `exact` holds the results in their own type
/// and a result must equal them, component by component with ==, so that 0 and -0 are equal. Otherwise
/// `exact` is empty, and per real component `wide` holds the answer (an unevaluated sum high + low) and
/// `magnitude` what the error is measured by: the sum of |x| for a sum, |product| for a product (of which
/// every rounding reaches the result, whatever the order). `terms` has the number of values of each result.
/// The answer itself is off by at most terms x oracle_error x magnitude.
struct Expected {
  HostBuffer exact;
  std::vector<std::pair<double, double>> wide;
  std::vector<double> magnitude;
  std::vector<Index> terms;
};
inline constexpr double oracle_error = 0x1p-96;

/// The exact answers of a case, block by block: n results of 2^28 need no table of all of them.
class Reference {
 public:
  virtual ~Reference() = default;
  /// How many there are.
  virtual Index results() const = 0;
  /// Results first, ..., first + count - 1. Blocks come in order and without gaps; first = 0 starts again.
  virtual Expected block(Index first, Index count) = 0;
};

/// Of inputs that come part by part, in order, and need not stay. All have come before the first block.
class GrowingReference : public Reference {
 public:
  virtual void add(const Inputs& part) = 0;
};

/// The relative error of k rounded operations in a row: gamma_k of Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.1. Infinite where k roundings may lose everything.
double gamma(double k, double unit);

/// Largest error of a result made from `terms` values, relative to Expected::magnitude. Each value of a sum
/// passes at most `chain` additions (0: not known), and never more than terms - 1 that round. A product's
/// terms - 1 roundings all reach the result whatever the order; a complex one is off by at most
/// sqrt(2) gamma_2 < 3 units in its modulus (Higham, lemma 3.5).
double rounding_error(const Pair& pair, Index terms, Index chain);

/// An axis that a problem adds to n, type and operator.
struct ProblemAxis {
  std::string name;
  std::string what;                  // one line for `describe` and error messages
  std::vector<std::string> allowed;  // empty: checked by `check`
  Json fallback;
  /// Throws UsageError with a sentence (without the place) for a value that is not allowed. May be null.
  void (*check)(const Json& value) = nullptr;
  /// The values besides the default that every variant must pass, where `allowed` does not list them; the
  /// first and the last differ most. Each finds a bug that the others do not show, which its comment names.
  /// `tile` is the most inputs that one block of the variant takes, 0 where that is not known. May be null.
  std::vector<Json> (*battery)(Index tile) = nullptr;
  /// Its values are sizes, written like n's ("16Mi", "[2^8:2^20:*2]"), of which `check` gets each as a
  /// number.
  bool sizes = false;
  /// Keys and records leave out the default: they are the same as before there was the axis.
  bool left_out_at_default = false;
  /// The battery goes through every pair of type and operator, as the values differ between pairs.
  bool differs_by_pair = false;
  /// The number of inputs in the file that a value of the axis names, which is n where the config has none.
  /// May be null.
  Index (*inputs)(const Json& file) = nullptr;
};

/// How many GPUs the inputs are spread over.
ProblemAxis gpus_axis();
int gpus_of(const InputSpec& input);
/// Where they are several, the host has so many inputs at a time.
inline constexpr Index inputs_at_once = Index(1) << 26;
/// That of one of `count` GPUs: the first ones have one more where n is no multiple.
Part part_of(Index n, int gpu, int count);

struct Problem {
  std::string name;
  std::string what;  // one line
  std::vector<ProblemAxis> axes;
  std::vector<Pair> pairs;
  /// Throws UsageError with a sentence where there can be no such input: a file of another type, or too
  /// short.
  InputSizes (*sizes)(const InputSpec&);
  Inputs (*make)(const InputSpec&);
  /// The inputs must outlive it.
  std::unique_ptr<Reference> (*reference)(const InputSpec&, const Inputs&);
  /// Of a problem with the axis `gpus`; else null.
  std::unique_ptr<GrowingReference> (*in_parts)(const InputSpec&) = nullptr;

  /// Null where the problem has no such pair. `accumulator`: of a pair that accumulates, the name of its type.
  const Pair* pair(Type type, Operator op, std::string_view accumulator = {}) const;
};

struct ProblemRegistration {
  explicit ProblemRegistration(Problem problem);
};

const std::vector<Problem>& problems();
std::vector<std::string> problem_names();
const Problem* find_problem(std::string_view name);

}  // namespace redbench
