#include "src/records/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string_view>
#include <utility>

#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/records/folder_lock.hpp"
#include "src/records/record_stream.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> files_of_runs{
    records_name, compressed_records_name, "records.unreadable.jsonl", "run.json", FolderLock::file_name};

constexpr const char* standard_output = "/dev/stdout";

/// The target of links, which need not exist.
fs::path behind_links(fs::path path) {
  constexpr int most = 40;  // as Linux itself follows
  std::error_code error;
  for (int i = 0; i < most && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

/// Whether `below` is that folder or in it. Neither need exist.
bool holds(const fs::path& folder, const fs::path& below) {
  std::error_code error;
  const fs::path step = fs::weakly_canonical(fs::absolute(below, error), error)
                            .lexically_relative(fs::weakly_canonical(fs::absolute(folder, error), error));
  return !below.empty() && !step.empty() && *step.begin() != "..";
}

/// Whether it is a file of the program's own: its sources, or its installed data. Tables and reports of
/// committed runs are made again by options, so results/ is not among them, nor are folders of one's own.
bool is_own_file(const fs::path& target) {
  if (own_files().empty()) return false;
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(target, error), error)
                             .lexically_relative(fs::weakly_canonical(own_files(), error));
  if (place.empty() || *place.begin() == "..") return false;
  constexpr std::array<std::string_view, 17> own{
      ".git",    "cmake",    "configs",   "docs",         "kernels",         "samples",
      "scripts", "src",      "tests",     "README.md",    "CONTRIBUTING.md", "CMakeLists.txt",
      "LICENSE", "Makefile", "ruff.toml", "CITATION.cff", ".clang-format"};
  return std::ranges::find(own, place.begin()->string()) != own.end() ||
         fs::equivalent(target, "/proc/self/exe", error);
}

/// Opens a new file beside `path`, to be renamed to it: of this process alone, as another may write the same one. Sets its
/// name. -1, with errno, where that fails.
int open_part(const std::string& path, std::string& part) {
  std::random_device random;
  int file;
  do {
    part = fmt::format("{}.{:08x}.part", path, random());
    file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (file < 0 && errno == EEXIST);
  return file;
}

/// Writes `text` to `file`, then renames it from `part`: readers see the old text or the new one. False, with
/// errno, where that fails; `part` is gone then.
bool written_and_renamed(int file, const std::string& text, const std::string& part,
                         const std::string& path) {
  const bool written = file >= 0 && write_all(file, text);
  const bool closed = file >= 0 && ::close(file) == 0;
  if (written && closed && std::rename(part.c_str(), path.c_str()) == 0) return true;
  const int why = errno;
  if (file >= 0) ::unlink(part.c_str());
  errno = why;
  return false;
}

}  // namespace

bool write_all(int file, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) at += std::size_t(written);
  }
  return true;
}

NewFile::NewFile(const std::string& path) : path_(path) {
  file_ = open_part(path, part_);
  if (file_ < 0) refuse();
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(part_.c_str());
}

void NewFile::add(std::string_view text) {
  constexpr std::size_t at_once = 1 << 16;
  waiting_ += text;
  if (waiting_.size() < at_once) return;
  if (!write_all(file_, waiting_)) refuse();
  waiting_.clear();
}

void NewFile::finish() {
  if (!written_and_renamed(std::exchange(file_, -1), waiting_, part_, path_)) refuse();
}

void NewFile::refuse() const { throw UsageError(path_ + ": cannot be written: " + std::strerror(errno)); }

void write_file(const std::string& path, std::string_view text) {
  NewFile file(path);
  file.add(text);
  file.finish();
}

OutputFile::OutputFile(std::string option, const std::string& path, const fs::path& promised)
    : option_(std::move(option)), path_(path), target_(path) {
  if (path == "-") refuse("/dev/stdout is standard output, ./- a file of that name");
  if (path == standard_output) return;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) refuse("it is a folder");
  const bool is_there = fs::exists(status);
  replaces_ = !is_there || fs::is_regular_file(status);
  if (replaces_) target_ = behind_links(path);
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const bool is_folder = fs::is_directory(folder, error);
  if (!is_folder && !holds(folder, promised)) refuse("there is no folder " + folder.string());
  for (const std::string_view name : files_of_runs)
    if (target_.filename() == name) refuse("`" + std::string(name) + "` is the name of a run's own file");
  if (is_there && replaces_ && is_own_file(target_)) refuse("it is one of redbench's own files");
  if ((is_there && ::access(target_.c_str(), W_OK) != 0) ||
      (replaces_ && is_folder && ::access(folder.c_str(), W_OK) != 0))
    refuse(std::strerror(errno));
}

void OutputFile::refuse(const std::string& why) const {
  throw UsageError(option_ + " " + path_ + ": cannot be written: " + why);
}

void OutputFile::check_is_not(const std::string& path, const std::string& what) const {
  std::error_code error;
  const fs::path other = behind_links(path);
  const bool is_same = fs::equivalent(target_, other, error) ||
                       fs::weakly_canonical(target_, error) == fs::weakly_canonical(other, error);
  if (replaces_ && is_same) refuse("it is " + what);
}

void OutputFile::write(const std::string& text) const {
  if (replaces_) {
    struct stat old {};
    std::string part;
    const int file = open_part(target_, part);
    if (file >= 0 && ::stat(target_.c_str(), &old) == 0) ::fchmod(file, old.st_mode & 07777);
    if (!written_and_renamed(file, text, part, target_)) refuse(std::strerror(errno));
    return;
  }
  const int file =
      path_ == standard_output ? ::dup(STDOUT_FILENO) : ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = file >= 0 && write_all(file, text);
  const int why = errno;
  if (file >= 0) ::close(file);
  if (!written) refuse(std::strerror(why));
}

std::vector<std::pair<OutputFile, std::string>> json_and_markdown(const std::string& json_path,
                                                                  std::string json,
                                                                  const std::string& markdown_path,
                                                                  std::string markdown) {
  std::vector<std::pair<OutputFile, std::string>> files;
  if (!json_path.empty()) files.emplace_back(OutputFile("--json", json_path), std::move(json));
  if (!markdown_path.empty()) files.emplace_back(OutputFile("--md", markdown_path), std::move(markdown));
  if (files.size() == 2) files.back().first.check_is_not(json_path, "the file of --json");
  return files;
}

}  // namespace redbench
