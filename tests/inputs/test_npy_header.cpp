// The header of a NumPy file: each form of its dictionary that is read, and those that are not.
#include <gtest/gtest.h>

#include <bit>

#include "src/inputs/npy.hpp"
#include "tests/inputs/npy_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// "1,1,1"
std::string ones(int count) {
  std::string text = "1";
  for (int i = 1; i < count; ++i) text += ",1";
  return text;
}

TEST(NpyHeader, EachFormOfTheHeadersDictionary) {
  const TemporaryFolder folder;
  const std::string damaged = "the header is not one that NumPy writes",
                    flatten = "a list of values has one (flatten it with .ravel())";
  for (const auto& [dictionary, said] :
       {std::pair<std::string, std::string>("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", ""),
        {"{'descr': '<f4', 'shape': (3)}", ""},
        {"{'shape':(3,),'descr':'<f4'}", ""},
        {"{ \"descr\" : \"<f4\" , \"shape\" : ( 3 , ) , }\n", ""},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (3,), }", ""},
        {"{'descr': '<f4', 'shape': (3,), 'more':, }", damaged},
        {"{'more': (3,), 'descr': '<f4', }", damaged},
        {"{'descr': '<f4', 'shape': (3,), 'shape':, }", damaged},
        {"{'descr': '<f4', 'shape': (-3,), }", damaged},
        {"{'descr': '<f4', 'shape': (3, 1), }", "has 2 dimensions: " + flatten},
        {"{'descr': '<f4', 'shape': (3, 2), }", "has 2 dimensions: " + flatten},
        {"{'descr': '<u4', 'shape': (3, 1), }", "has 2 dimensions: " + flatten},
        {"{'descr': '<u4', 'shape': (3, 2), 'fortran_order': True, }",
         "is in Fortran order; save it with numpy.ascontiguousarray"},
        {"{'descr': '<f4', 'shape': (1099511627776,), }",
         "is cut off: its header promises 4398046511104 bytes of data, it holds 12"},
        {"{'descr': '<f4', 'shape': (1099511627777,), }", "has more than 2^40 elements"},
        {"{'descr': '<f4', 'shape': (2,), }",
         "has more data than its header says: its header promises 8 bytes of data, it holds 12"},
        {"{'descr': '<f4', }", damaged},
        {"{'shape': (3,), }", damaged},
        {"{'descr': '<f4', 'shape': (), }", "has 0 dimensions: " + flatten},
        {"{'descr': '<f4', 'shape': (" + ones(32) + ",), }", "has 32 dimensions: " + flatten},
        {"{'descr': '<f4', 'shape': (" + ones(33) + "), }", "has 33 dimensions: " + flatten},
        {"{'descr': '<f4', 'shape': (" + ones(33) + ",), }", damaged},
        {"{'descr': '<f4', 'shape': (3x,), }", damaged},
        {"{'descr': '<f4', 'shape': (,), }", damaged}}) {
    const std::string path = folder.write("x.npy", npy(dictionary, 12));
    std::string error;
    try {
      const NpyHeader header = read_npy_header(path);
      EXPECT_EQ(header.rows(), 3) << dictionary;
      EXPECT_EQ(header.type, Type::f32) << dictionary;
    } catch (const UsageError& thrown) {
      error = std::string(thrown.what()).substr(path.size() + 2);
    }
    EXPECT_EQ(error, said) << dictionary;
  }
}

TEST(NpyHeader, RowsOfTwoAreThoseOfMaps) {
  const TemporaryFolder folder;
  const NpyHeader header =
      read_npy_header(folder.write("x.npy", npy("{'descr': '<u4', 'shape': (3, 2), }", 24)));
  EXPECT_EQ(header.rows(), 3);
  EXPECT_EQ(header.columns(), 2);
  EXPECT_FALSE(header.swapped);
}

// A byte has no order, and `=` is this machine's.
TEST(NpyHeader, TheOtherByteOrderIsSwapped) {
  const TemporaryFolder folder;
  const bool is_little = std::endian::native == std::endian::little;
  for (const auto& [order, swapped] :
       {std::pair("<", !is_little), {">", is_little}, {"=", false}, {"|", false}}) {
    for (const std::string type : {"i4", "f8", "u1", "f2"}) {
      const std::size_t bytes = type == "f8" ? 8 : type == "i4" ? 4 : type == "f2" ? 2 : 1;
      std::string text = npy("{'descr': '" + (order + type) + "', 'shape': (2,), }", 0);
      for (std::size_t i = 0; i < 2 * bytes; ++i) text += char(1 + i);
      const NpyHeader header = read_npy_header(folder.write("x.npy", text));
      EXPECT_EQ(header.swapped, swapped) << order << type;
      const HostBuffer read = read_npy(header, 2);
      ASSERT_EQ(read.bytes, 2 * bytes);
      for (std::size_t i = 0; i < 2 * bytes; ++i) {
        const std::size_t word = i / bytes * bytes;
        EXPECT_EQ(int(read.data[i]), int(1 + (swapped ? word + (bytes - 1 - i % bytes) : i)))
            << order << type << ' ' << i;
      }
    }
  }
}

/// A file of version 2.0 or later with this dictionary, spaces up to so many bytes of a header, and 12 bytes
/// of data.
std::string with_header_of(std::size_t bytes, char version = 2) {
  std::string text = "\x93NUMPY", header = "{'descr': '<f4', 'shape': (3,), }";
  text += {version, '\0'};
  for (const int shift : {0, 8, 16, 24}) text += char(bytes >> shift);
  header.resize(bytes, ' ');
  return text + header + std::string(12, '\0');
}

TEST(NpyHeader, HasUpTo64KiB) {
  const TemporaryFolder folder;
  for (const char version : {'\2', '\3'})
    for (const std::size_t bytes : {100, 255, 256, 65'536}) {
      const NpyHeader header = read_npy_header(folder.write("x.npy", with_header_of(bytes, version)));
      EXPECT_EQ(header.rows(), 3) << bytes;
      EXPECT_EQ(header.data_offset, 12 + bytes);
    }
  const NpyHeader old = read_npy_header(folder.write("x.npy", npy("{'descr': '<f4', 'shape': (3,)}", 12)));
  EXPECT_EQ(old.data_offset, 10u + 31);
  for (const auto& [text, said] :
       {std::pair(with_header_of(65'537), "has a header of 65537 bytes: no plain array has"),
        {std::string("\x93NUMPY\x02\x00\x04\x03\x02\x01", 12),
         "has a header of 16909060 bytes: no plain array has"},
        {with_header_of(100).substr(0, 111), "is cut off within its header"},
        {with_header_of(100).substr(0, 112), "is cut off: its header promises 12 bytes of data, it holds 0"},
        {std::string("\x93NUMPY\x01\x00\x00", 9), "is not a NumPy file: too short for a header"},
        {std::string("\x93NUMPY\x01\x00\x00\x00", 10), "the header is not one that NumPy writes"},
        {"\x93NUMPZ" + with_header_of(100).substr(6),
         "is not a NumPy file: numpy.save writes \\x93NUMPY first"},
        {with_header_of(100, 0), "has the NumPy format version 0.0; 1.0 to 3.0 are read"},
        {with_header_of(100, 4), "has the NumPy format version 4.0; 1.0 to 3.0 are read"}}) {
    const std::string path = folder.write("x.npy", text);
    EXPECT_EQ(usage_error([&] { read_npy_header(path); }), path + ": " + said);
  }
}

}  // namespace
}  // namespace redbench
