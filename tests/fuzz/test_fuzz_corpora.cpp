// Each input that a fuzzer kept, and small changes of it, through the reader that it is for.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "tests/fuzz/targets.hpp"
#include "tests/programs.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// What a target starts from, by path: its corpus, and the folders that seeds.txt names.
std::map<std::string, std::string> corpus_of(const FuzzTarget& target) {
  const fs::path root = REDBENCH_SOURCE_DIR;
  std::vector<std::string> folders{"tests/fuzz/corpora/" + target.name};
  std::ifstream seeds(root / "tests/fuzz/seeds.txt");
  for (std::string line; std::getline(seeds, line);)
    if (line.starts_with(target.name + " ")) folders.push_back(line.substr(target.name.size() + 1));
  std::map<std::string, std::string> corpus;
  for (const std::string& folder : folders) {
    if (!fs::exists(root / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) corpus[fs::relative(entry.path(), root)] = text_in(entry.path());
    }
  }
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
