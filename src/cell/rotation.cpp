#include "src/cell/rotation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/error.hpp"
#include "src/measure/launch_gap.hpp"

namespace redbench {
namespace {

constexpr std::size_t alignment = 256, most_launches_of_a_case = 16384;
constexpr std::size_t most_launches = LaunchGap::most_launches;

std::string too_many(std::size_t launches) {
  return fmt::format("mode graph: it launches {} kernels, more than the {} that the queue holds", launches,
                     most_launches);
}

}  // namespace

std::string why_refused_in(Mode mode, const Case& case_, const Device& device) {
  if (!case_.refusal.empty()) return case_.refusal;
  if (mode != Mode::cold && gpus_of(case_.input) > 1) return "over several GPUs, times are of mode cold";
  if (mode != Mode::graph) return {};
  if (device.target() != Target::cuda) return "mode graph: only CUDA has graphs, not " + device.name();
  if (case_.variant->card.synchronizes)
    return "mode graph: it waits for the device inside `run`, which cannot be captured";
  if (case_.footprint.launches.size() > most_launches) return too_many(case_.footprint.launches.size());
  return {};
}

RotationSize rotation_size(std::size_t input_bytes, std::size_t l2_bytes, std::size_t room,
                           std::size_t launches) {
  const std::size_t bytes = std::max<std::size_t>(input_bytes, 1), runs = std::max<std::size_t>(launches, 1);
  const std::size_t wanted = std::max<std::size_t>(2, 5 * l2_bytes / bytes + 1);
  RotationSize size;
  size.copies = std::min({wanted, most_launches_of_a_case / runs, 1 + room / bytes});
  const std::size_t of_a_graph = std::max<std::size_t>(1, most_launches / runs);
  size.graphs = (size.copies + of_a_graph - 1) / of_a_graph;
  size.beyond_l2 = size.copies >= 2 && size.copies * input_bytes > 5 * l2_bytes;
  return size;
}

Rotation::Rotation(Device& device, const std::vector<const Case*>& cases, const Inputs& inputs,
                   const Operands& original, const Execute& execute,
                   const std::function<void(const Case&, const std::string&)>& refused,
                   const std::function<void()>& alive)
    : device_(device),
      original_(original),
      offset_of_labels_(round_up(inputs.values.bytes, alignment)),
      offset_of_offsets_(offset_of_labels_ + round_up(inputs.labels.bytes, alignment)),
      stride_(offset_of_offsets_ + round_up(inputs.offsets.bytes, alignment)) {
  std::vector<const Case*> captured;
  std::size_t launches = 1;
  for (const Case* case_ : cases) {
    std::string why;
    try {
      const std::size_t nodes = device.capture([&] { execute(*case_, original); })->nodes();
      if (nodes > most_launches) why = too_many(nodes);
      else launches = std::max(launches, nodes);
    } catch (const Refusal& refusal) {
      why = std::string("mode graph: ") + refusal.what();
    }
    alive();
    if (why.empty()) captured.push_back(case_);
    else refused(*case_, why);
  }
  if (captured.empty()) return;
  // An eighth is left to the graphs themselves, and to whoever else is on this GPU.
  const std::size_t free = device.free_bytes(),
                    bytes = inputs.values.bytes + inputs.labels.bytes + inputs.offsets.bytes;
  const std::size_t room = stride_ ? (free - free / 8) / stride_ * bytes : 0;
  size_ = rotation_size(bytes, device.facts().l2_bytes, room, launches);
  copy(inputs, alive);
  for (const Case* case_ : captured)
    for (std::size_t graph = 0; graph < size_.graphs; ++graph) {
      graphs_[case_->number].push_back(device.capture([&] {
        for (std::size_t i = size_.first(graph); i < size_.first(graph + 1); ++i)
          execute(*case_, operands(i));
      }));
      alive();
    }
}

void Rotation::copy(const Inputs& inputs, const std::function<void()>& alive) {
  memory_ = {static_cast<std::byte*>(device_.allocate((size_.copies - 1) * stride_)),
             [&device = device_](std::byte* memory) { device.release(memory); }};
  for (std::size_t i = 1; i < size_.copies; ++i) {
    std::byte* const start = memory_.get() + (i - 1) * stride_;
    for (const auto& [offset, array] : {std::pair(std::size_t(0), &inputs.values),
                                        {offset_of_labels_, &inputs.labels},
                                        {offset_of_offsets_, &inputs.offsets}})
      if (array->bytes) device_.upload(start + offset, array->data.get(), array->bytes);
    if (i % 256 == 0) alive();
  }
  alive();
}

Operands Rotation::operands(std::size_t copy) const {
  Operands operands = original_;
  if (copy == 0) return operands;
  std::byte* const start = memory_.get() + (copy - 1) * stride_;
  operands.values = start;
  operands.labels = start + offset_of_labels_;
  operands.offsets = reinterpret_cast<const Index*>(start + offset_of_offsets_);
  return operands;
}

Rotation::Turn Rotation::next(const Case& case_) {
  const std::size_t graph = turn_++ % size_.graphs;
  return {*graphs_.at(case_.number).at(graph), size_.first(graph + 1) - size_.first(graph)};
}

}  // namespace redbench
