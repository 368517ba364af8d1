// A worker whose parent has ended, or does not listen: it does nothing for nobody.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "src/run/worker.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

class WorkersParent : public testing::Test {
 protected:
  /// The work and one task of it.
  std::string told() const {
    const Work work = make_work({.kind = Job::Kind::profile,
                                 .request = {.config = folder_.write("config.json", config_text("[10]")),
                                             .device = "simt:gtx480",
                                             .overrides = {}}});
    return to_json(work).dump() + '\n' + Json{{"cell", 0}, {"wanted", {{1, 0}}}, {"fork", 0}}.dump() + '\n';
  }
  std::size_t answers() const { return lines_of(folder_.path() + "/answers").size(); }

  TemporaryFolder folder_;
};

// Death is no signal to a process that comes to life after it, but closes its input, whatever that still
// holds.
TEST_F(WorkersParent, IsNotWorkedForWhereItHasEnded) {
  const std::string text = told();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), ssize_t(text.size()));
  ::close(ends[1]);
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  ::dup2(ends[0], STDIN_FILENO);
  const Answer answer = redbench("worker 3> answers", folder_.path());
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  else ::close(STDIN_FILENO);
  for (const int descriptor : {input, ends[0]}) ::close(descriptor);
  EXPECT_EQ(answer.exit_code, exit_failed);
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(answers(), 0u);
}

TEST_F(WorkersParent, IsNotWorkedForWhereItSaysOrHearsNothing) {
  folder_.write("told", told());
  const auto ends_with = [&](const std::string& streams, int code) {
    const Answer answer = redbench("worker " + streams, folder_.path());
    EXPECT_EQ(answer.exit_code, code) << streams;
    EXPECT_EQ(answer.text, "") << streams;
  };
  ends_with("< /dev/null 3> answers", exit_failed);
  EXPECT_EQ(answers(), 0u);
  ends_with("< told 3>&-", exit_failed);
  ends_with("< told 3> /dev/full", exit_failed);
  ends_with("< told 3> answers", exit_fine);
  EXPECT_GT(answers(), 4u) << "up, ready, running, a record, done";
}

}  // namespace
}  // namespace redbench
