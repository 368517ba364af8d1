// The runner of one OS thread, whose kernels are functions of a test.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "src/simt/block.hpp"
#include "src/simt/model.hpp"
#include "tests/simt_support.hpp"

namespace redbench {

/// What each thread does, by its number.
using Acts = std::function<void(unsigned thread)>;

inline simt::Launch* at_work = nullptr;

/// Runs a launch of `acts`, which is `at_work` meanwhile; the error with which the runner ended it, empty
/// where it ended well.
inline std::string run(simt::BlockRunner& runner, const Grid& grid, const Acts& acts,
                       const simt::MakeWatch& make_watch = {}) {
  void* arguments[] = {const_cast<Acts*>(&acts)};
  const KernelCall call{
      reinterpret_cast<const void*>(test_kernels().at("indices").kernel), arguments,
      [](const void*, void** given) { (*static_cast<const Acts*>(given[0]))(simt::running.thread->number); },
      grid};
  const DeviceFacts facts = simt::load_model("gtx480");
  simt::Launch launch(call, facts, {}, make_watch);
  at_work = &launch;
  runner.run(launch);
  return launch.error();
}

/// With a runner of its own, on an OS thread of its own: the calling one's stays as it is.
template <class F>
void with_runner(const F& f) {
  std::thread([&] {
    simt::BlockRunner runner;
    f(runner);
  }).join();
}

inline void block_barrier() { simt::running.runner->block_barrier(simt::BlockVote::none, 0, nullptr); }
inline void warp_barrier(unsigned mask) {
  simt::running.runner->collective(simt::WarpOp::sync, mask, 0, 0, nullptr);
}

}  // namespace redbench
