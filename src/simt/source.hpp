// Maps addresses of the running program, and of the plugins that it has loaded, to names and lines of their source, by
// their DWARF. To be called on an OS
// thread's own stack: libdw may need more than a modelled thread's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace redbench::simt {

/// A line of a kernel file, "kernels/reduce/harris3.cu":17. Line 0 where nothing is known.
struct SourceLine {
  std::string file;
  int line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};
/// "kernels/reduce/harris3.cu:17", or "an unknown line".
std::string to_string(const SourceLine& line);

/// The line of the call that returns to `return_address`. For a call in language.hpp, which is inlined, the
/// line of the kernel that makes it.
SourceLine line_of_call(const void* return_address);

/// The name that a symbol has in the source, or the symbol where it has none. f16 is `__half`: what g++ calls
/// it, `_Float16`, libstdc++ learnt to read late.
std::string demangled(std::string symbol);

/// "void redbench::(anonymous namespace)::tree<redbench::on_simt::Sum<int> >(int const*)" ->
/// "tree<Sum<int>>".
std::string short_name(std::string name);

/// A static __shared__ variable, by its place in a thread's storage.
struct SharedVariable {
  std::string name;
  std::size_t offset;  // from thread_storage(kernel)
  std::size_t bytes;
};

struct KernelSource {
  std::string name;  // demangled, without namespaces, parameters and return type
  /// "kernels/reduce/harris3.cu" for a kernel in an unnamed namespace; empty for one that may come from a
  /// header.
  std::string file;
  /// The __shared__ variables of the kernel and of every function that it calls, by offset.
  std::vector<SharedVariable> shared;
  std::size_t shared_bytes = 0;  // of all of them, each at its alignment
  /// The thread-local storage of the program or plugin that holds the kernel: its number and size.
  std::size_t storage_module = 0, storage_bytes = 0;
  const void* base = nullptr;  // where that was loaded
};
/// The source of a kernel. The reference stays valid.
const KernelSource& kernel_source(const void* function);

/// Start of the calling OS thread's storage for the object that holds the kernel; null where it has none.
std::byte* thread_storage(const KernelSource& kernel);

}  // namespace redbench::simt
