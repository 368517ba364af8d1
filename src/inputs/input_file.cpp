#include "src/inputs/input_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "src/error.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// samples/ is written, not part of the repository.
std::string how_to_get(const fs::path& path) {
  return path.parent_path().filename() == "samples" ? "; scripts/get_samples.py writes samples/ into the "
                                                      "working directory, where it is looked for, too"
                                                    : "";
}

}  // namespace

void refuse_file(const std::string& path, const std::string& sentence) {
  throw UsageError(path + ": " + sentence);
}

std::ifstream open_input(const std::string& path, const char* kind) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    refuse_file(path, "there is no such file" + how_to_get(path));
  if (status.type() == fs::file_type::directory)
    refuse_file(path, fmt::format("is a directory, not {}", kind));
  if (status.type() != fs::file_type::regular) refuse_file(path, "is not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, std::string("cannot be opened: ") + std::strerror(errno));
  return file;
}

void read_bytes(std::ifstream& file, const std::string& path, void* to, std::size_t bytes) {
  file.read(static_cast<char*>(to), std::streamsize(bytes));
  if (std::size_t(file.gcount()) != bytes) refuse_file(path, "cannot be read to its end");
}

}  // namespace redbench
