// The files that a config names: each is read when it must be, and one that has changed stops the run.
#include "src/run/input_files.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "tests/support.hpp"

namespace redbench {
namespace {

/// How often a file is opened.
class WatchedFile {
 public:
  explicit WatchedFile(const std::string& path) {
    // With the end of each reading, as two equal events in a row are told as one.
    EXPECT_GE(::inotify_add_watch(events_, path.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  ~WatchedFile() { ::close(events_); }
  WatchedFile(const WatchedFile&) = delete;
  WatchedFile& operator=(const WatchedFile&) = delete;

  /// Since it was last asked.
  int times_opened() const {
    alignas(inotify_event) std::array<char, 4096> events;
    int count = 0;
    for (ssize_t got; (got = ::read(events_, events.data(), events.size())) > 0;)
      for (ssize_t at = 0; at < got; at += ssize_t(sizeof(inotify_event)))  // of no name
        count += (reinterpret_cast<const inotify_event*>(events.data() + at)->mask & IN_OPEN) != 0;
    return count;
  }

 private:
  const int events_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

constexpr const char* digest_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* digest_of_abcd = "88d4266fd4e6338d13b845fcf289579d209c897823b9217da3e161936f031589";

class ReadInputFiles : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_.write("x.npy", "abc");
  const Json axes_{{"m", 4}, {"values", {{"file", path_}}}};
  const WatchedFile watched_{path_};
};

// The bug: inputs of gigabytes were read for each axis that names them, and again for each record.
TEST_F(ReadInputFiles, AreReadOnceForAsLongAsNobodyTouchesThem) {
  const Json named{{"file", path_}};
  const Experiment one{
      "", "multireduce", {}, {{"n", {1}}, {"values", {"uniform", named}}, {"labels", {named}}}};
  InputFiles files(std::vector<Experiment>{one, one});
  EXPECT_EQ(watched_.times_opened(), 1);
  EXPECT_EQ(files.digests(), (Json{{path_, digest_of_abc}}));
  files.check(axes_);
  EXPECT_EQ(watched_.times_opened(), 0);

  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the clock of files has ticks
  folder_.write("x.npy", "abc");
  EXPECT_EQ(watched_.times_opened(), 1) << "by the one who writes";
  files.check(axes_);
  EXPECT_EQ(watched_.times_opened(), 1) << "touched, it may have changed";
  files.check(axes_);
  EXPECT_EQ(watched_.times_opened(), 0);
}

TEST_F(ReadInputFiles, OfAnotherProcessAreReadWhenTheyAreNeeded) {
  InputFiles told(Json{{path_, digest_of_abc}, {"of no interest", "ab"}});
  EXPECT_EQ(watched_.times_opened(), 0);
  told.check({{"values", "uniform"}});
  EXPECT_EQ(watched_.times_opened(), 0);
  for (const int times : {1, 0}) {
    told.check(axes_);
    EXPECT_EQ(watched_.times_opened(), times);
  }
}

TEST_F(ReadInputFiles, ThatHaveChangedOrGoneAreRefused) {
  const Json named{{"file", path_}};
  const std::vector<Experiment> experiments{{"", "reduce", {}, {{"values", {named}}}}};
  InputFiles files(experiments);
  folder_.write("x.npy", "abcd");
  const std::string changed = path_ + ": changed since the run began: its SHA-256 is " + digest_of_abcd +
                              ", and was " + digest_of_abc;
  for (int times = 0; times < 2; ++times) EXPECT_EQ(usage_error([&] { files.check(axes_); }), changed);
  std::filesystem::remove(path_);
  const std::string gone = path_ + ": cannot be read: No such file or directory";
  EXPECT_EQ(usage_error([&] { files.check(axes_); }), gone);
  EXPECT_EQ(usage_error([&] { InputFiles{experiments}; }), gone);
}

}  // namespace
}  // namespace redbench
