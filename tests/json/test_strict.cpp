// The strict reader of JSON: where it says that something is wrong.
#include <gtest/gtest.h>

#include "src/json/strict.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string mistake(const std::string& text) {
  return usage_error([&] { parse_strictly(text, "x.json"); });
}

TEST(StrictJson, PlacesArePathsFromTheTop) {
  EXPECT_EQ(mistake(R"([0, [1, 2], {"k": 3}, {"a": [4, {"b": 5, "b": 6}]}])"),
            "x.json: $[3].a[1].b: the key is there twice");
  EXPECT_EQ(mistake(R"({"a": [], "b": {}, "a": 1})"), "x.json: $.a: the key is there twice");
  EXPECT_EQ(mistake(R"({"a": {"b": [1, -1e999]}})"), "x.json: $.a.b[1]: is a number larger than any");
  EXPECT_EQ(mistake("{\n\"a\": tru}").substr(0, 25), "x.json: line 2, column 9:");
}

TEST(StrictJson, NulEndsNoText) {
  using namespace std::string_literals;
  EXPECT_EQ(mistake("[7]\0, 8"s), "x.json: byte 4 is NUL, which JSON does not hold");
  EXPECT_EQ(mistake(R"({"a": ["x\u0000y"]})"), "x.json: $.a[0]: holds \\u0000");
}

TEST(StrictJson, SixtyFourLevelsAreRead) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + '1' + std::string(levels, ']');
  };
  EXPECT_EQ(parse_strictly(nested(64), "x.json").dump(), nested(64));
  EXPECT_TRUE(mistake(nested(65)).ends_with(": is nested deeper than 64 levels"));
}

TEST(StrictJson, AFileOfSixteenMebibytesIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("x.json", "[7]" + std::string((std::size_t(16) << 20) - 3, ' '));
  EXPECT_EQ(read_json_file(path).dump(), "[7]");
  folder.write("x.json", "[7]" + std::string((std::size_t(16) << 20) - 2, ' '));
  EXPECT_EQ(usage_error([&] { read_json_file(path, "a file of claims"); }),
            path + ": is larger than 16 MiB, which a file of claims never is");
  EXPECT_EQ(usage_error([&] { read_json_file(folder.path(), "a file of claims"); }),
            folder.path() + ": is a directory; a file of claims is a JSON file");
  EXPECT_EQ(usage_error([&] { read_json_file(folder.path() + "/y.json"); }),
            folder.path() + "/y.json: there is no such file");
}

}  // namespace
}  // namespace redbench
