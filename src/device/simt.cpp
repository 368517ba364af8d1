// The modelled GPU as a device. Kernels execute synchronously; it checks and counts, and never has a time.
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "src/device/device.hpp"
#include "src/device/host.hpp"
#include "src/error.hpp"
#include "src/simt/counting.hpp"
#include "src/simt/launch.hpp"
#include "src/simt/memory.hpp"
#include "src/simt/model.hpp"
#include "src/simt/races.hpp"
#include "src/simt/source.hpp"

namespace redbench {
namespace {

/// What the modelled GPUs of a team share: a range of addresses, and what is known of its bytes and accesses.
struct Shared {
  simt::DeviceMemory memory;
  std::optional<simt::ByteStates> states;   // where accesses are checked
  std::optional<simt::BlockShadow> blocks;  // likewise
  int gpus = 1;
  std::atomic<bool> failed = false;  // one of several
  std::mutex damage_mutex;

  std::string damage() {
    const std::lock_guard lock(damage_mutex);
    return memory.damage();
  }
};

class Simt final : public Device, private Profiler {
 public:
  Simt(std::string_view model, const SimtOptions& options)
      : facts_(simt::load_model(model)),
        schedule_{options.seed, simt::default_os_threads()},
        shared_(std::make_shared<Shared>()) {
    if (options.races) {
      states_.emplace(memory_.range());
      blocks_.emplace();
    }
  }
  /// One more of the same kind.
  Simt(const Simt& first, int number)
      : facts_(first.facts_), schedule_(first.schedule_), shared_(first.shared_), number_(number) {}
  ~Simt() override {
    if (number_ > 0) shared_->gpus = 1;
  }

  Target target() const override { return Target::simt; }
  std::string name() const override { return "simt:" + facts_.name; }
  std::string slug() const override { return "simt-" + facts_.name; }
  const DeviceFacts& facts() const override { return facts_; }

  std::size_t free_bytes() const override {
    const std::size_t all = facts_.memory_bytes * std::size_t(shared_->gpus);
    const std::size_t model = all - std::min(all, memory_.used());
    return std::min(model, available_memory());
  }

  void* allocate(std::size_t bytes) override {
    if (bytes > free_bytes())
      throw DeviceError(fmt::format("{} bytes asked for, {} are free on {}", bytes, free_bytes(), name()));
    std::byte* const memory = memory_.allocate(bytes);
    mark(memory, bytes, simt::ByteState::unwritten);
    return memory;
  }
  void release(void* memory) override { mark(memory, memory_.release(memory), simt::ByteState::forbidden); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    memory_.check_range(to, bytes, "an upload");
    if (bytes) std::memmove(to, from, bytes);  // to == from where a CPU step has written in place
    mark(to, bytes, simt::ByteState::written);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    memory_.check_range(from, bytes, "a download");
    if (bytes) std::memcpy(to, from, bytes);
  }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    memory_.check_range(memory, bytes, "a fill");
    if (bytes) std::memset(memory, byte, bytes);
    mark(memory, bytes, simt::ByteState::unwritten);
  }
  void forbid(void* memory, std::size_t bytes) override {
    memory_.check_range(memory, bytes, "a red zone");
    mark(memory, bytes, simt::ByteState::forbidden);
  }

  std::vector<std::unique_ptr<Device>> others_of_team(int count) override {
    std::vector<std::unique_ptr<Device>> others;
    for (int number = 1; number < count; ++number) others.push_back(std::make_unique<Simt>(*this, number));
    shared_->gpus = count;
    return others;
  }
  void start_together() override {
    shared_->failed = false;
    if (blocks_) blocks_->start_launch();
  }
  void fail_together() override { shared_->failed = true; }

  void execute(const KernelCall& call) override {
    if (counted_) execute_counted(call);
    else if (states_) execute_checked(call);
    else simt::execute(call, facts_, schedule());
    if (const std::string damage = shared_->damage(); !damage.empty())
      throw DeviceError(fmt::format("kernel {}: {}", simt::kernel_source(call.function).name, damage));
    tell_launch();
  }
  void execute_library(const Queue::LibraryCall&, void*, std::size_t) override { refuse_library(); }
  std::size_t library_bytes(const Queue::LibraryCall&) override { refuse_library(); }

  LaunchFacts describe(const KernelCall& call) const override {
    const simt::KernelSource& source = simt::kernel_source(call.function);
    LaunchFacts launch;
    launch.kernel = source.name;
    launch.grid = call.grid;
    launch.static_shared_bytes = source.shared_bytes;
    launch.registers = simt::compiled_registers(facts_.capability, source);
    model_occupancy(facts_, launch.registers, launch);
    return launch;
  }

  void finish() override {
    if (const std::string damage = shared_->damage(); !damage.empty()) throw DeviceError(damage);
  }

  Profiler* profiler() override { return this; }

 private:
  std::vector<LaunchCounters> count(const std::optional<WarpPlace>& traced,
                                    const std::function<void()>& work) override {
    std::vector<LaunchCounters> launches;
    counted_ = &launches;
    traced_ = traced;
    const auto stop = [this](void*) { counted_ = nullptr; };
    const std::unique_ptr<void, decltype(stop)> guard(this, stop);
    work();
    return launches;
  }

  void execute_counted(const KernelCall& call) {
    simt::LaunchSum sum;
    const bool has_traced = traced_ && traced_->launch == std::int64_t(counted_->size());
    const WarpPlace* const traced = has_traced ? &*traced_ : nullptr;
    simt::execute(call, facts_, schedule_, [&](const simt::Launch& launch) {
      return simt::make_counting_watch(launch, memory_.range(), traced, sum);
    });
    counted_->push_back(sum.counted.by_line(simt::kernel_source(call.function)));
  }

  void execute_checked(const KernelCall& call) {
    std::optional<simt::OneOfGpus> gpu;
    if (shared_->gpus > 1) gpu = {unsigned(number_), blocks_->start_launch(unsigned(number_))};
    else blocks_->start_launch();
    simt::execute(call, facts_, schedule(), [&](const simt::Launch& launch) {
      return simt::make_race_watch(launch, *states_, *blocks_, gpu);
    });
  }

  simt::Schedule schedule() const {
    simt::Schedule schedule = schedule_;
    if (shared_->gpus > 1) schedule.others_failed = &shared_->failed;
    return schedule;
  }

  void mark(const void* memory, std::size_t bytes, simt::ByteState state) {
    if (states_) states_->set(memory, bytes, state);
  }

  [[noreturn]] static void refuse_library() {
    throw DeviceError("a library call has no kernel of ours that the modelled device could run");
  }

  DeviceFacts facts_;
  simt::Schedule schedule_;
  const std::shared_ptr<Shared> shared_;
  const int number_ = 0;  // of several
  simt::DeviceMemory& memory_ = shared_->memory;
  std::optional<simt::ByteStates>& states_ = shared_->states;
  std::optional<simt::BlockShadow>& blocks_ = shared_->blocks;
  std::vector<LaunchCounters>* counted_ = nullptr;  // null: not counting
  std::optional<WarpPlace> traced_;
};

}  // namespace

std::unique_ptr<Device> make_simt(std::string_view model, const SimtOptions& options) {
  return std::make_unique<Simt>(model.empty() ? "h200" : model, options);
}

}  // namespace redbench
