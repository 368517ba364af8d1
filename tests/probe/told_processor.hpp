// A processor that tells what a test has written down: the instruction cpuid of src/probe/told.cpp answers
// from a table. Of x86 alone.
#pragma once

#ifdef __x86_64__

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "src/probe/told.hpp"

namespace redbench {

/// Leaf and subleaf -> eax, ebx, ecx, edx; what is not there is zeros.
using Cpuid = std::map<std::pair<unsigned, unsigned>, std::array<unsigned, 4>>;

/// Intel's translation parameters, by subleaf from 0 on: eax, ebx, ecx, edx.
inline Cpuid intel(const std::vector<std::array<unsigned, 4>>& translations) {
  Cpuid cpuid{{{0, 0}, {0x18, 0x756E6547, 0x6C65746E, 0x49656E69}}};
  for (unsigned i = 0; i < translations.size(); ++i) cpuid[{0x18, i}] = translations[i];
  return cpuid;
}

/// By ebx of AMD's two leaves, of which the other registers are about other pages and caches.
inline Cpuid amd(unsigned first, unsigned second) {
  return {{{0, 0}, {0x10, 0x68747541, 0x444D4163, 0x69746E65}},
          {{0x80000000, 0}, {0x80000028, 0x68747541, 0x444D4163, 0x69746E65}},
          {{0x80000005, 0}, {0xFF40FF40, first, 0x300C0140, 0x20080140}},
          {{0x80000006, 0}, {0x40802040, second, 0x04008140, 0x0C009140}}};
}

/// For as long as it lives, and one at a time: told_tlbs, told_vendor and is_virtual are first run step by
/// step, in which every cpuid that they come to is answered and kept; each of these then becomes an
/// instruction that there is not, and is answered as it faults, at full speed.
class ToldProcessor {
 public:
  explicit ToldProcessor(const Cpuid& cpuid) : cpuid_(cpuid) {
    current = this;
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int signal, siginfo_t*, void* context) {
      if (!current->answers(context) && signal == SIGILL) ::signal(SIGILL, SIG_DFL);
    };
    ::sigaction(SIGTRAP, &action, &old_trap_);
    ::sigaction(SIGILL, &action, &old_ill_);
    constexpr unsigned long long trap = 0x100;
    __writeeflags(__readeflags() | trap);
    told_tlbs();
    told_vendor();
    is_virtual();
    __writeeflags(__readeflags() & ~trap);
    works_ = count_ > 0 && replace({0x0F, 0x0B});  // ud2
  }
  ~ToldProcessor() {
    replace({0x0F, 0xA2});
    ::sigaction(SIGTRAP, &old_trap_, nullptr);
    ::sigaction(SIGILL, &old_ill_, nullptr);
    current = nullptr;
  }
  ToldProcessor(const ToldProcessor&) = delete;
  ToldProcessor& operator=(const ToldProcessor&) = delete;

  /// False where the machine lets nobody change a program.
  bool works() const { return works_; }

 private:
  /// In place of each cpuid that comes next; false where none does.
  bool answers(void* context) {
    auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    for (bool has_answered = false;; has_answered = true) {
      auto* const at = reinterpret_cast<unsigned char*>(registers[REG_RIP]);
      const auto end = places_.begin() + count_;
      const bool is_new = std::find(places_.begin(), end, at) == end;
      if (is_new && (at[0] != 0x0F || at[1] != 0xA2)) return has_answered;
      if (is_new && count_ < places_.size()) places_[count_++] = at;
      // Other leaves have no subleaves, and what is in ecx says nothing.
      const unsigned leaf = unsigned(registers[REG_RAX]);
      const auto found = cpuid_.find({leaf, leaf == 0x18 ? unsigned(registers[REG_RCX]) : 0});
      const std::array<unsigned, 4> told = found == cpuid_.end() ? std::array<unsigned, 4>{} : found->second;
      registers[REG_RAX] = told[0];
      registers[REG_RBX] = told[1];
      registers[REG_RCX] = told[2];
      registers[REG_RDX] = told[3];
      registers[REG_RIP] += 2;
    }
  }

  bool replace(const std::array<unsigned char, 2>& instruction) {
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    for (std::size_t i = 0; i < count_; ++i) {
      const auto at = reinterpret_cast<std::uintptr_t>(places_[i]), start = at / page * page;
      const std::size_t bytes = (at + 1) / page * page + page - start;
      void* const pages = reinterpret_cast<void*>(start);
      if (::mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
      std::copy(instruction.begin(), instruction.end(), places_[i]);
      ::mprotect(pages, bytes, PROT_READ | PROT_EXEC);
    }
    return true;
  }

  static inline ToldProcessor* current = nullptr;
  Cpuid cpuid_;
  std::array<unsigned char*, 64> places_{};
  std::size_t count_ = 0;
  bool works_ = false;
  struct sigaction old_trap_ {
  }, old_ill_{};
};

}  // namespace redbench

#endif
