// Files that are written whole, and those that the user names by an option such as --csv.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redbench {

/// Writes the whole text to a descriptor, also after short writes and signals. False, with errno, where it
/// cannot.
bool write_all(int file, std::string_view text);

/// Replaces a file atomically by one that is written in pieces. Throws UsageError with the path.
class NewFile {
 public:
  explicit NewFile(const std::string& path);
  ~NewFile();  // removes what was not finished
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }
  void add(std::string_view text);
  void finish();

 private:
  [[noreturn]] void refuse() const;

  std::string path_, part_;
  std::string waiting_ = {};  // not yet written
  int file_;
};

/// The same of a text.
void write_file(const std::string& path, std::string_view text);

class OutputFile {
 public:
  /// Changes nothing. Throws UsageError, with `option`, where the path is a folder, a run's own file, or
  /// cannot be written. Links are followed. `promised`: a folder that will be made before the file is
  /// written.
  OutputFile(std::string option, const std::string& path, const std::filesystem::path& promised = {});

  /// Throws UsageError where `path` is the same regular file, which is `what`.
  void check_is_not(const std::string& path, const std::string& what) const;

  /// Replaces a regular file atomically; writes into anything else: a device, a FIFO, /dev/stdout. Throws
  /// UsageError.
  void write(const std::string& text) const;

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::string option_, path_;     // as given, for messages
  std::filesystem::path target_;  // of a file behind all links
  bool replaces_ = false;         // a regular file, or none yet
};

/// The files of --json and --md with their texts, for each path that is not empty. Throws UsageError, too,
/// where both are one file.
std::vector<std::pair<OutputFile, std::string>> json_and_markdown(const std::string& json_path,
                                                                  std::string json,
                                                                  const std::string& markdown_path,
                                                                  std::string markdown);

}  // namespace redbench
