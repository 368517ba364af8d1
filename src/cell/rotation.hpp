// Mode graph: each case as CUDA graphs that run it over copies of the cell's inputs in turn.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "src/config/config.hpp"
#include "src/inputs/problem.hpp"
#include "src/plan/plan.hpp"

namespace redbench {

/// Why a case is not timed in a mode, as far as is known before it runs; empty where it is. why_refused
/// (src/cell/cell.hpp) is for runs without times, too.
std::string why_refused_in(Mode mode, const Case& case_, const Device& device);

/// How often a cell's inputs are copied, and among how many graphs the copies are divided: a graph has no
/// more launches than the GPU's queue holds behind the waiting kernel (src/measure/launch_gap.hpp).
struct RotationSize {
  std::size_t copies = 1, graphs = 1;
  bool beyond_l2 = false;  // there are two copies at least, of more than five times the L2's bytes

  /// The first copy of a graph; first(graphs) is the number of copies.
  std::size_t first(std::size_t graph) const { return graph * copies / graphs; }
};

/// At least two copies, and enough to exceed five times `l2_bytes`, but no more than fit into `room` bytes
/// besides the original, or than make 16384 launches. One run has `launches`, at most
/// LaunchGap::most_launches.
RotationSize rotation_size(std::size_t input_bytes, std::size_t l2_bytes, std::size_t room,
                           std::size_t launches);

class Rotation {
 public:
  /// Enqueues a case on these operands.
  using Execute = std::function<void(const Case&, const Operands&)>;

  /// Captures all cases over copies of `inputs`, the first of which is already on the device at `original`.
  /// `refused` is called for a case that cannot be captured, `alive` between steps that take a while. Throws
  /// DeviceError.
  Rotation(Device& device, const std::vector<const Case*>& cases, const Inputs& inputs,
           const Operands& original, const Execute& execute,
           const std::function<void(const Case&, const std::string&)>& refused,
           const std::function<void()>& alive);

  struct Turn {
    Graph& graph;
    std::size_t runs;  // in it
  };
  /// The graph of a captured case over the copies that were read the longest time ago, by whichever case.
  Turn next(const Case& case_);

  const RotationSize& size() const { return size_; }

 private:
  Operands operands(std::size_t copy) const;
  void copy(const Inputs& inputs, const std::function<void()>& alive);

  Device& device_;
  const Operands original_;
  RotationSize size_;
  std::size_t offset_of_labels_, offset_of_offsets_, stride_;           // of a copy
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory_;  // of all copies but the original
  std::map<std::size_t, std::vector<std::unique_ptr<Graph>>> graphs_;   // by the cases' numbers
  std::size_t turn_ = 0;
};

}  // namespace redbench
