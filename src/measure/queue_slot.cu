#include "src/measure/queue_slot.hpp"

#include "src/device/cuda_check.hpp"

namespace redbench {
namespace {

// Of twelve processes on an H200 seven hid the costly slot behind a first kernel of 2^18 words, two
// behind one of 2^19, none behind 2^21 to 2^23 (results/h200/measuring/places.csv).
constexpr int least_pads = 8, probe_blocks = 1024, probe_threads = 256, probe_words = 1 << 22;

__global__ void nothing() {}

/// Sums `count` words into one per block. The first kernel of the probe is long, as what comes after a short
/// one need not wait at the costly slot.
__global__ void sum_words(const int* words, int count, int* sums) {
  int sum = 0;
  for (int i = int(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += int(gridDim.x * blockDim.x))
    sum += words[i];
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

}  // namespace

QueueSlot::QueueSlot() {
  const std::size_t bytes = (std::size_t(probe_words) + 2 * probe_blocks) * sizeof(int);
  check(cudaMalloc(reinterpret_cast<void**>(&words_), bytes), "allocating the probe of the queue");
  check(cudaMemset(words_, 0, bytes), "clearing the probe of the queue");
}

QueueSlot::~QueueSlot() { cudaFree(words_); }

void QueueSlot::pad_to(std::uint64_t slot) const {
  std::uint64_t pads = least_pads;
  while ((launch_count() + pads) % period != slot % period) ++pads;
  for (; pads > 0; --pads) nothing<<<1, 1>>>();
  check(cudaGetLastError(), "enqueuing empty kernels");
}

void QueueSlot::pad() { pad_to(cost_ns_ ? slot_ : slot_++); }

void QueueSlot::probe() const {
  int* const sums = words_ + probe_words;
  sum_words<<<probe_blocks, probe_threads>>>(words_, probe_words, sums);
  sum_words<<<1, probe_threads>>>(sums, probe_blocks, sums + probe_blocks);
  check(cudaGetLastError(), "probing the queue");
}

void QueueSlot::find(
    const std::function<double(const std::function<void()>&, const std::function<void()>&)>& timed) {
  if (known_ && uncounted_ == uncounted_launches()) return;
  const std::optional<CostlySlot> costly = find_costly_slot(
      [&](int slot) { return timed([&] { pad_to(std::uint64_t(slot)); }, [&] { probe(); }); });
  // `slot` is that of the kernel that waits, two before the probe's last.
  slot_ = costly ? std::uint64_t(costly->slot) + 2 : 0;
  cost_ns_.reset();
  if (costly) cost_ns_ = costly->cost_ns;
  known_ = true;
  uncounted_ = uncounted_launches();
}

}  // namespace redbench
