#include "src/inputs/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "src/inputs/input_file.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kind = "a NumPy file";

/// "i4, i8, ... and f2"
std::string known_codes() {
  std::string list;
  const auto types = all_types();
  for (std::size_t i = 0; i < types.size(); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 < types.size() ? ", " : " and ", types[i].npy);
  return list;
}

/// Reads the header's dictionary: a Python literal of which NumPy writes one form only.
class HeaderText {
 public:
  HeaderText(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  void expect(char c) {
    if (!accept(c)) damaged();
  }
  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view quoted() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) damaged();
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == rest_.npos) damaged();
    return take(1, end, end + 1);
  }
  std::string_view word() {
    skip_space();
    const std::size_t end = std::min(rest_.find_first_of(",} )"), rest_.size());
    return take(0, end, end);
  }
  Index number() {
    const std::string_view digits = word();
    Index value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 0) damaged();
    return value;
  }
  [[noreturn]] void damaged() const { refuse_file(path_, "the header is not one that NumPy writes"); }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  std::string_view take(std::size_t from, std::size_t to, std::size_t next) {
    const std::string_view part = rest_.substr(from, to - from);
    rest_.remove_prefix(next);
    return part;
  }

  const std::string& path_;
  std::string_view rest_;
};

void set_type(NpyHeader& header, std::string_view descr) {
  const char order = descr.empty() ? ' ' : descr.front();
  const auto types = all_types();
  const auto entry = std::ranges::find_if(
      types, [&](const TypeFacts& candidate) { return !descr.empty() && descr.substr(1) == candidate.npy; });
  if (entry == types.end() || std::string_view("<>|=").find(order) == std::string_view::npos)
    refuse_file(header.path,
                fmt::format("holds elements of NumPy type '{}'; allowed are {} in either byte order", descr,
                            known_codes()));
  header.type = entry->type;
  const char here = std::endian::native == std::endian::little ? '<' : '>';
  header.swapped = (order == '<' || order == '>') && order != here;
}

void set_shape(NpyHeader& header, HeaderText& text) {
  text.expect('(');
  while (!text.accept(')')) {
    header.shape.push_back(text.number());
    if (!text.accept(',')) {
      text.expect(')');
      break;
    }
    if (header.shape.size() > 32) text.damaged();
  }
}

void check_shape(const NpyHeader& header) {
  const TypeFacts& map = facts_of_maps();
  const bool pairs = header.shape.size() == 2 && header.shape[1] == map.columns && header.type == map.type;
  if (header.shape.size() != 1 && !pairs)
    refuse_file(header.path,
                fmt::format("has {} dimensions: a list of values has one (flatten it with .ravel())",
                            header.shape.size()));
  if (header.rows() > Index(1) << 40) refuse_file(header.path, "has more than 2^40 elements");
}

std::string header_text(std::ifstream& file, NpyHeader& header, std::size_t file_bytes) {
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

NpyHeader read_npy_header(const std::string& path) {
  std::ifstream file = open_input(path, kind);
  const std::size_t file_bytes = fs::file_size(path);
  NpyHeader header;
  header.path = path;
  const std::string literal = header_text(file, header, file_bytes);

  HeaderText text(path, literal);
  bool fortran = false, has_descr = false, has_shape = false;
  text.expect('{');
  while (!text.accept('}')) {
    const std::string_view key = text.quoted();
    text.expect(':');
    if (key == "descr") {
      if (text.accept('['))
        refuse_file(path, "holds records of several fields; save one field as its own array");
      set_type(header, text.quoted());
      has_descr = true;
    } else if (key == "fortran_order") {
      fortran = text.word() == "True";
    } else if (key == "shape" && !has_shape) {
      set_shape(header, text);
      has_shape = true;
    } else {
      text.damaged();
    }
    if (!text.accept(',')) {
      text.expect('}');
      break;
    }
  }
  if (!has_descr || !has_shape) text.damaged();
  check_shape(header);
  if (fortran && header.columns() > 1)
    refuse_file(path, "is in Fortran order; save it with numpy.ascontiguousarray");

  const std::size_t expected = std::size_t(header.rows()) * header.facts().bytes;
  const std::size_t held = file_bytes - header.data_offset;
  if (held != expected)
    refuse_file(path, fmt::format("{}: its header promises {} bytes of data, it holds {}",
                                  held < expected ? "is cut off" : "has more data than its header says",
                                  expected, held));
  return header;
}

HostBuffer read_npy(const NpyHeader& header, Index rows) {
  std::ifstream file = open_input(header.path, kind);
  file.seekg(std::streamoff(header.data_offset));
  HostBuffer buffer(std::size_t(rows) * header.facts().bytes);
  read_bytes(file, header.path, buffer.data.get(), buffer.bytes);
  const std::size_t word_bytes = header.facts().component_bytes;
  if (header.swapped && word_bytes > 1) {
    const Index words = Index(buffer.bytes / word_bytes);
#pragma omp parallel for
    for (Index i = 0; i < words; ++i) {
      std::byte* const word = buffer.data.get() + std::size_t(i) * word_bytes;
      std::reverse(word, word + word_bytes);
    }
  }
  return buffer;
}

void check_finite(const NpyHeader& header) {
  if (header.facts().integer) return;
  const HostBuffer buffer = read_npy(header, header.rows());
  const Index first = header.facts().first_not_finite(buffer.data.get(), header.rows());
  if (first < header.rows())
    refuse_file(header.path,
                fmt::format("element {} is a NaN or an infinity: no answer could be checked", first));
}

}  // namespace redbench
