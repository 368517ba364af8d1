// redbench_gpu_tests: what only a GPU can show. It ends with how many tests ran, and how many were skipped
// for what reason.
#include <cstdio>
#include <cstring>
#include <map>

#include "src/build_facts.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace redbench {
namespace {

class Summary : public testing::EmptyTestEventListener {
  void OnTestProgramStart(const testing::UnitTest&) override {
    std::printf("GPU tests, commit %s, %s\n", build_commit,
                gpu().device ? gpu().device->facts().name.c_str() : "no GPU");
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.skipped()) ++skipped_[result.message()];
  }

  void OnTestProgramEnd(const testing::UnitTest& all) override {
    std::printf("GPU tests: %d passed, %d failed, %d skipped\n", all.successful_test_count(),
                all.failed_test_count(), all.skipped_test_count());
    for (const auto& [reason, count] : skipped_) {
      const std::size_t length = std::strcspn(reason.c_str(), "\n");
      std::printf("  %d skipped: %.*s\n", count, int(length), reason.c_str());
    }
  }

  std::map<std::string, int> skipped_;
};

}  // namespace
}  // namespace redbench

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(new redbench::Summary);
  return RUN_ALL_TESTS();
}
