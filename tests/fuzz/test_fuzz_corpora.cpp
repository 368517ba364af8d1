// Each input that a fuzzer kept, and small changes of it, through the reader that it is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/targets.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// In the order of their names, so that each change has the same seed everywhere.
std::vector<std::pair<std::string, std::string>> corpus_of(const FuzzTarget& target) {
  std::vector<std::pair<std::string, std::string>> corpus;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(REDBENCH_SOURCE_DIR) / "tests/fuzz/corpora" / target.name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    corpus.emplace_back(entry.path().filename(),
                        std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()));
  }
  std::ranges::sort(corpus);
  return corpus;
}

/// A few bytes replaced, taken out or doubled.
std::string changed(std::string bytes, std::mt19937_64& random) {
  for (std::size_t change = random() % 4 + 1; change > 0 && !bytes.empty(); --change) {
    const std::size_t at = random() % bytes.size(), count = random() % 8 + 1;
    switch (random() % 3) {
      case 0:
        bytes[at] = char(random());
        break;
      case 1:
        bytes.erase(at, count);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), count));
    }
  }
  return bytes;
}

class FuzzCorpora : public testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzCorpora, OnlyUsageErrorsLeaveAReader) {
  const auto corpus = corpus_of(GetParam());
  ASSERT_FALSE(corpus.empty());
  std::mt19937_64 random(1);
  for (const auto& [name, bytes] : corpus) {
    EXPECT_NO_THROW(run_target(GetParam(), bytes)) << name;
    for (int change = 0; change < 10; ++change) {
      const std::string other = changed(bytes, random);
      EXPECT_NO_THROW(run_target(GetParam(), other)) << "change " << change << " of " << name << ":\n"
                                                     << other;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpora, testing::ValuesIn(fuzz_targets()),
                         [](const auto& target) { return target.param.name; });

}  // namespace
}  // namespace redbench
