// Images as labels: what a PGM file may say, and what is refused.
#include "src/inputs/npy.hpp"

#include <gmock/gmock.h>
#include "src/inputs/labels.hpp"

#include <span>

#include "tests/support.hpp"

namespace redbench {
namespace {

class Pgm : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(Pgm, PixelsAreReadRowByRow) {
  const ArrayFile image =
      open_pgm(folder_.write("a.pgm", std::string("P5\n3 2\n255\n\0\1\2\375\376\377", 17)));
  EXPECT_EQ(image.rows(), 6);
  const HostBuffer all = read_array(image, 6);
  EXPECT_EQ(std::vector<u8>(all.as<u8>(), all.as<u8>() + 6), (std::vector<u8>{0, 1, 2, 253, 254, 255}));
  const HostBuffer first = read_array(image, 2);
  EXPECT_EQ(first.bytes, 2u);
}

// A pixel that is white space, a digit or # belongs to the image.
TEST_F(Pgm, CommentsAndWhiteSpaceEndBeforeThePixels) {
  const ArrayFile image = open_pgm(folder_.write("a.pgm", "P5#one\n# two\n 2\t#three\n1 # four\n200\n 7"));
  EXPECT_EQ(image.rows(), 2);
  const HostBuffer all = read_array(image, 2);
  EXPECT_EQ(std::string(all.as<char>(), 2), " 7");
  EXPECT_EQ(open_pgm(folder_.write("b.pgm", "P5 1 1 255 #")).rows(), 1);
}

TEST_F(Pgm, WhatIsNotOneImageOfBytesIsRefused) {
  const std::string other = "is not a PGM image of bytes, which starts with P5";
  const std::pair<const char*, std::string> files[] = {
      {"", other},
      {"P", other},
      {"P2\n1 1\n255\n7", other},
      {"P51 1 255 a", other},
      {"GIF89a", other},
      {"P5\n1 1\n65535\nab", "has a largest grey above 255"},
      {"P5\n2 2\n", "the header has no largest grey"},
      {"P5\n2 -2\n255\nabcd", "the header has no height"},
      {"P5\n2x2\n255\nabcd", "after the width white space is expected"},
      {"P5\n0 2\n255\n", "has a width of 0"},
      {"P5\n99999999999999999999 1\n255\n", "has a width above 1073741824"},
      {"P5 # no end", "the header has no width"},
      {"P5\n2 2\n255\nabc", "is cut off: 2 x 2 pixels are 4 bytes, it holds 3"},
      {"P5\n2 2\n255\nabcde", "has more data than its header says: 2 x 2 pixels are 4 bytes, it holds 5"},
      {"P5\n1073741824 1073741824\n255\n",
       "is cut off: 1073741824 x 1073741824 pixels are 1152921504606846976 bytes, it holds 0"}};
  for (const auto& [text, why] : files) {
    const std::string path = folder_.write("image.pgm", text);
    EXPECT_EQ(usage_error([&] { open_pgm(path); }), path + ": " + why) << text;
  }
}

TEST_F(Pgm, IsAValueOfTheAxisLabels) {
  const ProblemAxis axis = labels_axis();
  const Json file{{"file", folder_.write("image.pgm", "P5\n3 1\n255\n\1\2\3")}};
  EXPECT_NO_THROW(axis.check(file));
  EXPECT_EQ(axis.inputs(file), 3);
  InputSpec input{.type = Type::u32, .n = 3, .axes = {{"labels", file}, {"m", 4}}};
  const HostBuffer labels = make_labels(input, Type::u32);
  EXPECT_EQ(std::vector<u32>(labels.as<u32>(), labels.as<u32>() + 3), (std::vector<u32>{1, 2, 3}));
  input.n = 7;
  EXPECT_TRUE(usage_error([&] { check_labels(input, Type::u32); }).ends_with("holds 3 labels, n asks for 7"));
  input.axes["labels"] = {{"repeat", file["file"]}};
  EXPECT_NO_THROW(axis.check(input.axes["labels"]));
  input.part = Part{2, 4};
  EXPECT_THAT(std::span(make_labels(input, Type::u32).as<u32>(), 4), testing::ElementsAre(3, 1, 2, 3));
  input.axes["m"] = 3;
  EXPECT_TRUE(usage_error([&] {
                check_labels(input, Type::u8);
              }).ends_with("label 2 is 3, not between 0 and 2 (m is 3)"));
}

TEST_F(Pgm, NoFileAtAll) {
  EXPECT_EQ(
      usage_error([] { open_pgm("samples/none.pgm"); }),
      "samples/none.pgm: there is no such file; scripts/get_samples.py writes samples/ into the working "
      "directory, where it is looked for, too");
  EXPECT_TRUE(usage_error([&] { open_pgm(folder_.path()); }).ends_with("is a directory, not a PGM image"));
}

}  // namespace
}  // namespace redbench
