#include "src/device/team.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "src/error.hpp"

namespace redbench {
namespace {

thread_local RankScope* current = nullptr;

}  // namespace

RankScope::RankScope(const Rank& rank, Device* device, Team* team)
    : rank(rank), device(device), team(team), outer_(std::exchange(current, this)) {}
RankScope::~RankScope() { current = outer_; }

Rank this_rank() {
  if (!current) return {};
  current->asked = true;
  return current->rank;
}

Team* this_team() { return current ? current->team : nullptr; }

void* gpus::same_on(int rank, void* own) {
  if (!current || !current->team) return own;
  const std::vector<std::vector<void*>>& memory = current->team->memory;
  const std::vector<void*>& here = memory[std::size_t(current->rank.number)];
  const auto found = std::ranges::find(here, own);
  if (found == here.end()) throw DeviceError("on_each: neither scratch memory nor the result");
  return memory[std::size_t(rank)].at(std::size_t(found - here.begin()));
}

u32* gpus::flags_on(int rank) {
  return current && current->team ? current->team->flags[std::size_t(rank)] : nullptr;
}

void join_on_host(Queue& queue, void* own, std::size_t bytes, const std::function<void(void* all)>& step) {
  const Rank rank = this_rank();
  if (CaseQueue::of(queue).planning()) return;
  Device& device = *current->device;
  Team* const team = current->team;
  std::vector<std::byte> alone;
  std::vector<std::byte>& all = team ? team->joined : alone;
  const auto meet = [&](const std::function<void()>& work) {
    if (team) team->meet(work);
    else work();
  };
  device.finish();
  meet([&] { all.resize(bytes * std::size_t(rank.count)); });
  device.download(all.data() + std::size_t(rank.number) * bytes, own, bytes);
  meet([&] { step(all.data()); });
  if (rank.number == 0) device.upload(own, all.data(), bytes);
}

void leave_part(Queue& queue, const void* part, std::size_t bytes) {
  Team* const team = this_team();
  if (team && !CaseQueue::of(queue).planning())
    team->parts[std::size_t(current->rank.number)] = {static_cast<const std::byte*>(part), bytes};
}

Team::Team(Device& first, int count) : others_(first.others_of_team(count)), devices_{&first} {
  for (const auto& other : others_) devices_.push_back(other.get());
}

void Team::run(const std::function<void(int rank)>& work) {
  failed_ = false;
  waiting_ = 0;
  device(0).start_together();
  std::exception_ptr mistake;
  const auto as_rank = [&](int rank) {
    try {
      const RankScope scope({rank, size()}, &device(rank), this);
      device(rank).use_here();
      work(rank);
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        if (!mistake) mistake = std::current_exception();
      }
      fail();
    }
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < size(); ++rank) threads.emplace_back(as_rank, rank);
  as_rank(0);
  for (std::thread& thread : threads) thread.join();
  if (mistake) std::rethrow_exception(mistake);
}

void Team::meet(const std::function<void()>& step) {
  std::unique_lock lock(mutex_);
  const std::size_t meeting = meetings_;
  if (!failed_ && ++waiting_ == size()) {
    waiting_ = 0;
    device(0).start_together();
    if (step) step();  // where it throws, the meeting is not held, and fail() ends the others' wait
    ++meetings_;
    changed_.notify_all();
    return;
  }
  changed_.wait(lock, [&] { return meetings_ != meeting || failed_; });
  if (meetings_ == meeting) throw DeviceError("a GPU that it waits for failed");
}

void Team::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  device(0).fail_together();
  changed_.notify_all();
}

}  // namespace redbench
