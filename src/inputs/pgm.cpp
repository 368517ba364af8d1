// A PGM image as an array.
#include <fmt/format.h>

#include <cctype>

#include "src/inputs/input_file.hpp"
#include "src/inputs/npy.hpp"

namespace redbench {
namespace {

/// In pixels, so that the product of two sides does not overflow.
constexpr Index longest_side = Index(1) << 30;

bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The next number of the header, after white space and comments, which go from # to the end of the line. One
/// character after it is read, too: white space.
Index number(std::ifstream& file, const std::string& path, const char* what, Index largest) {
  int c = file.get();
  while (is_space(c) || c == '#') {
    if (c == '#')
      while (c != '\n' && c != '\r' && c != EOF) c = file.get();
    else c = file.get();
  }
  if (!std::isdigit(c)) refuse_file(path, fmt::format("the header has no {}", what));
  Index value = 0;
  for (; std::isdigit(c); c = file.get()) {
    value = 10 * value + (c - '0');
    if (value > largest) refuse_file(path, fmt::format("has a {} above {}", what, largest));
  }
  if (!is_space(c)) refuse_file(path, fmt::format("after the {} white space is expected", what));
  if (value == 0) refuse_file(path, fmt::format("has a {} of 0", what));
  return value;
}

}  // namespace

ArrayFile open_pgm(const std::string& path) {
  std::ifstream file = open_input(path, "a PGM image");
  const bool is_pgm = file.get() == 'P' && file.get() == '5';
  if (const int next = file.peek(); !is_pgm || !(is_space(next) || next == '#'))
    refuse_file(path, "is not a PGM image of bytes, which starts with P5");
  const Index width = number(file, path, "width", longest_side),
              height = number(file, path, "height", longest_side), pixels = width * height;
  number(file, path, "largest grey", 255);
  const ArrayFile image{path, Type::u8, false, {pixels}, std::size_t(file.tellg())};
  check_size(path, image.data_offset, std::size_t(pixels),
             fmt::format("{} x {} pixels are {} bytes", width, height, pixels));
  return image;
}

}  // namespace redbench
