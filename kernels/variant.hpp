// The contract of a variant: all that its author has to read. What makes it work is in kernels/contract/.
//
// A variant is one file, kernels/<problem>/<name>.cu (a CPU algorithm: .cpp), and its path is its name. The
// file holds the kernel in plain CUDA C++, a struct with `run` (the launch code) and `card` (what is known
// about it), and REDBENCH_VARIANT. docs/adding_a_variant.md walks through one.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/contract/device_facts.hpp"
#include "kernels/operators.hpp"
#include "kernels/rounding.hpp"
#include "kernels/types.hpp"

#if defined(__CUDACC__)
#include "src/device/cuda_language.hpp"
#elif defined(REDBENCH_ON_SIMT)
#include "src/simt/language.hpp"
#endif

namespace redbench {

/// What a variant asks of the operator: `any` associative one, applied in input order, or a commutative one.
enum class Order : std::uint8_t { any, commutative };

/// Which pages a CPU algorithm's memory lies in: those that the harness prefers (huge where it is much), the
/// system's smallest (4 kB on x86), or huge ones (2048 kB there).
enum class Pages : std::uint8_t { any, small, huge };

/// Which values a parameter takes between its minimum and maximum.
enum class Step : std::uint8_t { one, power_of_two, multiple_of_warp };

/// A launch parameter: an axis of the configs, read by the variant with Queue::parameter.
struct Parameter {
  std::string_view name;
  Index fallback = 0;
  Index minimum = 0, maximum = 0;
  Step step = Step::one;
  std::string_view found;  // how the default was found: paper and section, reasoning, or tuned on which GPU
};

/// The most inputs that a 32-bit index numbers, with room for a tile that reaches past the end:
/// Card::maximum_n.
inline constexpr Index most_of_32_bits = Index(1) << 31;

/// What is known about a variant without running it. Whatever does not meet it is refused in the plan, with a
/// sentence.
struct Card {
  std::string_view title;
  std::string_view source;  // paper and section
  Order order = Order::any;
  int minimum_capability = 0;  // compute capability x 10; 0: any
  Index maximum_n = 0;         // most inputs, where an index or a count has 32 bits; 0: no limit
  Index maximum_m = 0;         // most segments, bins or labels; 0: no limit
  bool library_only = false;   // no kernel of its own: nothing that the modelled device could run
  bool synchronizes = false;   // waits for the device inside run, so the launch gap cannot be hidden
  Pages pages = Pages::any;    // of a CPU algorithm: of its inputs, its result and its scratch memory
  int registers = 0;  // per thread as the paper prints them, for the modelled occupancy; 0: not known
  std::array<Parameter, 4> parameters{};
};

/// One launch: its shape, and the bytes of global memory that the author counts for it.
struct Grid {
  Index blocks = 1;
  int threads = 1;
  std::size_t shared_bytes = 0;  // dynamic shared memory per block
  bool cooperative = false;      // all blocks resident at once, grid_sync() allowed
  double bytes_read = 0, bytes_written = 0;
};

class Device;
struct Footprint;
struct KernelCall;
struct LaunchFacts;
using Parameters = std::vector<std::pair<std::string, Index>>;

/// What `run` works on: parameters, scratch memory and launches, in order.
///
/// `run` is called first with a queue that only plans: scratch gives null, launches are noted, nothing
/// executes. So the memory, passes and grids of a case are known without running it, and nothing is
/// allocated while time is taken. `run` must ask for the same whenever n and the parameters are the same.
class Queue {
 public:
  /// A planning queue: writes what `run` asks for to `footprint`.
  Queue(Device& device, const Parameters& parameters, Footprint& footprint);
  /// An executing queue: hands out `scratch` (one pointer for each request of `planned`, in order).
  Queue(Device& device, const Parameters& parameters, const Footprint& planned,
        const std::vector<void*>& scratch);

  bool planning() const { return footprint_ != nullptr; }
  const DeviceFacts& device() const;

  /// The case's value of a parameter named on the card.
  Index parameter(std::string_view name) const;

  /// Device memory for `count` elements, 256-byte aligned, contents undefined (poisoned before every check).
  template <class T>
  T* scratch(Index count) {
    return static_cast<T*>(scratch_bytes(std::size_t(count) * sizeof(T)));
  }

  /// The longest chain of operator applications from an input to a result: bounds the rounding error of a
  /// floating-point sum. Not stated, n is assumed: right for any order, but too loose to check long inputs.
  void chain(Index length);

  /// Refuses the case with a sentence, for needs that no card can state: a form of input, a size. Must depend
  /// on the operands' sizes and the parameters alone.
  [[noreturn]] void refuse(const std::string& why) const;

  /// A step on the CPU, for variants that are CPU algorithms. Not called while planning.
  void on_host(const std::function<void()>& step);

  /// A call of a device-wide library primitive in CUB's style: called with null to learn its temporary bytes
  /// while planning, and only then, with that much memory and the stream (a cudaStream_t) otherwise. It
  /// returns a cudaError_t.
  using LibraryCall = std::function<int(void* temporary, std::size_t& bytes, void* stream)>;
  void library(const LibraryCall& call);

  // What `launch`, `persistent_blocks` and the registry call.
  void submit(const KernelCall& call);
  /// Registers per thread on the card, for the occupancy of a device that does not know them.
  void assume_registers(int registers) { assumed_registers_ = registers; }
  /// Blocks of this shape that one multiprocessor holds at once (the occupancy calculator).
  int resident_blocks(const KernelCall& call) const;

 private:
  void* scratch_bytes(std::size_t bytes);
  LaunchFacts describe(const KernelCall& call) const;

  Device& device_;
  const Parameters& parameters_;
  Footprint* footprint_ = nullptr;
  const Footprint* planned_ = nullptr;
  const std::vector<void*>* scratch_ = nullptr;
  std::size_t next_scratch_ = 0;
  int assumed_registers_ = 0;
};

inline namespace REDBENCH_TARGET {

/// Launches `kernel` on `grid`. Arguments are converted to the kernel's parameter types.
template <class... P, class... A>
void launch(Queue& queue, const Grid& grid, void (*kernel)(P...), const A&... arguments);

/// The grid of a persistent kernel: multiprocessors x blocks of this shape that each holds at once.
template <class... P>
Index persistent_blocks(const Queue& queue, void (*kernel)(P...), int threads, std::size_t shared_bytes);

}  // namespace REDBENCH_TARGET

/// Registers a variant of a problem for every pair that it can take. The name comes from the file's path.
#define REDBENCH_VARIANT(Problem, Variant)                                                              \
  static const ::redbench::Registration registration(REDBENCH_VARIANT_NAME, this_target, Variant::card, \
                                                     instances<Problem, Variant>(Problem##Pairs{}));

}  // namespace redbench

#include "kernels/contract/launch.hpp"
#include "kernels/contract/registration.hpp"
