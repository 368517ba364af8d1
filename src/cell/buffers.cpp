#include "src/cell/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/parallel.hpp"

namespace redbench {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t zone_bytes = 1024;
// Large and finite in every type, so that a value read from a zone changes a sum; and no poison's byte.
constexpr unsigned char zone_byte = 0x7A;
// From here on copying a result takes longer than pinning it once, which is done for some twenty copies in a cell.
constexpr std::size_t large_result = std::size_t(16) << 20;

}  // namespace

GuardedMemory::GuardedMemory(Device& device, std::size_t bytes, Pages pages)
    : device_(device), bytes_(bytes), memory_(static_cast<std::byte*>(device.allocate_in(pages, bytes))) {}

GuardedMemory::~GuardedMemory() { device_.release(memory_); }

std::size_t GuardedMemory::room_for(const std::vector<std::size_t>& pieces) {
  std::size_t total = zone_bytes;
  for (const std::size_t bytes : pieces) total += round_up(bytes, alignment) + zone_bytes;
  return total;
}

std::vector<void*> GuardedMemory::places(const std::vector<std::size_t>& pieces) const {
  std::vector<void*> starts;
  std::size_t at = zone_bytes;
  for (const std::size_t bytes : pieces) {
    starts.push_back(memory_ + at);
    at += round_up(bytes, alignment) + zone_bytes;
  }
  return starts;
}

std::vector<void*> GuardedMemory::cut(const std::vector<std::size_t>& pieces, unsigned char poison) {
  // Piece by piece, as a host then spreads the pages of each over its cores as these will read it.
  const std::vector<void*> starts = places(pieces);
  std::byte* end = memory_;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    end = static_cast<std::byte*>(starts[i]) + pieces[i];
    if (pieces[i]) device_.fill(starts[i], poison, pieces[i]);
  }
  device_.fill(end, poison, std::size_t(memory_ + bytes_ - end));
  return guard(pieces);
}

std::vector<void*> GuardedMemory::guard(const std::vector<std::size_t>& pieces) {
  const std::vector<void*> starts = places(pieces);
  paint_zone(0, zone_bytes);
  pieces_.clear();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t start = std::size_t(static_cast<std::byte*>(starts[i]) - memory_);
    pieces_.push_back({start, pieces[i]});
    // The zone begins at the last byte in use, not at the next aligned one.
    paint_zone(start + pieces[i], round_up(pieces[i], alignment) - pieces[i] + zone_bytes);
  }
  return starts;
}

void GuardedMemory::paint_zone(std::size_t start, std::size_t bytes) {
  device_.fill(memory_ + start, zone_byte, bytes);
  device_.forbid(memory_ + start, bytes);
}

std::string GuardedMemory::damage(const std::vector<std::string>& names) const {
  std::vector<unsigned char> zone;
  const auto first_bad = [&](std::size_t start, std::size_t bytes) {
    zone.resize(bytes);
    device_.download(zone.data(), memory_ + start, bytes);
    return std::size_t(
        std::find_if(zone.begin(), zone.end(), [](unsigned char b) { return b != zone_byte; }) -
        zone.begin());
  };
  if (!pieces_.empty() && first_bad(0, zone_bytes) < zone_bytes)
    return fmt::format("writes before the start of {}", names.front());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto [start, bytes] = pieces_[i];
    const std::size_t length = round_up(bytes, alignment) - bytes + zone_bytes;
    const std::size_t bad = first_bad(start + bytes, length);
    if (bad < length) return fmt::format("writes byte {} of {}, which has {}", bytes + bad, names[i], bytes);
  }
  return {};
}

CellBuffers::CellBuffers(Device& device, const Inputs& inputs, std::size_t result_bytes, Pages pages)
    : device_(device),
      arrays_{
          {&inputs.values, "the values"}, {&inputs.labels, "the labels"}, {&inputs.offsets, "the offsets"}},
      pieces_{inputs.values.bytes, inputs.labels.bytes, inputs.offsets.bytes, result_bytes},
      memory_(device, GuardedMemory::room_for(pieces_), pages) {
  operands_.n = inputs.n;
  operands_.m = inputs.m;
  operands_.form = inputs.form;
  restore();
}

std::size_t CellBuffers::input_bytes() const {
  std::size_t total = 0;
  for (const Array& array : arrays_) total += array.host->bytes;
  return total;
}

std::vector<Span> CellBuffers::input_spans() const {
  std::vector<Span> spans;
  for (const Array& array : arrays_)
    if (array.host->bytes) spans.push_back({array.device, array.host->bytes});
  return spans;
}

void CellBuffers::restore() {
  const std::vector<void*> starts = memory_.cut(pieces_, 0);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    arrays_[i].device = starts[i];
    if (pieces_[i]) device_.upload(starts[i], arrays_[i].host->data.get(), pieces_[i]);
  }
  operands_.values = starts[0];
  operands_.labels = starts[1];
  operands_.offsets = static_cast<const Index*>(starts[2]);
  operands_.result = starts[3];
}

void CellBuffers::restore_values(std::size_t at, std::size_t bytes) {
  const Array& values = arrays_[0];
  device_.upload(static_cast<std::byte*>(values.device) + at, values.host->data.get() + at, bytes);
}

void CellBuffers::poison_result(unsigned char poison) {
  device_.fill(operands_.result, poison, result_bytes());
}

const HostBuffer& CellBuffers::download_result() {
  if (!downloaded_.data) {
    downloaded_ = HostBuffer(result_bytes());
    if (result_bytes() >= large_result) pinned_ = device_.pin(downloaded_.data.get(), downloaded_.bytes);
  }
  device_.download(downloaded_.data.get(), operands_.result, downloaded_.bytes);
  return downloaded_;
}

bool CellBuffers::inputs_intact() const {
  constexpr std::size_t chunk = std::size_t(64) << 20;
  HostBuffer copy(std::min(chunk, input_bytes()));
  // To pin it takes as long as pinning saves in a few copies.
  const bool is_pinned = input_bytes() >= 4 * chunk;
  const std::shared_ptr<void> pinned = is_pinned ? device_.pin(copy.data.get(), copy.bytes) : nullptr;
  for (const Array& array : arrays_)
    for (std::size_t at = 0; at < array.host->bytes; at += chunk) {
      const std::size_t bytes = std::min(chunk, array.host->bytes - at);
      device_.download(copy.data.get(), static_cast<const std::byte*>(array.device) + at, bytes);
      if (!equal_bytes(copy.data.get(), array.host->data.get() + at, bytes)) return false;
    }
  return true;
}

std::string CellBuffers::damage() const {
  return memory_.damage({arrays_[0].name, arrays_[1].name, arrays_[2].name, "the result"});
}

unsigned char result_poison(ExactAnswer& answer, int round) {
  // A result of the exact answer that is all ones would look like the poison. It may be 0xA5, but not 0x5A as well.
  if (!answer.has_all_ones()) return 0xFF;
  return round == 0 ? 0xA5 : 0x5A;
}

unsigned char scratch_poison(const Pair& pair, int round) {
  if (round == 0) return 0xFF;
  return traits_of(pair.op).low_wins ? pair.value->low_poison : pair.value->high_poison;
}

}  // namespace redbench
