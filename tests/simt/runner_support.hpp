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

inline void invoke_acts(const void*, void** arguments) {
  (*static_cast<const Acts*>(arguments[0]))(simt::running.thread->number);
}

/// A launch of its own of `acts`, and the error with which the runner ended it; empty where it ended well.
class OneLaunch {
 public:
  OneLaunch(const Grid& grid, const Acts& acts, const simt::MakeWatch& make_watch = {})
      : acts_(acts), make_watch_(make_watch) {
    call_.grid = grid;
  }
  OneLaunch(const OneLaunch&) = delete;

  std::string run(simt::BlockRunner& runner) {
    runner.run(launch);
    return launch.error();
  }

 private:
  const Acts acts_;
  const simt::MakeWatch make_watch_;
  const DeviceFacts facts_ = simt::load_model("gtx480");
  void* arguments_[1] = {const_cast<Acts*>(&acts_)};
  KernelCall call_{
      reinterpret_cast<const void*>(test_kernels().at("indices").kernel), arguments_, invoke_acts, {}};

 public:
  simt::Launch launch{call_, facts_, {}, make_watch_};
};

inline std::string run(simt::BlockRunner& runner, const Grid& grid, const Acts& acts,
                       const simt::MakeWatch& make_watch = {}) {
  return OneLaunch(grid, acts, make_watch).run(runner);
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
