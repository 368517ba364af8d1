// Which pages of some memory are touched, in which order: it is taken away, and each page comes back as it is
// asked for.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace redbench {

/// The program's memory that may be written: from where to where.
using Mappings = std::set<std::pair<std::uintptr_t, std::uintptr_t>>;

inline Mappings writable_mappings() {
  Mappings mappings;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    std::string access;
    if (words >> std::hex >> start >> dash >> end >> access && access == "rw-p") mappings.emplace(start, end);
  }
  return mappings;
}

/// What is mapped now and was not `before`: the system joins neighbours, so that a mapping may have grown.
inline Mappings since(const Mappings& before) {
  Mappings added;
  for (auto [start, end] : writable_mappings()) {
    for (const auto& [old_start, old_end] : before) {
      if (old_end <= start || end <= old_start) continue;
      if (start < old_start) added.emplace(start, old_start);
      start = std::min(end, old_end);
    }
    if (start < end) added.emplace(start, end);
  }
  return added;
}

/// One at a time.
class TouchedPages {
 public:
  static constexpr std::size_t page = 4096;
  TouchedPages(std::uintptr_t start, std::size_t bytes) : start_(start), end_(start + bytes) {
    touched_.reserve(bytes / page);
    current = this;
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t* what, void*) {
      if (!current->gives(reinterpret_cast<std::uintptr_t>(what->si_addr))) ::signal(SIGSEGV, SIG_DFL);
    };
    ::sigaction(SIGSEGV, &action, &old_);
    ::mprotect(reinterpret_cast<void*>(start_), bytes, PROT_NONE);
  }
  ~TouchedPages() {
    if (!is_gone_) ::mprotect(reinterpret_cast<void*>(start_), end_ - start_, PROT_READ | PROT_WRITE);
    ::sigaction(SIGSEGV, &old_, nullptr);
    current = nullptr;
  }
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  void memory_is_gone() { is_gone_ = true; }
  /// By how much the first address that was touched on each page is behind the start.
  const std::vector<std::size_t>& offsets() const { return touched_; }

 private:
  bool gives(std::uintptr_t address) {
    if (address < start_ || address >= end_ || touched_.size() == touched_.capacity()) return false;
    touched_.push_back(address - start_);  // reserved: nothing is allocated
    return ::mprotect(reinterpret_cast<void*>(address / page * page), page, PROT_READ | PROT_WRITE) == 0;
  }

  static inline TouchedPages* current = nullptr;
  std::uintptr_t start_, end_;
  std::vector<std::size_t> touched_;
  struct sigaction old_ {};
  bool is_gone_ = false;
};

}  // namespace redbench
