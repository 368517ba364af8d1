// A device that notes what it is told to do.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "src/error.hpp"
#include "tests/fake_device.hpp"

namespace redbench {

using Lines = std::vector<std::string>;

/// Notes what is done to its memory, whose pieces are A, B, ... in the order in which they are allocated.
class LoggedDevice : public FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    void* const memory = FakeDevice::allocate(bytes);
    const char name = char('A' + allocated_++);
    held_[static_cast<char*>(memory)] = {name, bytes};
    log_.push_back(fmt::format("{} has {}", name, bytes));
    return memory;
  }
  void* allocate_in(Pages pages, std::size_t bytes) override {
    if (pages != Pages::any) log_.push_back(pages == Pages::huge ? "huge pages" : "small pages");
    return allocate(bytes);
  }
  std::string wrong_pages(void* memory) override {
    const char name = held_.at(static_cast<char*>(memory)).name;
    log_.push_back(fmt::format("pages of {}", name));
    return wrong_pages_[name];
  }
  void release(void* memory) override {
    if (!memory) return;
    log_.push_back(fmt::format("{} is released", held_.at(static_cast<char*>(memory)).name));
    held_.erase(static_cast<char*>(memory));
    FakeDevice::release(memory);
  }
  void upload(void* to, const void* from, std::size_t bytes) override {
    log_.push_back(fmt::format("upload {}", place(to, bytes)));
    FakeDevice::upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    log_.push_back(fmt::format("download {}", place(from, bytes)));
    FakeDevice::download(to, from, bytes);
  }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    log_.push_back(fmt::format("fill {} with {:02x}", place(memory, bytes), byte));
    FakeDevice::fill(memory, byte, bytes);
  }
  void forbid(void* memory, std::size_t bytes) override {
    log_.push_back(fmt::format("forbid {}", place(memory, bytes)));
  }
  void finish() override {
    log_.push_back("finish");
    if (lost_) throw DeviceError("the device is lost");
  }

  Lines log_;
  bool lost_ = false;
  std::map<char, std::string> wrong_pages_;

 private:
  struct Held {
    char name;
    std::size_t bytes;
  };
  /// "A 1024 4": bytes of a piece from one on.
  std::string place(const void* memory, std::size_t bytes) const {
    const char* const at = static_cast<const char*>(memory);
    for (const auto& [start, held] : held_)
      if (at >= start && at < start + held.bytes)
        return fmt::format("{} {} {}", held.name, at - start, bytes);
    return "elsewhere";
  }
  std::map<const char*, Held> held_;
  int allocated_ = 0;
};

}  // namespace redbench
