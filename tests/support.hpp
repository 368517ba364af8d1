// What several tests need: their fixtures, redbench's answer to a command line, the message of a mistake.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "tests/programs.hpp"

namespace redbench {

inline std::string fixture(const std::string& name) {
  return std::string(REDBENCH_SOURCE_DIR) + "/tests/fixtures/" + name;
}

/// The text of a NumPy file of these numbers in one dimension.
template <class T>
std::string npy_of(const std::string& descr, const std::vector<T>& numbers) {
  const std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                 std::to_string(numbers.size()) + ",), }\n";
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(dictionary.size());
  text += '\0';
  return text + dictionary +
         std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
}

/// The pair of the problem `reduce`.
inline const Pair& reduction(Type type, Operator op) { return *find_problem("reduce")->pair(type, op); }

/// Calls f with a value of each operator of a list.
template <class F, class... Ops>
void for_each_operator(OperatorList<Ops...>, const F& f) {
  (f(Ops{}), ...);
}

/// Runs `redbench ARGUMENTS`.
inline Answer redbench(const std::string& arguments, const std::string& folder = REDBENCH_SOURCE_DIR) {
  return answer_of(REDBENCH_BINARY, arguments, folder);
}

/// The message of the Error that `f` throws; the test fails where it throws none.
template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing of that type was thrown";
  return {};
}

/// A mistake of the user's.
template <class F>
std::string usage_error(const F& f) {
  return message_of<UsageError>(f);
}

/// What makes a case `unsupported`.
template <class F>
std::string refused(const F& f) {
  return message_of<Refusal>(f);
}

}  // namespace redbench
