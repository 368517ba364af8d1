// Opens a device by the name that a user writes.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/device/devices.hpp"
#include "src/error.hpp"
#include "src/simt/model.hpp"
#include "src/text/nearest.hpp"
#include "src/text/number.hpp"

namespace redbench {
namespace {

#ifdef REDBENCH_WITH_CUDA
constexpr bool with_cuda = true;
#else
constexpr bool with_cuda = false;
#endif

std::vector<std::string> device_names() {
  std::vector<std::string> names{"auto", "host", "simt"};
  for (const std::string& model : simt::model_names()) names.push_back("simt:" + model);
  names.push_back("cuda");
  for (int i = 0; i < cuda_device_count(); ++i) names.push_back("cuda:" + std::to_string(i));
  return names;
}

/// Throws UsageError where there is no such GPU.
void check_cuda(std::string_view name, int number) {
  const std::string device = "device `" + std::string(name) + "`: ";
  if (!with_cuda)
    throw UsageError(device +
                     "this redbench is built without CUDA (configure it with -DREDBENCH_CUDA=ON); `simt` and "
                     "`host` are there");
  if (number < 0)
    throw UsageError(
        device +
        "after `cuda:` comes a device's number, as in `cuda:0`, or several: `cuda:0,2-3`, `cuda:all`");
  const int count = cuda_device_count();
  if (count == 0)
    throw UsageError(device +
                     "no NVIDIA GPU with a working driver is here (redbench doctor says more); `simt` and "
                     "`host` are there");
  if (number >= count)
    throw UsageError(
        device + "the GPUs here are " +
        (count == 1 ? "`cuda:0` alone" : "`cuda:0` to `cuda:" + std::to_string(count - 1) + "`"));
}

/// `number`: as Device::name has it.
std::unique_ptr<Device> open_gpu([[maybe_unused]] int ordinal, [[maybe_unused]] int number) {
#ifdef REDBENCH_WITH_CUDA
  return make_cuda(ordinal, number);
#else
  return nullptr;
#endif
}

std::unique_ptr<Device> open_cuda(std::string_view name, std::string_view ordinal) {
  const int number = name.find(':') == name.npos ? 0 : parse_number<int>(ordinal).value_or(-1);
  check_cuda(name, number);
  return open_gpu(number, number);
}

std::vector<Board> cuda_boards(std::string_view name, std::string_view which) {
  constexpr int most = 1023;
  std::vector<int> numbers;
  if (which == "all") {
    check_cuda(name, 0);
    for (int i = 0; i < cuda_device_count(); ++i) numbers.push_back(i);
  } else if (which.find_first_of(",-") != which.npos) {
    numbers = parse_number_list(which, most).value_or(numbers);
  }
  std::set<int> known;
  for (const int number : numbers)
    if (!known.insert(number).second)
      throw UsageError(fmt::format("device `{}`: names cuda:{} twice", name, number));
  std::vector<Board> boards;
  for (const int number : numbers) {
    check_cuda(name, number);
#ifdef REDBENCH_WITH_CUDA
    boards.push_back(cuda_board(number));
#endif
    if (const Board &first = boards[0], &last = boards.back(); first.model != last.model)
      throw UsageError(fmt::format("device `{}`: the GPUs of a run are of one model; {} is an {}, {} an {}",
                                   name, first.name, first.model, last.name, last.model));
  }
  return boards;
}

/// `which`: "h200:4".
std::vector<Board> modelled_boards(std::string_view name, std::string_view which) {
  constexpr int most = 64;
  const std::size_t colon = which.rfind(':');
  const std::string_view digits = colon == which.npos ? "" : which.substr(colon + 1);
  if (colon == 0 || digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return {};
  const int count = parse_number<int>(digits).value_or(most + 1);
  if (count < 1 || count > most)
    throw UsageError(
        fmt::format("device `{}`: 1 to {} modelled GPUs may share a run, not {}", name, most, digits));
  const std::string model(which.substr(0, colon));
  std::vector<Board> boards;
  for (int i = 0; i < count; ++i)
    boards.push_back({i, fmt::format("simt:{} ({} of {})", model, i + 1, count), model, "", ""});
  return boards;
}

}  // namespace

#ifndef REDBENCH_WITH_CUDA
int cuda_device_count() { return 0; }
std::string nccl_version() { return {}; }
#endif

std::unique_ptr<Device> open_device(std::string_view name, const SimtOptions& options) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view which =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  const bool bare = colon == std::string_view::npos;
  if (kind == "auto" && bare) return cuda_device_count() > 0 ? open_cuda("cuda", {}) : make_simt({}, options);
  if (kind == "host" && bare) return make_host();
  if (kind == "cuda") return open_cuda(name, which);
  if (kind == "simt" && (bare || !which.empty())) return make_simt(which, options);
  throw UsageError("device `" + std::string(name) + "` is not known" + nearest_match(name, device_names()) +
                   "; known are " + alternatives(device_names()));
}

bool names_boards(std::string_view name) {
  if (name.starts_with("simt:")) return std::ranges::count(name, ':') == 2;
  return name.starts_with("cuda:") && (name == "cuda:all" || name.find_first_of(",-") != name.npos);
}

std::vector<Board> boards_named(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon),
                         which = colon == name.npos ? "" : name.substr(colon + 1);
  if (kind == "cuda") return cuda_boards(name, which);
  return kind == "simt" ? modelled_boards(name, which) : std::vector<Board>();
}

OpenDevices::OpenDevices(const std::string& name, const SimtOptions& options) : boards(boards_named(name)) {
  if (boards.empty()) kernels = open_device(name, options);
  else if (boards[0].uuid.empty()) kernels = make_simt(boards[0].model, options);
  else kernels = open_gpu(boards[0].number, 0);
  if (kernels->target() != Target::host) host = make_host();
  gpus = std::max(1, int(boards.size()));
}

}  // namespace redbench
