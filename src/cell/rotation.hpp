// Mode graph: the work of each case as graphs that run it over copies of the cell's inputs in turn.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "src/config/config.hpp"
#include "src/inputs/problem.hpp"
#include "src/plan/plan.hpp"

namespace redbench {

/// Why a case is not measured in a mode, by its plan or the mode; empty where it is, as far as is known
/// before it runs.
std::string refusal_in(Mode mode, const Case& one, const Device& device);

/// How often a cell's inputs are copied, and how many graphs share the copies out: each runs over as many as
/// the queue holds behind the kernel that waits.
struct RotationSize {
  std::size_t copies = 1, graphs = 1;
  bool beyond_l2 = false;  // copies are two at least, and more than five times the L2

  /// The first copy of a graph; that of `graphs` is the end.
  std::size_t first(std::size_t graph) const { return graph * copies / graphs; }
};

/// Two at least, and as many as exceed five times `l2_bytes`, but at most what `room` holds besides the
/// original, and 16384 launches. `launches`: of one run, at most LaunchGap::most_launches.
RotationSize rotation_size(std::size_t input_bytes, std::size_t l2_bytes, std::size_t room,
                           std::size_t launches);

class Rotation {
 public:
  /// Enqueues a case on some operands.
  using Execute = std::function<void(const Case&, const Operands&)>;

  /// Captures all cases over copies of `inputs`, which lie on the device at `original`, too: that is the
  /// first of them. Cases that cannot be captured are `refused`; `alive` is called between steps that take a
  /// while. Throws DeviceError.
  Rotation(Device& device, const std::vector<const Case*>& cases, const Inputs& inputs,
           const Operands& original, const Execute& execute,
           const std::function<void(const Case&, const std::string&)>& refused,
           const std::function<void()>& alive);
  ~Rotation();
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;

  struct Turn {
    Graph& graph;
    std::size_t runs;  // in it
  };
  /// The graph of a captured case whose copies have rested longest: cases take turns.
  Turn next(const Case& one);

  const RotationSize& size() const { return size_; }

 private:
  Operands operands(std::size_t copy) const;
  void copy(const Inputs& inputs, const std::function<void()>& alive);

  Device& device_;
  const Operands original_;
  RotationSize size_;
  std::size_t offset_of_labels_, offset_of_offsets_, stride_;  // of a copy
  std::byte* memory_ = nullptr;                                // of all copies but the original
  std::map<const Case*, std::vector<std::unique_ptr<Graph>>> graphs_;
  std::size_t turn_ = 0;
};

}  // namespace redbench
