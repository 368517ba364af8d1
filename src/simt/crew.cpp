// OS threads that work together on one launch.

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <latch>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "src/error.hpp"
#include "src/simt/launch.hpp"

namespace redbench::simt {
namespace {

/// Threads that wait for work. One for the process, never destroyed: its threads end with the process.
class Crew {
 public:
  void run(Index count, const std::function<void()>& work) {
    const std::lock_guard one_at_a_time(callers_);
    {
      const std::lock_guard lock(mutex_);
      while (Index(threads_) < count - 1) {
        std::thread([this] { wait_for_work(); }).detach();
        ++threads_;
      }
      work_ = &work;
      places_ = unfinished_ = count - 1;
    }
    if (count > 1) called_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return unfinished_ == 0; });
  }

 private:
  void wait_for_work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      called_.wait(lock, [&] { return places_ > 0; });
      --places_;
      lock.unlock();
      (*work_)();
      lock.lock();
      if (--unfinished_ == 0) done_.notify_one();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable called_, done_;
  const std::function<void()>* work_ = nullptr;
  Index threads_ = 0, places_ = 0, unfinished_ = 0;
};

/// A forked process has none of its parent's threads: it gets a crew of its own.
Crew& crew() {
  static std::mutex mutex;
  static Crew* crew = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != getpid()) {
    crew = new Crew;
    owner = getpid();
  }
  return *crew;
}

}  // namespace

void run_on_crew(Index count, const std::function<void()>& work) {
  if (count <= 1) return work();
  crew().run(count, work);
}

void run_apart(Index count, const std::function<void()>& work) {
  std::latch all_there(1);
  bool enough = true;
  std::vector<std::thread> threads;
  std::string reason;
  try {
    for (Index i = 0; i < count; ++i)
      threads.emplace_back([&] {
        all_there.wait();
        if (enough) work();
      });
  } catch (const std::system_error& error) {
    enough = false;
    reason = error.what();
  }
  all_there.count_down();
  for (std::thread& thread : threads) thread.join();
  if (!enough)
    throw DeviceError(
        fmt::format("a cooperative launch of {} blocks needs as many OS threads; the system gave {}: {}",
                    count, threads.size(), reason));
}

}  // namespace redbench::simt
