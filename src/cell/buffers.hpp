// Device memory of a cell, each piece between red zones that show what a variant writes past its buffers.
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

  /// Fills everything with `poison`, then cuts it into new pieces, in place of the earlier ones.
  std::vector<void*> cut(const std::vector<std::size_t>& pieces, unsigned char poison);
  /// Cuts it into new pieces, whose bytes stay as they are.
  std::vector<void*> guard(const std::vector<std::size_t>& pieces);
  /// Where `cut` puts such pieces; touches nothing.
  std::vector<void*> places(const std::vector<std::size_t>& pieces) const;

  /// Why the memory, once filled, is not in the pages that were asked for; empty where it is.
  std::string wrong_pages() { return device_.wrong_pages(memory_); }

  /// The first write into a zone: "writes byte 12 of scratch 0, which has 12"; empty where there is none.
  /// Waits for the device.
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
  /// Where the inputs are, without those that the problem has not.
  std::vector<Span> input_spans() const;

  std::string wrong_pages() { return memory_.wrong_pages(); }
  /// Uploads `bytes` bytes of the values from byte `at` on.
  void restore_values(std::size_t at, std::size_t bytes);
  /// Uploads the inputs again, and fills the result with zeros and the red zones with their pattern.
  void restore();
  void poison_result(unsigned char poison);
  /// The result, in memory that the next call reuses: fresh pages would cost more than the copy.
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
  std::shared_ptr<void> pinned_;
};

/// The byte with which results and scratch are filled before a run, so that memory that nobody wrote shows.
/// 0xFF makes floats NaN. The second check (`round` 1) takes another byte for scratch, as one pattern may do no
/// harm to an operator: the lowest number none to a maximum; and for a result that could be 0xFF.
unsigned char result_poison(ExactAnswer& answer, int round);
unsigned char scratch_poison(const Pair& pair, int round);

}  // namespace redbench
