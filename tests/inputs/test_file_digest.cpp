// The SHA-256 of a file, as other programs print it.
#include <gtest/gtest.h>

#include "src/inputs/input_file.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(FileDigest, IsThatOfTheStandardsExamples) {
  const TemporaryFolder folder;
  const auto digest = [&](const std::string& text) { return sha256_of_file(folder.write("x", text)); };
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Of more than is read at once every byte counts, in its place.
TEST(FileDigest, IsOfAllOfALargeFile) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 3'000'000; ++i) text += char('a' + i % 23);
  EXPECT_EQ(sha256_of_file(folder.write("x", text)),
            "a0c8ec8452ed4a77f89937fdb60772cbd5ec421d003d67681838bd042733906d");
  EXPECT_EQ(usage_error([&] { sha256_of_file(folder.path() + "/none"); }),
            folder.path() + "/none: there is no such file");
}

}  // namespace
}  // namespace redbench
