// Stacks for the threads of the block that one OS thread runs, and their faults (an overflow, an address that
// is no memory): they end the launch, not the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redbench::simt {

inline constexpr std::size_t stack_bytes = 64 * 1024;

/// Stacks of 64 KiB with a guard page below each, so that an overflow faults instead of corrupting the next
/// stack. A guarded stack costs the process two memory mappings. Past the share of vm.max_map_count that all
/// pools may take together, stacks have a canary instead, which is checked when a thread ends.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// The top of a stack of stack_bytes. Throws DeviceError where there is no memory.
  void* allocate();

  /// Takes every stack back. What is on it is not unwound: threads of a failed block are dropped.
  void reclaim_all();

  /// Whether `address` lies in the guard page of one of the stacks.
  bool guards(const void* address) const;
  /// Null where the stack that `address` lies on is guarded, else its canary.
  const std::uint64_t* canary_of(const void* address) const;
  static bool is_whole(const std::uint64_t* canary);

 private:
  struct Slab {
    std::byte* base;
    std::size_t bytes;
    bool guarded;
  };
  void add_slab();
  void free_stacks_of(const Slab& slab);
  static std::uint64_t* canary_in(const Slab& slab, std::size_t index);

  std::vector<Slab> slabs_;
  std::vector<std::byte*> free_;  // tops
};

struct Fault {
  int signal = 0;
  const void* address = nullptr;  // of the access
  const void* pc = nullptr;       // of the instruction; null on unknown platforms
};

/// Lets BlockRunner::escape handle the calling OS thread's faults, on a signal stack, because the stack of
/// the modelled thread may have overflowed.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;

 private:
  std::byte* const memory_;
};

}  // namespace redbench::simt
