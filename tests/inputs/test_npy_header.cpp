// The header of a NumPy file: each form of its dictionary that is read, and those that are not.
#include <gtest/gtest.h>

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
        {"{'descr': '<f4', 'shape': (3,), 'shape':, }", damaged},
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

}  // namespace
}  // namespace redbench
