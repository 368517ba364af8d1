#include "src/inputs/file_digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include "src/error.hpp"

namespace redbench {
namespace {

void require(int done) {
  if (done != 1) throw std::runtime_error("libcrypto makes no SHA-256");
}

}  // namespace

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path + ": cannot be opened: " + std::strerror(errno));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
  std::vector<char> bytes(std::size_t(1) << 20);
  while (file) {
    file.read(bytes.data(), std::streamsize(bytes.size()));
    require(EVP_DigestUpdate(context.get(), bytes.data(), std::size_t(file.gcount())));
  }
  if (file.bad()) throw UsageError(path + ": cannot be read");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context.get(), digest.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace redbench
