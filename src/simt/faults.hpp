// Faults of a thread of a block (a stack overflow, an address that is no memory): they end the launch, not
// the process.
#pragma once

#include <cstddef>

namespace redbench::simt {

struct Fault {
  int signal = 0;
  const void* address = nullptr;  // of the access
  const void* pc = nullptr;       // of the instruction; null on unknown platforms
};

/// A signal stack for the calling OS thread, because the stack of the modelled thread may have overflowed.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;

 private:
  std::byte* memory_;
};

}  // namespace redbench::simt
