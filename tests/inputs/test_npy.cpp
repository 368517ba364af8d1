// NumPy files as numpy wrote them (tests/fixtures), and as nobody should.
#include "src/inputs/npy.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

template <class T>
std::vector<T> read_all(const std::string& name) {
  const ArrayFile file = open_npy(fixture(name));
  const HostBuffer buffer = read_array(file, file.rows());
  EXPECT_EQ(buffer.bytes, std::size_t(file.rows()) * sizeof(T));
  return {buffer.as<T>(), buffer.as<T>() + file.rows()};
}

TEST(Npy, EveryTypeInEitherByteOrder) {
  EXPECT_THAT(read_all<i32>("i32.npy"), ElementsAre(1, -2, 3, 70000, -2147483647 - 1));
  EXPECT_THAT(read_all<i32>("i32_big.npy"), ElementsAre(1, -2, 3, 70000, -2147483647 - 1));
  EXPECT_THAT(read_all<i64>("i64_big.npy"), ElementsAre(1, -2, i64(1) << 40));
  EXPECT_THAT(read_all<u32>("u32_version2.npy"), ElementsAre(1u, 2u, 4294967295u));
  EXPECT_THAT(read_all<f32>("f32.npy"), ElementsAre(0.5f, -1.25f, 3e38f));
  EXPECT_THAT(read_all<f64>("f64_big_version3.npy"), ElementsAre(0.1, -2.5e300));
  EXPECT_THAT(read_all<c32>("c32_big.npy"), ElementsAre(c32{1, 2}, c32{-0.5, -4}));
  EXPECT_THAT(read_all<c64>("c64.npy"), ElementsAre(c64{1, 2}, c64{-0.5, -4}));
  EXPECT_THAT(read_all<AffineMap>("pairs.npy"),
              ElementsAre(AffineMap{3, 5}, AffineMap{7, 11}, AffineMap{13, 4294967295u}));
  EXPECT_THAT(read_all<u8>("u8.npy"), ElementsAre(1, 2, 3));
  EXPECT_EQ(open_npy(fixture("empty.npy")).rows(), 0);
  EXPECT_EQ(open_npy(fixture("c32_big.npy")).type, Type::c32);
  const HostBuffer two = read_array(open_npy(fixture("i32_big.npy")), 2);
  EXPECT_EQ(two.bytes, 8u) << "a prefix";
  EXPECT_EQ(two.as<i32>()[1], -2);
}

/// A file of version 1.0 with this dictionary, and so many bytes of data.
std::string npy(const std::string& dictionary, std::size_t data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(dictionary.size() & 255);
  text += char(dictionary.size() >> 8);
  return text + dictionary + std::string(data, '\0');
}

/// A file of any version with a dictionary of f32, spaces up to so many bytes of a header, and 12 bytes of
/// data.
std::string of_version(char major, char minor, std::size_t header_bytes = 0) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
              text = std::string("\x93NUMPY") + major + minor;
  if (header_bytes) header.resize(header_bytes, ' ');
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) text += char(header.size() >> (8 * i) & 255);
  return text + header + std::string(12, '\0');
}

/// "1,1,1"
std::string ones(int count) {
  std::string text = "1";
  for (int i = 1; i < count; ++i) text += ",1";
  return text;
}

class NpyFiles : public testing::Test {
 protected:
  /// The message about a file; its number of rows where it is read.
  std::string outcome(const std::string& text) {
    const std::string path = folder_.write("x.npy", text);
    try {
      return std::to_string(open_npy(path).rows()) + " rows";
    } catch (const UsageError& error) {
      return std::string(error.what()).substr(path.size() + 2);
    }
  }
  TemporaryFolder folder_;
};

TEST_F(NpyFiles, EachFormOfTheHeadersDictionary) {
  std::string all;
  for (const auto& [dictionary, data] : std::vector<std::pair<std::string, std::size_t>>{
           {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12},
           {"{'descr': '<f4', 'fortran_order': True, 'shape': (3,)}", 12},
           {"{'descr': '<f4', 'shape': (3)}", 12},
           {"{'shape':(3,),'descr':'<f4'}", 12},
           {"{ \"descr\" : \"<f4\" , \"shape\" : ( 3 , ) , }\n", 12},
           {"{'descr': '=f4', 'shape': (3,), }", 12},
           {"{'descr': '<u4', 'shape': (3, 2), }", 24},
           // Keys.
           {"", 12},
           {"{", 12},
           {"{'descr': '<f4', }", 12},
           {"{'shape': (3,), }", 12},
           {"{'shape': (3,), 'descr': }", 12},
           {"{'descr' '<f4'}", 12},
           {"{'descr': '<f4', 'shape': (3,)", 12},
           {"{'descr': '<f4', 'more': (3,), 'shape': (3,), }", 12},
           {"{'descr': '<f4', 'shape': (3,), 'shape': (3,), }", 12},
           // Types.
           {"{'descr': '<i2', 'shape': (3,)}", 6},
           {"{'descr': '?f4', 'shape': (3,), }", 12},
           {"{'descr': '<f4, 'shape': (3,)}", 12},
           {"{'descr': '', 'shape': (3,), }", 12},
           {"{'descr': [('a', '<f4')], 'shape': (3,), }", 12},
           // Shapes. The product of shape and element size must not wrap around to what the file holds.
           {"{'descr': '<f4', 'shape': (-3,), }", 12},
           {"{'descr': '<f4', 'shape': (3x,), }", 12},
           {"{'descr': '<f4', 'shape': (,), }", 12},
           {"{'descr': '<f4', 'shape': (3", 12},
           {"{'descr': '<f4', 'shape': (99999999999999999999,), }", 12},
           {"{'descr': '<f4', 'shape': (4611686018427387907,), }", 12},
           {"{'descr': '|u1', 'shape': (1099511627777,), }", 0},
           {"{'descr': '|u1', 'shape': (1099511627776,), }", 0},
           {"{'descr': '<f4', 'shape': (), }", 12},
           {"{'descr': '<f4', 'shape': (3, 1), }", 12},
           {"{'descr': '<f4', 'shape': (3, 2), }", 24},
           {"{'descr': '<u4', 'shape': (3, 3), }", 36},
           {"{'descr': '<u4', 'shape': (3, 2, 2), }", 48},
           {"{'descr': '<u4', 'fortran_order': True, 'shape': (3, 2), }", 24},
           {"{'descr': '<f4', 'shape': (" + ones(33) + "), }", 12},
           {"{'descr': '<f4', 'shape': (" + ones(33) + ",), }", 12},
           // Data.
           {"{'descr': '<f4', 'shape': (3,), }", 0},
           {"{'descr': '<f4', 'shape': (3,), }", 11},
           {"{'descr': '<f4', 'shape': (3,), }", 13}})
    all += fmt::format("{} and {} bytes\n    {}\n", dictionary, data, outcome(npy(dictionary, data)));
  expect_golden("inputs/npy_headers.txt", all);
}

TEST_F(NpyFiles, ANameAVersionAndTheLengthOfTheHeaderComeFirst) {
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(outcome(of_version(version, 0)), "3 rows");
    EXPECT_EQ(open_npy(folder_.write("x.npy", of_version(version, 0, 256))).data_offset,
              version == 1 ? 10u + 256 : 12u + 256);
  }
  EXPECT_EQ(outcome(of_version(2, 0, 65'536)), "3 rows");
  EXPECT_EQ(outcome(of_version(2, 0, 65'537)), "has a header of 65537 bytes: no plain array has");
  EXPECT_EQ(outcome(std::string("\x93NUMPY\x02\x00\x04\x03\x02\x01", 12)),
            "has a header of 16909060 bytes: no plain array has");
  EXPECT_EQ(outcome(of_version(0, 7)), "has the NumPy format version 0.7; 1.0 to 3.0 are read");
  EXPECT_EQ(outcome(of_version(4, 2)), "has the NumPy format version 4.2; 1.0 to 3.0 are read");
  EXPECT_EQ(outcome(of_version(2, 0, 100).substr(0, 111)), "is cut off within its header");
  EXPECT_EQ(outcome(of_version(2, 0, 100).substr(0, 112)),
            "is cut off: its header promises 12 bytes of data, it holds 0");
  EXPECT_EQ(outcome(std::string("\x93NUMPY\x01\x00\x00", 9)), "is not a NumPy file: too short for a header");
  EXPECT_EQ(outcome("\x93NUMPZ" + of_version(1, 0).substr(6)),
            "is not a NumPy file: numpy.save writes \\x93NUMPY first");
  EXPECT_EQ(usage_error([] { open_npy("/dev/null"); }), "/dev/null: is not a regular file");
}

TEST_F(NpyFiles, AnElementThatIsNotFiniteIsNamed) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto finite = [&](const std::vector<float>& values) {
    check_finite(open_npy(folder_.write("x.npy", npy_of<float>("<f4", values))));
  };
  EXPECT_NO_THROW(finite({1, -2, 3e38f}));
  for (const auto& [values, first] : {std::pair<std::vector<float>, int>({1, 2, infinity}, 2),
                                      {{-infinity, 2, infinity}, 0},
                                      {{1, std::nanf(""), infinity}, 1}})
    EXPECT_EQ(usage_error([&, &values = values] { finite(values); }),
              folder_.path() + "/x.npy: element " + std::to_string(first) +
                  " is a NaN or an infinity: no answer could be checked");
}

}  // namespace
}  // namespace redbench
