// The devices of a run: one for kernels, or several that are alike, and the host for CPU algorithms.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/registry.hpp"

namespace redbench {

/// On the host alone, both are the host.
struct Devices {
  Device& kernels;
  Device& host;
  int gpus = 1;               // that are as `kernels`, which is one of them
  bool in_processes = false;  // the GPUs of a case are of a process each (src/device/processes.hpp)
  Device& of(const Variant& variant) const { return variant.on_host() ? host : kernels; }
};

/// One of several devices of one model that share the cells of a run. Each has worker processes of its own, to which
/// it is the only one: records are named as those of `cuda:0` or of the model, whichever of them made them.
struct Board {
  int number;          // "cuda:2": 2; of modelled ones from 0
  std::string name;    // "cuda:2", "simt:h200 (3 of 4)"
  std::string model;   // DeviceFacts::name
  std::string bus_id;  // Device::bus_id
  std::string uuid;    // as CUDA_VISIBLE_DEVICES takes it; empty: a modelled one
};
Board cuda_board(int ordinal);  // in a build with CUDA; makes no context on the GPU

/// "2.28.3", of the NCCL that is loaded; empty in a build without it.
std::string nccl_version();

/// Whether the name is of the form of several devices: "cuda:0,2-3", "cuda:all", "simt:h200:4".
bool names_boards(std::string_view name);
/// Those of such a name; none where the name is of a single device, or of none. Throws
/// UsageError: for one that is named twice or not there, and for GPUs of two models.
std::vector<Board> boards_named(std::string_view name);

/// Owns the devices of a run.
struct OpenDevices {
  /// `name`: as open_device and boards_named take it. Of several boards the first is opened.
  explicit OpenDevices(const std::string& name, const SimtOptions& options = {});
  Devices devices() { return {*kernels, host ? *host : *kernels, gpus, processes > 1}; }

  std::vector<Board> boards;  // empty: `kernels` is the only one
  int gpus;                   // that a case may take: boards; of a worker those of its parent
  int processes = 1;          // that share the run, each with a GPU; then a case may take as many
  std::unique_ptr<Device> kernels;
  std::unique_ptr<Device> host;  // null where `kernels` is the host
};

}  // namespace redbench
