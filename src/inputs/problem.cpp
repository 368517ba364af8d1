#include "src/inputs/problem.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "kernels/gpus/gpus.hpp"
#include "src/error.hpp"

namespace redbench {
namespace {

/// In a function, as registrations run before main in no order.
std::vector<Problem>& registered() {
  static std::vector<Problem> list;
  return list;
}

}  // namespace

HostBuffer::HostBuffer(std::size_t size) : data(new std::byte[size]), bytes(size) {
  // Large pages: the faults of small ones cost more than filling them. A wish, so its failure does no harm.
  constexpr std::size_t page = 4096;
  const std::size_t start = round_up(reinterpret_cast<std::size_t>(data.get()), page);
  const std::size_t end = reinterpret_cast<std::size_t>(data.get()) + size;
  constexpr std::size_t worth_it = std::size_t(16) << 20;
  if (size >= worth_it) madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
}

double gamma(double k, double unit) {
  return k * unit < 1 ? k * unit / (1 - k * unit) : std::numeric_limits<double>::infinity();
}

double rounding_error(const Pair& pair, Index terms, Index chain) {
  const Index operations = std::max<Index>(terms - 1, 0);
  const bool product = traits_of(pair.op).arithmetic == Arithmetic::multiplication;
  const int each = product && pair.result->components == 2 ? 3 : 1;
  const Index in_a_row = product || chain == 0 ? operations : std::min(chain, operations);
  return gamma(double(each) * double(in_a_row), pair.result->unit);
}

ProblemAxis gpus_axis() {
  return {.name = "gpus",
          .what = "GPUs over which the inputs are spread, in order, 1 to 8",
          .allowed = {},
          .fallback = 1,
          .check =
              [](const Json& value) {
                if (value.get<Index>() < 1 || value.get<Index>() > most_gpus)
                  throw UsageError(
                      fmt::format("gpus is {}: inputs are spread over 1 to {}", value.dump(), most_gpus));
              },
          .sizes = true,
          .left_out_at_default = true};
}

int gpus_of(const InputSpec& input) { return input.axes.value("gpus", 1); }

Part part_of(Index n, int gpu, int count) {
  const Index each = n / count, more = n % count;
  return {gpu * each + std::min<Index>(gpu, more), each + (gpu < more)};
}

const Pair* Problem::pair(Type type, Operator op, std::string_view accumulator) const {
  for (const Pair& pair : pairs)
    if (pair.type == type && pair.op == op &&
        (pair.accumulates ? pair.result->name : std::string_view()) == accumulator)
      return &pair;
  return nullptr;
}

ProblemRegistration::ProblemRegistration(Problem problem) { registered().push_back(std::move(problem)); }

const std::vector<Problem>& problems() { return registered(); }

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const Problem& problem : problems()) names.push_back(problem.name);
  return names;
}

const Problem* find_problem(std::string_view name) {
  for (const Problem& problem : problems())
    if (problem.name == name) return &problem;
  return nullptr;
}

}  // namespace redbench
