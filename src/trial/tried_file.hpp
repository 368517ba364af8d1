// The file of a trial as a variant, and as it was when it was last right.
#pragma once

#include <optional>
#include <string>

#include "src/plugins/kernel_file.hpp"

namespace redbench {

/// What a trial keeps of one file, in the user's cache.
class TriedFile {
 public:
  /// Throws UsageError for what is no kernel file. Its problem is that of its REDBENCH_VARIANT; the variant's name is
  /// the file's, made one that a variant may have and none has.
  explicit TriedFile(const std::string& path);

  const KernelFile& now() const { return now_; }
  /// As it was when keep() was last called, as a variant of its own, "reduce/mine_before"; none where it was never
  /// called, or the file is the same.
  std::optional<KernelFile> before() const;
  void keep() const;
  /// For what is measured.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  KernelFile now_, before_;
  std::filesystem::path folder_;
};

}  // namespace redbench
