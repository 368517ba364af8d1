// Opens a device by the name that a user writes.

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

std::unique_ptr<Device> open_cuda(std::string_view name, std::string_view ordinal) {
  const std::string device = "device `" + std::string(name) + "`: ";
  if (!with_cuda)
    throw UsageError(device +
                     "this redbench is built without CUDA (configure it with -DREDBENCH_CUDA=ON); `simt` and "
                     "`host` are there");
  const int number = name.find(':') == name.npos ? 0 : parse_number<int>(ordinal).value_or(-1);
  if (number < 0) throw UsageError(device + "after `cuda:` comes a device's number, as in `cuda:0`");
  const int count = cuda_device_count();
  if (count == 0)
    throw UsageError(device +
                     "no NVIDIA GPU with a working driver is here (redbench doctor says more); `simt` and "
                     "`host` are there");
  if (number >= count)
    throw UsageError(
        device + "the GPUs here are " +
        (count == 1 ? "`cuda:0` alone" : "`cuda:0` to `cuda:" + std::to_string(count - 1) + "`"));
#ifdef REDBENCH_WITH_CUDA
  return make_cuda(number);
#else
  return nullptr;
#endif
}

}  // namespace

#ifndef REDBENCH_WITH_CUDA
int cuda_device_count() { return 0; }
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
  if (kind == "simt") return make_simt(which, options);
  throw UsageError("device `" + std::string(name) + "` is not known" + nearest_match(name, device_names()) +
                   "; known are " + alternatives(device_names()));
}

OpenDevices::OpenDevices(const std::string& name, const SimtOptions& options)
    : kernels(open_device(name, options)) {
  if (kernels->target() != Target::host) host = make_host();
}

}  // namespace redbench
