// The contract of a variant: all that its author has to read. What makes it work is in kernels/contract/.
// A variant is one file, kernels/<problem>/<name>.cu (a CPU algorithm: .cpp), and its path is its name. It
// holds the kernel in plain CUDA C++, a struct with `run` (the launch code) and `card` (what is known of it),
// and REDBENCH_VARIANT(Problem, Variant), which registers it. docs/adding_a_variant.md walks through one.
#pragma once

#include <functional>
#include <string>

#include "kernels/contract/device_facts.hpp"
#include "kernels/contract/language.hpp"
#include "kernels/operators.hpp"
#include "kernels/rounding.hpp"

namespace redbench {

/// What a variant asks of the operator: `any` associative one, applied in input order, or a commutative one.
enum class Order : std::uint8_t { any, commutative };
/// Whether each run of a case gives the same bits: always; where no operation rounds, as the order of the
/// operations is that in which threads come; or never, as any of several values is a right result.
enum class Reproducible : std::uint8_t { always, exact, never };
/// Pages of a CPU algorithm's memory: as the harness prefers (huge where it is much), 4 kB, or 2 MB (on x86).
enum class Pages : std::uint8_t { any, small, huge };
/// Which values a parameter takes between its minimum and maximum.
enum class Step : std::uint8_t { one, power_of_two, multiple_of_warp };

/// A launch parameter: an axis of the configs, read by the variant with Queue::parameter.
struct Parameter {
  std::string_view name;
  Index fallback = 0, minimum = 0, maximum = 0;
  Step step = Step::one;
  std::string_view found;  // how the default was found: paper and section, reasoning, or tuned on which GPU
};

/// Card::maximum_n where an index has 32 bits: it leaves room for a tile that reaches past the end.
inline constexpr Index most_of_32_bits = Index(1) << 31;

/// What is known of a variant without running it. The plan refuses, with a sentence, what does not meet it.
struct Card {
  std::string_view title;
  std::string_view source;  // paper and section
  Order order = Order::any;
  Reproducible reproducible = Reproducible::always;
  int minimum_capability = 0;          // compute capability x 10; 0: any
  Index maximum_n = 0, maximum_m = 0;  // most inputs; most segments, bins or labels; 0: no limit
  bool narrow = false;                 // takes u8, i8 and bf16, too, and the axis `accumulator` of their sums
  bool library_only = false;           // no kernel of its own: nothing that the modelled device could run
  bool synchronizes = false;           // waits for the device inside run, so the launch gap cannot be hidden
  Pages pages = Pages::any;            // of a CPU algorithm: of its inputs, its result and its scratch memory
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

/// What `run` works on: parameters, scratch memory and launches, in order.
/// `run` is called first with a queue that only plans: scratch gives null, launches are noted, nothing runs.
/// So memory, passes and grids are known beforehand, and nothing is allocated while time is taken. `run` must
/// ask for the same whenever n and the parameters are the same.
class Queue {
 public:
  const DeviceFacts& device() const;
  Index parameter(std::string_view name) const;  // the case's value of a parameter on the card

  /// Device memory for `count` elements, 256-byte aligned, contents undefined (poisoned before every check).
  template <class T>
  T* scratch(Index count) {
    return static_cast<T*>(scratch_bytes(std::size_t(count) * sizeof(T)));
  }

  /// The longest chain of operator applications from an input to a result: bounds the rounding error of a
  /// floating-point sum. Not stated, n is assumed: right for any order, but too loose to check long inputs.
  void chain(Index length);

  /// Refuses the case with a sentence, for what no card can state. Depends on sizes and parameters alone.
  [[noreturn]] void refuse(const std::string& why) const;

  void on_host(const std::function<void()>& step);  // a step on the CPU; not called while planning

  /// A library's device-wide primitive in CUB's style, which returns a cudaError_t: called with null while
  /// planning, to learn its temporary bytes, else with that much memory and the stream (a cudaStream_t).
  using LibraryCall = std::function<int(void* temporary, std::size_t& bytes, void* stream)>;
  void library(const LibraryCall& call);
  std::size_t library_bytes(const LibraryCall& call);  // that it will ask for; 0 when no longer planning

 private:
  friend class CaseQueue;  // the harness's side: kernels/contract/queue.hpp
  Queue() = default;
  void* scratch_bytes(std::size_t bytes);
  void submit(const struct KernelCall& call);
  int resident_blocks(const struct KernelCall& call) const;
};

inline namespace REDBENCH_TARGET {

/// Launches `kernel` on `grid`. Arguments are converted to the kernel's parameter types.
template <class... P, class... A>
void launch(Queue& queue, const Grid& grid, void (*kernel)(P...), const A&... arguments);

/// The grid of a persistent kernel: multiprocessors x blocks of this shape that each holds at once.
template <class... P>
Index persistent_blocks(const Queue& queue, void (*kernel)(P...), int threads, std::size_t shared_bytes);

}  // namespace REDBENCH_TARGET
}  // namespace redbench

#include "kernels/contract/launch.hpp"
#include "kernels/contract/registration.hpp"
