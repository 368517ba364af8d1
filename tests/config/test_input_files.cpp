// The files that a config names: each is read when it must be, and one that has changed stops the run.
#include "src/config/input_files.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>

#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr const char* digest_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* digest_of_abcd = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589";

class ReadInputFiles : public testing::Test {
 protected:
  ReadInputFiles() {
    // With the end of each reading, as two equal events in a row are reported as one.
    EXPECT_GE(::inotify_add_watch(events_, path_.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~ReadInputFiles() override { ::close(events_); }
  /// How often the file was opened since this was last asked.
  int times_opened() const {
    alignas(inotify_event) std::array<char, 4096> events;
    int count = 0;
    for (ssize_t got; (got = ::read(events_, events.data(), events.size())) > 0;)
      for (ssize_t at = 0; at < got; at += ssize_t(sizeof(inotify_event)))  // of no name
        count += (reinterpret_cast<const inotify_event*>(events.data() + at)->mask & IN_OPEN) != 0;
    return count;
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.write("x.npy", "abc");
  const Json named_{{"file", path_}}, axes_{{"m", 4}, {"values", named_}};
  const std::vector<Experiment> experiments_{
      2, {"", "multireduce", {}, {{"n", {1}}, {"values", {"uniform", named_}}, {"labels", {named_}}}}};
  const int events_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

// The bug: inputs of gigabytes were read for each axis that names them, and again for each record.
TEST_F(ReadInputFiles, AreReadOnceForAsLongAsNobodyTouchesThem) {
  InputFiles files(experiments_);
  EXPECT_EQ(times_opened(), 1);
  EXPECT_EQ(files.digests(), (Json{{path_, digest_of_abc}}));
  EXPECT_EQ(files.digests_of(axes_), (Json{{"values", digest_of_abc}}));
  EXPECT_EQ(files.digests_of({{"m", 4}}), Json());
  files.check(axes_);
  EXPECT_EQ(times_opened(), 0);
  // Those of another process are read when they are needed.
  InputFiles parsed(Json{{path_, digest_of_abc}, {"of no interest", "ab"}});
  for (const int times : {1, 0}) {
    parsed.check(axes_);
    EXPECT_EQ(times_opened(), times);
  }
}

TEST_F(ReadInputFiles, ThatHaveChangedOrGoneAreRefused) {
  InputFiles files(experiments_);
  folder_.write("x.npy", "abcd");
  const std::string changed = path_ + ": changed since the run began: its SHA-256 is " + digest_of_abcd +
                              ", and was " + digest_of_abc;
  for (int times = 0; times < 2; ++times) EXPECT_EQ(usage_error([&] { files.check(axes_); }), changed);
  std::filesystem::remove(path_);
  const std::string gone = path_ + ": cannot be read: No such file or directory";
  EXPECT_EQ(usage_error([&] { files.check(axes_); }), gone);
  EXPECT_EQ(usage_error([&] { InputFiles{experiments_}; }), gone);
}

}  // namespace
}  // namespace redbench
