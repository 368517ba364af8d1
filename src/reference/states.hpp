// Several states of an oracle side by side.
#pragma once

#include <vector>

#include "src/reference/oracle.hpp"

namespace redbench {

/// States lie at multiples of 8 bytes, each started.
class States {
 public:
  States(const Oracle& oracle, std::size_t count)
      : words_((oracle.state_bytes + 7) / 8), memory_(new std::uint64_t[count * words_]) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i) oracle.start((*this)[i]);
  }
  void* operator[](std::size_t i) { return &memory_[i * words_]; }

 private:
  std::size_t words_;
  std::unique_ptr<std::uint64_t[]> memory_;
};

}  // namespace redbench
