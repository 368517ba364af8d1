// A file that the user asks for by an option, as --csv: replaced whole, or written into where it is none that
// could be replaced.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace redbench {

class OutputFile {
 public:
  /// Links are followed. Throws UsageError, with `option` in it, where the path is a folder, a run's own
  /// file, or cannot be written. Changes nothing. `promised`: a folder that is made before the file is
  /// written.
  OutputFile(std::string option, const std::string& path, const std::filesystem::path& promised = {});
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  /// Throws UsageError where `path` is the same regular file; `what` says what that one is.
  void check_is_not(const std::string& path, const std::string& what) const;

  /// Throws UsageError. What is no regular file is written into: a device, a FIFO, an open descriptor
  /// (/dev/stdout).
  void write(const std::string& text) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void replace(const std::string& text) const;

  std::string option_, path_;     // as given, for messages
  std::filesystem::path target_;  // behind all links
  bool replaces_ = false;         // a regular file, or none yet
  int open_ = -1;                 // a copy of the descriptor that /dev/stdout or /dev/fd/3 means
};

/// The files of --json and --md, each with what is to be written there; none for an empty path. Throws
/// UsageError, too, where both are one file.
std::vector<std::pair<OutputFile, std::string>> json_and_markdown(const std::string& json_path,
                                                                  std::string json,
                                                                  const std::string& markdown_path,
                                                                  std::string markdown);

}  // namespace redbench
