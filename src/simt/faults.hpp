// A thread of a block that faults (a stack overflow, an address that is no memory) costs its launch, not the
// process.
#pragma once

#include <cstddef>

namespace redbench::simt {

struct Fault {
  int signal = 0;
  const void* address = nullptr;  // that was accessed
  const void* pc = nullptr;       // of the instruction; null where the platform is not known
};

/// The stack that the calling OS thread takes its faults on: that of the thread that it runs may be full.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;

 private:
  std::byte* memory_;
};

}  // namespace redbench::simt
