#include "src/version.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "src/build_facts.hpp"
#include "src/shell.hpp"

namespace redbench {

std::string source_commit() {
  const std::string commit = first_line_of(fmt::format(
      "git -C {} describe --always --abbrev=12 --dirty 2>/dev/null", shell_quoted(build_facts.source_dir)));
  return commit.empty() ? "unknown" : commit;
}

std::string version_text() {
  return fmt::format("redbench {} (commit {}, {})", build_facts.version, source_commit(),
                     build_facts.build_type);
}

}  // namespace redbench
