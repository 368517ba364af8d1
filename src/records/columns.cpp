#include "src/records/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/config/axes.hpp"
#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/fields.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

bool is_column(const Field& field) {
  return field.kind != FieldKind::list && field.kind != FieldKind::object;
}

/// Names of the fields of a case and of the counters for which `fits` holds.
template <class Fits>
std::vector<std::string> names_of(const Fits& fits) {
  std::vector<std::string> names;
  for (const std::vector<Field>* fields : {&case_fields(), &counter_fields()})
    for (const Field& field : *fields)
      if (fits(field)) names.push_back(field.name);
  return names;
}

}  // namespace

std::vector<std::string> column_names() { return names_of(is_column); }

void check_parameters(const std::vector<Variant>& variants) {
  const std::vector<std::string> fields = column_names();
  for (const Variant& variant : variants) {
    const Problem* const problem = find_problem(variant.problem);
    const std::vector<Parameter> parameters = parameters_of(variant.card);
    for (const Parameter& parameter : parameters) {
      const auto refuse = [&](const std::string& why) {
        throw UsageError(fmt::format("{}: card.parameters: `{}` {}", variant.source, parameter.name, why));
      };
      if (std::ranges::find(fields, parameter.name) != fields.end() ||
          (problem && is_input_axis(*problem, std::string(parameter.name))))
        refuse("is the name of an axis, or of a field of records");
      if (std::ranges::count(parameters, parameter.name, &Parameter::name) > 1) refuse("is there twice");
      if (!takes(parameter, parameter.fallback))
        refuse(
            fmt::format("is {} where nobody sets it, and takes {}", parameter.fallback, range_of(parameter)));
    }
  }
}

const Columns& record_columns() {
  static const Columns columns{names_of([](const Field& field) { return field.is_quantity(); }),
                               column_names()};
  return columns;
}

}  // namespace redbench
