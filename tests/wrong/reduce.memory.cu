// Reductions that read or write what is not theirs, each as it is named.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

/// Caught by the check for reads of memory that nobody wrote: the word that holds the result is taken for a
/// part of it.
template <class Op>
__global__ void unwritten_global(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, *out);
}
WRONG_REDUCTION(unwritten_global, "adds to a result that nobody wrote")

/// Caught by the poison that scratch memory holds before each run, and by the check for reads of memory that
/// nobody wrote.
template <class Op>
__global__ void unwritten_scratch(const typename Op::Value* in, Index n, typename Op::Value* scratch,
                                  Index count, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, scratch[count - 1]);
}
WRONG_VARIANT(Reduce, unwritten_scratch, OneBlock, "adds a word of scratch memory that nobody wrote",
              { run_one_block(queue, x, unwritten_scratch<Op>, 3); })

/// Caught by the check for reads of memory that nobody wrote.
template <class Op>
__global__ void unwritten(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, s[wrong_block - 1]);
}
WRONG_REDUCTION(unwritten, "adds a word of shared memory that nobody wrote")

/// Caught by the comparison of the inputs with a copy after the case.
template <class Op>
__global__ void writes_input(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  if (threadIdx.x == 0 && n > 0) const_cast<typename Op::Value*>(in)[n - 1] = reduction;
}
WRONG_REDUCTION(writes_input, "writes its input")

/// Caught by the red zone before the first buffer of a cell, and by the bounds check.
template <class Op>
__global__ void writes_before(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) const_cast<typename Op::Value*>(in)[-1] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(writes_before, "writes one value before the input")

/// Caught by the guard bytes behind the output, and by the bounds check.
template <class Op>
__global__ void writes_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) out[0] = out[1] = reduction;
}
WRONG_REDUCTION(writes_past, "writes one value past the output")

/// Caught by the red zone behind scratch memory, and by the bounds check.
template <class Op>
__global__ void writes_past_scratch(const typename Op::Value* in, Index n, typename Op::Value* scratch,
                                    Index count, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) scratch[count] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_VARIANT(Reduce, writes_past_scratch, OneBlock, "writes one value past its scratch memory",
              { run_one_block(queue, x, writes_past_scratch<Op>, 3); })

/// Caught by the bounds check of global memory, and by the comparison with the exact answer.
template <class Op>
__global__ void reads_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n + 1);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(reads_past, "takes what lies behind the input for a value")

/// Caught by the bounds check of static shared memory.
template <class Op>
__global__ void static_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ typename Op::Value s[warp_size];
  const int t = threadIdx.x;
  const auto reduction = block_total<Op>(in, n);
  if (t <= warp_size) s[t] = reduction;
  __syncthreads();
  if (t == 1) *out = s[0];
}
WRONG_REDUCTION(static_past, "writes past a static shared array")

/// Caught by the bounds check of dynamic shared memory.
template <class Op>
__global__ void dynamic_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[wrong_block] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(dynamic_past, "writes past the dynamic shared memory")

/// Caught by the check of alignment: two words of shared memory are written as one, at an address that is no
/// multiple of 8. A CPU does that, so the result is right here.
template <class Op>
__global__ void misaligned(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<unsigned>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<unsigned long long*>(s + 1) = 1;
  __syncthreads();
  if (threadIdx.x == 1) s[2] = s[1];
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(misaligned, "a wide store to an odd word")

/// Caught by the worker process: an invalid address costs the case, not the run.
template <class Op>
__global__ void faults(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<typename Op::Value*>(std::uintptr_t(blockDim.x)) = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(faults, "writes to an address that is not its own")

}  // namespace
}  // namespace redbench
