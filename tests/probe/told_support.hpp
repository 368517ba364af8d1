// Caches that the system tells, of a machine that there need not be: a process of its own sees the files of
// another in /sys.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace redbench {

/// What `tell` says where `folder` is the one of the first core's caches; none where the machine lets no
/// process see other files than the rest.
inline std::optional<std::string> where_caches_are(const std::string& folder,
                                                   const std::function<std::string()>& tell) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    const bool is_alone = ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWNS) == 0;
    if (!is_alone || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(folder.c_str(), "/sys/devices/system/cpu/cpu0/cache", nullptr, MS_BIND, nullptr) != 0)
      ::_exit(1);
    const std::string text = tell();
    ::_exit(::write(ends[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 2);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count; (count = ::read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), std::size_t(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return std::nullopt;
  EXPECT_EQ(status, 0);
  return text;
}

}  // namespace redbench
