#include "src/inputs/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "src/error.hpp"
#include "src/inputs/distributions.hpp"
#include "src/inputs/input_file.hpp"
#include "src/inputs/npy.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

constexpr std::array<std::string_view, 4> distribution_names{"uniform", "exact", "equal", "extreme"};

Distribution distribution_of(const Json& value) {
  return Distribution(std::ranges::find(distribution_names, value.get_ref<const std::string&>()) -
                      distribution_names.begin());
}

/// The file as `input` asks for it. Throws where it does not fit.
ArrayFile fitting_file(const InputSpec& input, Index count) {
  const ArrayFile file = open_npy(values_file(input.axes.at("values")));
  const TypeFacts& wanted = *input.pair->value;
  if (file.type != wanted.type || file.columns() != wanted.columns)
    throw Refusal(fmt::format("{} holds {}, not {}", file.path, file.facts().name, wanted.name));
  if (count > file.rows())
    throw UsageError(fmt::format("{} holds {} values, n asks for {}", file.path, file.rows(), count));
  return file;
}

void check_axis(const Json& value) {
  const std::vector<std::string> names = distributions();
  if (value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    if (std::ranges::find(names, name) == names.end())
      throw UsageError(fmt::format("no distribution `{}`: allowed are {}, and {{\"file\": \"x.npy\"}}{}",
                                   name, alternatives(names), nearest_match(name, names)));
    return;
  }
  if (!names_file(value))
    throw UsageError(fmt::format("expected {}, or {{\"file\": \"x.npy\"}}", alternatives(names)));
  check_finite(open_npy(values_file(value)));
}

std::vector<Json> battery_of(Index) {
  return {
      // Every sum is a whole number that no order rounds: one element too few or too many shows, where a
      // bound for rounding would let it pass.
      "exact",
      // The result is the number of elements that were added.
      "equal",
      // Sums that wrap around or cancel, and the least and greatest values of the type as least and greatest.
      "extreme"};
}

}  // namespace

std::string values_file(const Json& value) {
  return value.is_object() ? value.at("file").get<std::string>() : std::string();
}

std::vector<std::string> distributions() { return {distribution_names.begin(), distribution_names.end()}; }

ProblemAxis values_axis() {
  return {.name = "values",
          .what = fmt::format("what the values are: {} or {{\"file\": \"x.npy\"}}",
                              fmt::join(distribution_names, ", ")),
          .allowed = {},
          .fallback = distribution_names.front(),
          .check = check_axis,
          .battery = battery_of,
          .differs_by_pair = true};
}

void check_values(const InputSpec& input, Index count) {
  const Json& values = input.axes.at("values");
  const Pair& pair = *input.pair;
  if (values.is_object()) {
    const ArrayFile file = fitting_file(input, count);
    if (pair.check_file) pair.check_file(read_array(file, count).data.get(), count, file.path);
  }
}

HostBuffer make_values(const InputSpec& input, Index count) {
  const Json& values = input.axes.at("values");
  const std::size_t element = input.pair->value->bytes;
  const Part part = input.part.value_or(Part{0, count});
  if (values.is_object()) {
    HostBuffer all = read_array(fitting_file(input, count), count);
    if (!input.part) return all;
    HostBuffer buffer(std::size_t(part.count) * element);
    std::memcpy(buffer.data.get(), all.data.get() + std::size_t(part.first) * element, buffer.bytes);
    return buffer;
  }
  HostBuffer buffer(std::size_t(part.count) * element);
  input.pair->generate({distribution_of(values), input.seed, count, input.part}, buffer.data.get());
  return buffer;
}

bool exact_in_any_order(const InputSpec& input, Index count) {
  const Json& values = input.axes.at("values");
  if (input.pair->exact || count <= 1) return true;
  if (values.is_object()) return false;
  if (traits_of(input.op).arithmetic == Arithmetic::multiplication) return true;
  const Distribution distribution = distribution_of(values);
  return distribution == Distribution::exact ||
         (distribution == Distribution::equal && count <= exact_sum(input.pair->result->digits));
}

}  // namespace redbench
