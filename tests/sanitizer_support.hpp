// Whether a sanitizer is in this program. The tests themselves are compiled without (cmake/sanitize.cmake),
// so that no macro tells them.
#pragma once

#include <dlfcn.h>

namespace redbench {

/// The runtime library of either is linked. __tsan_init would be the model's own (src/simt/callbacks.cpp).
inline bool is_sanitized() {
  return dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_create_fiber");
}

}  // namespace redbench
