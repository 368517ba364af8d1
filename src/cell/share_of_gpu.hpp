// What one GPU has of a cell whose inputs are spread over several.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "kernels/gpus/gpus.hpp"
#include "src/cell/buffers.hpp"
#include "src/inputs/problem.hpp"

namespace redbench {

/// What a GPU has of a cell.
class Share {
 public:
  Share(Device& device, const Part& part, const InputSizes& sizes, Index n, std::size_t scratch_bytes)
      : device_(device),
        part_(part),
        value_bytes_(n ? sizes.values / std::size_t(n) : 0),
        label_bytes_(n ? sizes.labels / std::size_t(n) : 0),
        pieces_{value_bytes_ * std::size_t(part.count), label_bytes_ * std::size_t(part.count), sizes.result,
                std::size_t(flags_of_gpu) * sizeof(u32)},
        memory_(device, GuardedMemory::room_for(pieces_)),
        scratch_(device, scratch_bytes) {
    places_ = memory_.cut(pieces_, 0);
    operands_.values = places_[0];
    operands_.labels = places_[1];
    operands_.result = places_[2];
    operands_.n = part.count;
    operands_.m = sizes.m;
    operands_.form = sizes.form;
  }

  Device& device() const { return device_; }
  const Part& part() const { return part_; }
  const Operands& operands() const { return operands_; }
  u32* flags() const { return static_cast<u32*>(places_[3]); }
  std::size_t result_bytes() const { return pieces_[2]; }

  /// A block of the part, which begins with input `first` of the cell.
  void upload(const Inputs& block, Index first) {
    each_array(block, first, [&](void* here, const HostBuffer& array) {
      device_.upload(here, array.data.get(), array.bytes);
    });
  }
  bool holds(const Inputs& block, Index first) {
    bool same = true;
    each_array(block, first, [&](void* here, const HostBuffer& array) {
      HostBuffer copy(array.bytes);
      device_.download(copy.data.get(), here, array.bytes);
      same = same && std::memcmp(copy.data.get(), array.data.get(), array.bytes) == 0;
    });
    return same;
  }

  /// Paints the zones around the arrays again; the arrays keep their places.
  void restore_zones() { memory_.guard(pieces_); }
  void clear_flags() {
    const std::vector<u32> zeros(std::size_t(flags_of_gpu), 0);
    device_.upload(flags(), zeros.data(), pieces_[3]);
  }
  void poison_result(unsigned char byte) { device_.fill(operands_.result, byte, result_bytes()); }
  std::vector<void*> scratch_of(const Footprint& footprint, std::optional<unsigned char> poison) {
    return poison ? scratch_.cut(footprint.scratch, *poison) : scratch_.places(footprint.scratch);
  }
  void guard_scratch(const Footprint& footprint) { scratch_.guard(footprint.scratch); }
  std::string damage(const Footprint& footprint) const {
    std::string damage = memory_.damage({"the values", "the labels", "the result", "the flags"});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, footprint.scratch.size()); ++i)
      names.push_back(fmt::format("scratch {}", i));
    return damage.empty() ? scratch_.damage(names) : damage;
  }

 private:
  template <class Visit>
  void each_array(const Inputs& block, Index first, const Visit& visit) {
    const auto at = [&](void* array, std::size_t bytes) {
      return static_cast<std::byte*>(array) + std::size_t(first - part_.first) * bytes;
    };
    if (block.values.bytes) visit(at(places_[0], value_bytes_), block.values);
    if (block.labels.bytes) visit(at(places_[1], label_bytes_), block.labels);
  }

  Device& device_;
  const Part part_;
  const std::size_t value_bytes_, label_bytes_;  // of an input
  const std::vector<std::size_t> pieces_;
  GuardedMemory memory_, scratch_;
  std::vector<void*> places_;
  Operands operands_;
};

}  // namespace redbench
