// Where in the program an access was made, in 4 bytes.
#pragma once

#include <cstdint>

namespace redbench::simt {

/// Code of the program lies within 2 GiB of itself.
inline const char code_anchor = 0;

class CodeSite {
 public:
  CodeSite() = default;
  explicit CodeSite(const void* where) : distance_(std::int32_t(number(where) - number(&code_anchor))) {}
  const void* where() const { return reinterpret_cast<const void*>(number(&code_anchor) + distance_); }

 private:
  static std::intptr_t number(const void* where) { return reinterpret_cast<std::intptr_t>(where); }
  std::int32_t distance_ = 0;
};

}  // namespace redbench::simt
