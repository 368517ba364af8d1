#include "src/inputs/input_file.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <vector>

#include "src/error.hpp"
#include "src/inputs/npy.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// samples/ is written, not part of the repository.
std::string how_to_get(const fs::path& path) {
  return path.parent_path().filename() == "samples" ? "; scripts/get_samples.py writes samples/ into the "
                                                      "working directory, where it is looked for, too"
                                                    : "";
}

void require(int done) {
  if (done != 1) throw std::runtime_error("libcrypto makes no SHA-256");
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
  if (error) refuse_file(path, "cannot be opened: " + error.message());
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

void check_size(const std::string& path, std::size_t offset, std::size_t expected,
                const std::string& promise) {
  const std::size_t held = fs::file_size(path) - offset;
  if (held != expected)
    refuse_file(path, fmt::format("{}: {}, it holds {}",
                                  held < expected ? "is cut off" : "has more data than its header says",
                                  promise, held));
}

bool names_file(const Json& value, const char* key) {
  return value.is_object() && value.size() == 1 && value.contains(key) && value[key].is_string();
}

HostBuffer read_array(const ArrayFile& file, Index rows) {
  std::ifstream stream = open_input(file.path, "a file of inputs");
  stream.seekg(std::streamoff(file.data_offset));
  HostBuffer buffer(std::size_t(rows) * file.facts().bytes);
  read_bytes(stream, file.path, buffer.data.get(), buffer.bytes);
  const std::size_t word_bytes = file.facts().component_bytes;
  if (file.swapped && word_bytes > 1) {
    const Index words = Index(buffer.bytes / word_bytes);
#pragma omp parallel for
    for (Index i = 0; i < words; ++i) {
      std::byte* const word = buffer.data.get() + std::size_t(i) * word_bytes;
      std::reverse(word, word + word_bytes);
    }
  }
  return buffer;
}

void check_finite(const ArrayFile& file) {
  if (file.facts().integer) return;
  const HostBuffer buffer = read_array(file, file.rows());
  const Index first = file.facts().first_not_finite(buffer.data.get(), file.rows());
  if (first < file.rows())
    refuse_file(file.path,
                fmt::format("element {} is a NaN or an infinity: no answer could be checked", first));
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream file = open_input(path, "a file");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
  std::vector<char> bytes(std::size_t(1) << 20);
  while (file) {
    file.read(bytes.data(), std::streamsize(bytes.size()));
    require(EVP_DigestUpdate(context.get(), bytes.data(), std::size_t(file.gcount())));
  }
  if (file.bad()) refuse_file(path, "cannot be read");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context.get(), digest.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace redbench
