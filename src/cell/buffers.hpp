// Device memory of a cell, each piece between red zones: what a variant writes past its buffers is seen.
#pragma once

#include <vector>

#include "src/device/device.hpp"
#include "src/measure/movers.hpp"
#include "src/reference/exact_answer.hpp"

namespace redbench {

/// One allocation cut into pieces, each 256-byte aligned and with a red zone before and after it.
class GuardedMemory {
 public:
  /// Throws DeviceError where there is no room.
  GuardedMemory(Device& device, std::size_t bytes, Pages pages = Pages::any);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// Bytes that pieces of these sizes take, zones included.
  static std::size_t room_for(const std::vector<std::size_t>& pieces);

  /// Fills everything with `poison`, then cuts it anew. The earlier pieces end.
  std::vector<void*> cut(const std::vector<std::size_t>& pieces, unsigned char poison);
  /// Cuts it anew and leaves what the pieces hold.
  std::vector<void*> guard(const std::vector<std::size_t>& pieces);
  /// Where `cut` puts such pieces; touches nothing.
  std::vector<void*> places(const std::vector<std::size_t>& pieces) const;

  /// Why it is not in the pages that it was asked for in, once `cut` has filled it; empty where it is.
  std::string wrong_pages() { return device_.wrong_pages(memory_); }

  /// Which zone was written into: "writes byte 12 of scratch 0, which has 12", or empty. Waits for the
  /// device.
  std::string damage(const std::vector<std::string>& names) const;

 private:
  struct Piece {
    std::size_t start, bytes;
  };
  void paint_zone(std::size_t start, std::size_t bytes);

  Device& device_;
  std::size_t bytes_;
  std::byte* memory_;
  std::vector<Piece> pieces_;
};

/// The inputs of a cell on a device, and its result.
class CellBuffers {
 public:
  CellBuffers(Device& device, const Inputs& inputs, std::size_t result_bytes, Pages pages = Pages::any);

  const Operands& operands() const { return operands_; }
  std::size_t result_bytes() const { return pieces_.back(); }
  std::size_t input_bytes() const;
  /// Where the inputs lie, those that the problem has.
  std::vector<Span> input_spans() const;

  /// Why they are not in the pages that they were asked for in; empty where they are.
  std::string wrong_pages() { return memory_.wrong_pages(); }
  /// Uploads `bytes` bytes of the values from byte `at` on.
  void restore_values(std::size_t at, std::size_t bytes);
  /// Uploads the inputs again and fills the result with `poison`, the red zones with their pattern.
  void restore();
  /// The result's bytes with `poison`.
  void poison_result(unsigned char poison);
  /// The result as it is: in memory that the next call takes again, as fresh pages would cost more than the
  /// copy.
  const HostBuffer& download_result();
  /// Whether the inputs on the device still are what was uploaded.
  bool inputs_intact() const;
  std::string damage() const;

 private:
  struct Array {
    const HostBuffer* host;
    const char* name;
    void* device = nullptr;
  };
  Device& device_;
  std::vector<Array> arrays_;
  std::vector<std::size_t> pieces_;  // values, labels, offsets, result
  GuardedMemory memory_;
  Operands operands_;
  HostBuffer downloaded_;
};

/// What results and scratch hold before a run, so that what was not written shows. NaN for floats. `round`: a
/// second check takes another pattern, as one may happen to do no harm to an operator (the lowest number to a
/// maximum).
unsigned char result_poison(ExactAnswer& answer);
unsigned char scratch_poison(const Pair& pair, int round);

}  // namespace redbench
