#include "src/pipeline/problem.hpp"

namespace redbench {
namespace {

/// In a function, as registrations run before main in no order.
std::vector<Problem>& registered() {
  static std::vector<Problem> list;
  return list;
}

}  // namespace

ProblemRegistration::ProblemRegistration(Problem problem) { registered().push_back(std::move(problem)); }

const std::vector<Problem>& problems() { return registered(); }

const Problem* find_problem(std::string_view name) {
  for (const Problem& problem : problems())
    if (problem.name == name) return &problem;
  return nullptr;
}

}  // namespace redbench
