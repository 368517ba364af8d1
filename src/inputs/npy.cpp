#include "src/inputs/npy.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "src/inputs/input_file.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kind = "a NumPy file";

/// "i4, i8, ..."
std::string known_codes() {
  std::string list;
  for (const TypeFacts& type : all_types())
    if (!type.npy.empty()) list += fmt::format("{}{}", list.empty() ? "" : ", ", type.npy);
  return list;
}

void set_type(ArrayFile& header, std::string_view descr) {
  const char order = descr.empty() ? ' ' : descr.front();
  const auto types = all_types();
  const auto entry = std::ranges::find_if(types, [&](const TypeFacts& candidate) {
    return descr.size() > 1 && descr.substr(1) == candidate.npy;
  });
  if (entry == types.end() || std::string_view("<>|=").find(order) == std::string_view::npos)
    refuse_file(header.path,
                fmt::format("holds elements of NumPy type '{}'; allowed are {} in either byte order", descr,
                            known_codes()));
  header.type = entry->type;
  const char here = std::endian::native == std::endian::little ? '<' : '>';
  header.swapped = (order == '<' || order == '>') && order != here;
}

[[noreturn]] void damaged(const ArrayFile& header) {
  refuse_file(header.path, "the header is not one that NumPy writes");
}

/// "3,", "3, 2"
void set_shape(ArrayFile& header, re2::StringPiece text) {
  static const RE2 next(R"(\s*([0-9]+)\s*(?:,\s*|$))");
  for (Index number = 0; !text.empty(); header.shape.push_back(number))
    if (!RE2::Consume(&text, next, &number)) damaged(header);
}

/// The header's dictionary, a Python literal; returns whether it is in Fortran order.
bool read_dictionary(ArrayFile& header, const std::string& text) {
  static const RE2 open(R"(\s*\{\s*)"), close(R"(\}\s*)"), comma(R"(,\s*)"),
      records(R"(['"]descr['"]\s*:\s*\[)"), descr(R"re(['"]descr['"]\s*:\s*['"]([^'"]*)['"]\s*)re"),
      order(R"(['"]fortran_order['"]\s*:\s*(True|False)\s*)"),
      shape(R"re(['"]shape['"]\s*:\s*\(([^()]*)\)\s*)re");
  re2::StringPiece rest = text;
  std::string fortran, type, numbers;
  bool has_type = false, has_shape = false;
  if (!RE2::Consume(&rest, open)) damaged(header);
  while (!RE2::Consume(&rest, close)) {
    if (RE2::Consume(&rest, records))
      refuse_file(header.path, "holds records of several fields; save one field as its own array");
    if (!has_type && RE2::Consume(&rest, descr, &type)) {
      set_type(header, type);
      has_type = true;
    } else if (!has_shape && RE2::Consume(&rest, shape, &numbers)) {
      set_shape(header, numbers);
      has_shape = true;
    } else if (!RE2::Consume(&rest, order, &fortran)) {
      damaged(header);
    }
    if (!RE2::Consume(&rest, comma) && !rest.starts_with("}")) damaged(header);
  }
  if (!has_type || !has_shape) damaged(header);
  return fortran == "True";
}

void check_shape(const ArrayFile& header) {
  const TypeFacts& map = facts_of_maps();
  const bool pairs = header.shape.size() == 2 && header.shape[1] == map.columns && header.type == map.type;
  if (header.shape.size() != 1 && !pairs)
    refuse_file(header.path,
                fmt::format("has {} dimensions: a list of values has one (flatten it with .ravel())",
                            header.shape.size()));
  if (header.rows() > Index(1) << 40) refuse_file(header.path, "has more than 2^40 elements");
}

std::string header_text(std::ifstream& file, ArrayFile& header, std::size_t file_bytes) {
  unsigned char preamble[12];
  if (file_bytes < 10) refuse_file(header.path, "is not a NumPy file: too short for a header");
  read_bytes(file, header.path, preamble, 8);
  if (std::memcmp(preamble, "\x93NUMPY", 6) != 0)
    refuse_file(header.path, "is not a NumPy file: numpy.save writes \\x93NUMPY first");
  const int version = preamble[6];
  if (version < 1 || version > 3)
    refuse_file(header.path,
                fmt::format("has the NumPy format version {}.{}; 1.0 to 3.0 are read", version, preamble[7]));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  read_bytes(file, header.path, preamble + 8, length_bytes);
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::size_t(preamble[8 + i]) << (8 * i);
  header.data_offset = 8 + length_bytes + length;
  constexpr std::size_t longest = 1 << 16;  // a header of a plain array has about a hundred characters
  if (length > longest)
    refuse_file(header.path, fmt::format("has a header of {} bytes: no plain array has", length));
  if (header.data_offset > file_bytes) refuse_file(header.path, "is cut off within its header");
  std::string text(length, '\0');
  read_bytes(file, header.path, text.data(), length);
  return text;
}

}  // namespace

ArrayFile open_npy(const std::string& path) {
  std::ifstream file = open_input(path, kind);
  ArrayFile header;
  header.path = path;
  const bool fortran = read_dictionary(header, header_text(file, header, fs::file_size(path)));
  check_shape(header);
  if (fortran && header.columns() > 1)
    refuse_file(path, "is in Fortran order; save it with numpy.ascontiguousarray");

  const std::size_t expected = std::size_t(header.rows()) * header.facts().bytes;
  check_size(path, header.data_offset, expected,
             fmt::format("its header promises {} bytes of data", expected));
  return header;
}

}  // namespace redbench
