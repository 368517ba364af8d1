// A target under libFuzzer: redbench_fuzz --target=config tests/fuzz/corpora/config
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/targets.hpp"

namespace {

const redbench::FuzzTarget* chosen = nullptr;

/// libFuzzer looks for what is new in the counters of this section; g++ has no others to give it.
constexpr std::size_t counter_count = 1 << 16;
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t counters[counter_count];

}  // namespace

extern "C" {

extern const char __executable_start;

/// Stands for the modelled device's own, by the linker's --wrap.
__attribute__((no_sanitize("address", "undefined"))) void __wrap___sanitizer_cov_trace_pc() {
  const std::uint64_t offset =
      std::uint64_t(static_cast<const char*>(__builtin_return_address(0)) - &__executable_start);
  std::uint8_t& counter = counters[offset * 0x9e3779b97f4a7c15 >> 48];
  counter = std::uint8_t(counter + (counter != 255));
}

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view flag = "--target=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (!argument.starts_with(flag)) continue;
    const auto& targets = redbench::fuzz_targets();
    const auto found = std::ranges::find(targets, argument.substr(flag.size()), &redbench::FuzzTarget::name);
    if (found != targets.end()) chosen = &*found;
  }
  if (!chosen) {
    std::fputs("redbench_fuzz: --target= is missing; targets are", stderr);
    for (const redbench::FuzzTarget& target : redbench::fuzz_targets())
      std::fprintf(stderr, " %s", target.name.c_str());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redbench::run_target(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
}
