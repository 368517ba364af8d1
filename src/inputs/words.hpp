// Random numbers for inputs: the same for any number of threads.
#pragma once

#include <cstdint>

namespace redbench {

/// SplitMix64 (Steele, Lea, Flood 2014): random words by number, as the i-th needs no earlier one.
class Words {
 public:
  explicit Words(std::uint64_t seed) : start_(mixed(seed + step)) {}
  std::uint64_t operator[](std::uint64_t i) const { return mixed(start_ + (i + 1) * step); }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  std::uint64_t start_;
};

}  // namespace redbench
