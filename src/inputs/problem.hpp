// What the harness knows of a problem: its inputs, its result, its exact answer. One file in src/reference/
// each, which registers itself.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/variant.hpp"
#include "src/json.hpp"

namespace redbench {

/// What an input is made from: the part of a case that all variants of a cell share.
struct InputSpec {
  Type type = Type::i32;
  Operator op = Operator::sum;
  Index n = 0;
  Json axes =
      Json::object();  // the problem's own axes, one value each: {"values": "uniform", "layout": "arrays"}
  std::uint64_t seed = 1;
};

/// Zero-cost-to-grow host memory: uninitialised bytes, aligned for any element.
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
};

/// Sizes of a case's buffers, known without making them.
struct InputSizes {
  std::size_t values = 0, labels = 0, offsets = 0, result = 0;  // bytes
  Index m = 0;                                                  // as Inputs::m and Inputs::form
  int form = 0;
  double bytes_read = 0, bytes_written = 0;  // by the problem's definition
};

/// The exact answer, per result element. Where no order of the operations rounds (exact operators, and inputs
/// whose partial sums or products are all representable), `exact` holds the elements and a result must equal
/// them, component by component with ==, so that 0 and -0 are equal. Otherwise `exact` is empty, and per real
/// component `wide` holds the answer (an unevaluated sum high + low) and `magnitude` what the error is
/// measured by: the sum of |x| for a sum, |product| for a product (of which every rounding reaches the
/// result, whatever the order).
struct Expected {
  HostBuffer exact;
  std::vector<std::pair<double, double>> wide;
  std::vector<double> magnitude;
};

/// An axis that a problem adds to n, type and operator.
struct ProblemAxis {
  std::string name;
  std::string what;                  // one line for `describe` and error messages
  std::vector<std::string> allowed;  // empty: checked by `check`
  Json fallback;
  /// Throws UsageError with a sentence (without the place) for a value that is not allowed. May be null.
  void (*check)(const Json& value) = nullptr;
  /// What every variant must pass besides the default, where `allowed` does not list it, first and last what is
  /// furthest apart; null: nothing. `tile` is the most inputs that one block of the variant takes, 0 where that is
  /// not known. Each is there for a bug that the others do not show, which is said beside it.
  std::vector<Json> (*battery)(Index tile) = nullptr;
  /// Its values are sizes, written like n's ("16Mi", "[2^8:2^20:*2]"), of which `check` gets each as a
  /// number.
  bool sizes = false;
  /// The battery goes through every pair of type and operator, as each has values of its own.
  bool differs_by_pair = false;
};

struct Problem {
  std::string name;
  std::string what;  // one line
  std::vector<ProblemAxis> axes;
  std::vector<std::pair<Type, Operator>> pairs;
  /// Throws UsageError with a sentence where there can be no such input: a file of another type, or too
  /// short.
  InputSizes (*sizes)(const InputSpec&);
  Inputs (*make)(const InputSpec&);
  Expected (*reference)(const InputSpec&, const Inputs&);
};

struct ProblemRegistration {
  explicit ProblemRegistration(Problem problem);
};

const std::vector<Problem>& problems();
const Problem* find_problem(std::string_view name);

}  // namespace redbench
