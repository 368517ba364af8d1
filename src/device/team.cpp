#include "src/device/team.hpp"

#include <algorithm>
#include <cstring>
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
  if (current && !current->device) current->reached = true;
  if (!current || !current->team) return own;
  const std::vector<std::vector<void*>>& memory = current->team->memory;
  const std::vector<void*>& here = memory[std::size_t(current->rank.number)];
  const auto found = std::ranges::find(here, own);
  if (found == here.end()) throw DeviceError("on_each: neither scratch memory nor the result");
  return memory[std::size_t(rank)].at(std::size_t(found - here.begin()));
}

u32* gpus::flags_on(int rank) {
  if (current && !current->device) current->reached = true;
  return current && current->team ? current->team->flags[std::size_t(rank)] : nullptr;
}

namespace {

/// One agreement before the gathering, as a rank that has failed does not come to it.
void join_in_processes(Team& team, void* own, std::size_t bytes, const std::function<void(void* all)>& step) {
  const std::size_t rank = std::size_t(current->rank.number);
  team.joined.resize(bytes * std::size_t(team.size()));
  std::byte* const all = team.joined.data();
  std::string mistake;
  try {
    current->device->finish();
    current->device->download(all + rank * bytes, own, bytes);
  } catch (const DeviceError& error) {
    mistake = error.what();
  }
  team.agree(mistake);
  team.processes()->gather(all, bytes);
  if (rank != 0) return;
  step(all);
  current->device->upload(own, all, bytes);
}

}  // namespace

void join_on_host(Queue& queue, void* own, std::size_t bytes, const std::function<void(void* all)>& step) {
  const Rank rank = this_rank();
  if (CaseQueue::of(queue).planning()) return;
  Device& device = *current->device;
  Team* const team = current->team;
  if (team && team->processes()) return join_in_processes(*team, own, bytes, step);
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

Team::Team(Device& own, int count) : own_(own), devices_(std::size_t(count)) {
  if (are_processes_joined()) processes_.emplace(count);
  else others_ = own.others_of_team(count);
  const std::size_t rank = processes_ ? std::size_t(processes_->number()) : 0;
  devices_[rank] = &own;
  for (std::size_t i = 0; i < others_.size(); ++i) devices_[i + 1] = others_[i].get();
}

std::vector<std::string> Team::exchange(const std::string& said) const {
  return processes_ ? processes_->exchange(said) : std::vector{said};
}

void Team::agree(const std::string& mistake) {
  for (const std::string& said : exchange(mistake)) {
    if (said.empty()) continue;
    has_agreed_on_mistake_ = true;
    throw DeviceError(said);
  }
}

double Team::largest(double own) const {
  std::string bytes(sizeof own, '\0');
  std::memcpy(bytes.data(), &own, sizeof own);
  for (const std::string& said : exchange(bytes)) {
    double other = 0;
    std::memcpy(&other, said.data(), sizeof other);
    own = std::max(own, other);
  }
  return own;
}

/// A rank of another process that fails is seen at the next meeting, or at the end.
void Team::run(const std::function<void(int rank)>& work) {
  if (!processes_) return run_threads(work);
  has_agreed_on_mistake_ = false;
  std::string mistake;
  try {
    const int rank = processes_->number();
    const RankScope scope({rank, size()}, &own_, this);
    own_.use_here();
    work(rank);
  } catch (const std::exception& error) {
    if (has_agreed_on_mistake_) throw;
    mistake = error.what();
  }
  agree(mistake);
}

void Team::run_threads(const std::function<void(int rank)>& work) {
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
  if (processes_) {
    agree({});
    if (step && is_here(0)) step();
    return agree({});
  }
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
