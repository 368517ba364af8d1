#include "src/config/input_files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "src/error.hpp"
#include "src/inputs/input_file.hpp"

namespace redbench {
namespace {

/// {"file": "x.npy"} -> its path; other values name none.
std::vector<std::string> paths_in(const Json& value) {
  std::vector<std::string> paths;
  if (value.is_object())
    for (const Json& path : value)
      if (path.is_string()) paths.push_back(path);
  return paths;
}

}  // namespace

InputFiles::InputFiles(const std::vector<Experiment>& experiments) {
  for (const Experiment& experiment : experiments)
    for (const auto& [axis, values] : experiment.axes)
      for (const Json& value : values)
        for (const std::string& path : paths_in(value)) {
          const auto [place, is_new] = files_.try_emplace(path);
          if (!is_new) continue;
          place->second.seen = stamp_of(path);  // first: a change while it is read shows
          place->second.digest = sha256_of_file(path);
        }
}

InputFiles::InputFiles(const Json& digests) {
  for (const auto& [path, digest] : digests.items()) files_[path].digest = digest;
}

Json InputFiles::digests() const {
  Json digests = Json::object();
  for (const auto& [path, file] : files_) digests[path] = file.digest;
  return digests;
}

Json InputFiles::digests_of(const Json& axes) const {
  Json digests;
  for (const auto& [axis, value] : axes.items())
    for (const std::string& path : paths_in(value))
      if (const auto file = files_.find(path); file != files_.end()) digests[axis] = file->second.digest;
  return digests;
}

void InputFiles::check(const Json& axes) {
  for (const Json& value : axes)
    for (const std::string& path : paths_in(value)) {
      File& file = files_.at(path);
      const Stamp stamp = stamp_of(path);
      if (stamp == file.seen) continue;
      const std::string digest = sha256_of_file(path);
      if (digest != file.digest)
        throw UsageError(path + ": changed since the run began: its SHA-256 is " + digest + ", and was " +
                         file.digest);
      file.seen = stamp;
    }
}

InputFiles::Stamp InputFiles::stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw UsageError(path + ": cannot be read: " + std::strerror(errno));
  return {status.st_dev, status.st_ino, status.st_size, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

}  // namespace redbench
