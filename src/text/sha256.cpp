#include "src/text/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace redbench {

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(), digest.data(), nullptr) != 1)
    throw std::runtime_error("SHA-256: libcrypto gives none");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace redbench
