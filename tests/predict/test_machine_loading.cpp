// Where a machine of the cache simulator is found, by its name or as a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/predict/machine_file.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Files of machines that are told apart by their titles, below a working directory of the test's own.
class MachineLoading : public testing::Test {
 protected:
  MachineLoading() { fs::current_path(folder_.path()); }
  ~MachineLoading() override { fs::current_path(before_); }
  void write(const std::string& path, const std::string& title) const {
    folder_.write(path, R"({"title": ")" + title +
                            R"(", "source": "s", "memory_ns": 100, "published_as": ")" + title +
                            R"( PC", "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 2}]})");
  }
  /// "name: title, published as".
  static std::string loaded(const std::string& name) {
    const MachineFile file = load_machine(name);
    return file.machine.name + ": " + file.machine.title + ", " + file.published_as;
  }

  TemporaryFolder folder_;
  const fs::path before_ = fs::current_path();
};

// What has a slash or ends as files of machines do is a path, all else a name.
TEST_F(MachineLoading, IsByPathOrByName) {
  write("mine.json", "Mine");
  write("sub/yours", "Yours");
  write("sub/theirs.v2.json", "Theirs");
  write("configs/devices/caches/ant.json", "Ant");
  write("ant", "No machine");
  EXPECT_EQ(loaded("mine.json"), "mine: Mine, Mine PC");
  EXPECT_EQ(loaded("sub/yours"), "yours: Yours, Yours PC");
  EXPECT_EQ(loaded("./sub/theirs.v2.json"), "theirs.v2: Theirs, Theirs PC");
  EXPECT_EQ(loaded(folder_.path() + "/mine.json"), "mine: Mine, Mine PC");
  EXPECT_EQ(loaded("ant"), "ant: Ant, Ant PC");
  // redbench's own are there from anywhere, and before those of the working directory.
  write("configs/devices/caches/core2_t7300.json", "Another");
  EXPECT_EQ(load_machine("core2_t7300").machine.name, "core2_t7300");
  EXPECT_NE(load_machine("core2_t7300").machine.title, "Another");
}

TEST_F(MachineLoading, SaysWhereAMistakeIs) {
  folder_.write("bad.json", R"({"title": "t"})");
  folder_.write("configs/devices/caches/bad.json", R"({"source": "s"})");
  fs::create_directories("configs/devices/caches/folder.json");
  EXPECT_EQ(usage_error([] { load_machine("bad.json"); }),
            "bad.json: $: the key `source` is missing: where the numbers come from");
  EXPECT_EQ(usage_error([] { load_machine("bad"); }),
            "configs/devices/caches/bad.json: $: the key `title` is missing: for readers");
  for (const char* none : {"folder", "zzzzzzzzz", "mine"})
    EXPECT_EQ(usage_error([&] { load_machine(none); }),
              std::string("no machine is called `") + none +
                  "`; there are `host` or `core2_t7300`, and files as ./mine.json");
  EXPECT_EQ(
      usage_error([] { load_machine("hots"); }),
      "no machine is called `hots`; there are `host` or `core2_t7300`, and files as ./mine.json; did you "
      "mean `host`?");
}

}  // namespace
}  // namespace redbench
