// Files of records as the system has them: descriptors, writes that are cut short, folders of runs.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/record.hpp"
#include "src/records/write_all.hpp"
#include "tests/record_support.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

/// While it lives standard input is closed, so that the next file has its number, 0.
class WithoutStandardInput {
 public:
  WithoutStandardInput() : input_(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10)) { ::close(STDIN_FILENO); }
  WithoutStandardInput(const WithoutStandardInput&) = delete;
  ~WithoutStandardInput() {
    if (input_ < 0) return;
    ::dup2(input_, STDIN_FILENO);
    ::close(input_);
  }

 private:
  int input_;
};

std::size_t open_files() { return std::size_t(std::distance(fs::directory_iterator("/proc/self/fd"), {})); }

TEST(FilesOfRecords, OfEveryKindMayHaveTheNumberOfStandardInput) {
  const TemporaryFolder folder;
  const std::string records = folder.path() + "/records.jsonl", text = folder.path() + "/text",
                    table = folder.path() + "/table";
  const Record one = record_of("reduce/harris3", 16), other = record_of("reduce/harris3", 32);
  {
    const WithoutStandardInput closed;
    write_file(text, "written\n");
    OutputFile("--csv", table).write("a,b\n");
    RecordFile file(records, {one});
    file.append(other);
    EXPECT_GE(::fcntl(STDIN_FILENO, F_GETFD), 0) << "the records have its number";
  }
  EXPECT_THAT(lines_of(text), ElementsAre("written"));
  EXPECT_THAT(lines_of(table), ElementsAre("a,b"));
  EXPECT_EQ(read_records(records), (std::vector<Record>{one, other}));
}

TEST(FilesOfRecords, AreClosed) {
  const TemporaryFolder folder;
  const std::size_t before = open_files();
  {
    RecordFile file(folder.path() + "/records.jsonl", {});
    EXPECT_EQ(open_files(), before + 1);
  }
  write_file(folder.path() + "/text", "text");
  OutputFile("--csv", folder.path() + "/table").write("text");
  OutputFile("--csv", "/dev/null").write("text");
  EXPECT_EQ(open_files(), before);
}

TEST(FilesOfRecords, WhatCannotBeOpenedIsNamed) {
  const TemporaryFolder folder;
  EXPECT_EQ(usage_error([&] { RecordFile(folder.path() + "/none/records.jsonl", {}); }),
            folder.path() + "/none/records.jsonl: cannot be written: No such file or directory");
}

// A signal ends a write after a part of it, or before anything: the rest follows, once.
TEST(WriteAll, WhatASignalCutsShortIsWrittenOn) {
  struct sigaction before {
  }, nothing{};
  nothing.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &nothing, &before), 0);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::string text, read;
  for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i) + ' ';
  std::atomic<bool> done = false;
  bool written = false;
  std::thread writer([&] {
    written = write_all(ends[1], text);
    ::close(ends[1]);
    done = true;
  });
  std::vector<char> part(50'000);
  const int room = ::fcntl(ends[0], F_GETPIPE_SZ);
  int waiting = 0;
  while (!done && waiting < room) {  // until the writer waits in the middle of its text
    std::this_thread::yield();
    ::ioctl(ends[0], FIONREAD, &waiting);
  }
  for (int i = 0; i < 20 && !done; ++i) {
    pthread_kill(writer.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (ssize_t got; (got = ::read(ends[0], part.data(), part.size())) > 0;)
    read.append(part.data(), std::size_t(got));
  writer.join();
  ::close(ends[0]);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(written);
  EXPECT_EQ(read.size(), text.size());
  EXPECT_TRUE(read == text);
}

// The bug: the last byte was written again and again.
TEST(WriteAll, OneByteIsEnough) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ::alarm(60);  // ends this program where the pipe is full
  EXPECT_TRUE(write_all(ends[1], "x"));
  ::alarm(0);
  std::array<char, 4> bytes{};
  EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), 1);
  EXPECT_EQ(bytes[0], 'x');
  for (const int end : ends) ::close(end);
}

TEST(WriteAll, AFullDeviceIsNoEnd) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(write_all(full, "text"));
  EXPECT_TRUE(write_all(full, ""));
  ::close(full);
}

TEST(OutputFiles, ANewOneIsReadableByTheMasksLeave) {
  const TemporaryFolder folder;
  for (const auto& [mask, mode] : {std::pair<mode_t, int>(0022, 0644), {0, 0666}, {0077, 0600}}) {
    const mode_t before = ::umask(mask);
    const std::string path = fmt::format("{}/{:o}", folder.path(), mask);
    OutputFile("--csv", path).write("text");
    EXPECT_EQ(::umask(before), mask) << "as it was";
    EXPECT_EQ(int(fs::status(path).permissions()), mode) << mask;
  }
}

// Between the check and the end of a run a folder may have come there.
TEST(OutputFiles, WhatCannotBeReplacedLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/table.csv";
  const OutputFile file("--csv", path);
  folder.write("table.csv/mine", "kept");
  EXPECT_EQ(usage_error([&] { file.write("text"); }),
            "--csv " + path + ": cannot be written: Is a directory");
  std::vector<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
    left.push_back(entry.path().filename());
  EXPECT_THAT(left, ElementsAre("table.csv"));
  const OutputFile gone("--md", folder.path() + "/table.csv/new.md");
  fs::remove_all(path);
  EXPECT_EQ(usage_error([&] { gone.write("text"); }),
            "--md " + path + "/new.md: cannot be written: No such file or directory");
}

/// While it lives no file may grow, as on a disk that is full.
class FullDisk {
 public:
  FullDisk() : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit nothing{0, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &nothing);
  }
  FullDisk(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit limit_;
  sighandler_t handler_;
};

// The bug would be a half of the new text in the old one's place.
TEST(FilesOfRecords, ThatCannotBeWrittenWholeStayAsTheyWere) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "old\n"), table = folder.write("table", "old\n"),
                    records = folder.path() + "/records.jsonl";
  RecordFile file(records, {});
  std::string of_text, of_table, of_record;
  {
    const FullDisk full;
    of_text = usage_error([&] { write_file(text, "new\n"); });
    of_table = usage_error([&] { OutputFile("--csv", table).write("new\n"); });
    of_record = message_of<std::runtime_error>([&] { file.append(record_of("reduce/harris3")); });
  }
  EXPECT_EQ(of_text, text + ": cannot be written: File too large");
  EXPECT_EQ(of_table, "--csv " + table + ": cannot be written: File too large");
  EXPECT_EQ(of_record, records + ": cannot be written: File too large");
  EXPECT_THAT(lines_of(text), ElementsAre("old"));
  EXPECT_THAT(lines_of(table), ElementsAre("old"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3) << "no part is left";
}

// As many links as Linux follows, and one more.
TEST(OutputFiles, FortyLinksAreFollowed) {
  const TemporaryFolder folder;
  const std::string target = folder.write("table.csv", "old");
  const auto link = [&](int number) { return folder.path() + "/" + std::to_string(number); };
  fs::create_symlink("table.csv", link(40));
  for (int i = 40; i-- > 0;) fs::create_symlink(std::to_string(i + 1), link(i));
  OutputFile("--csv", link(1)).write("new");
  EXPECT_THAT(lines_of(target), ElementsAre("new"));
  for (int i = 0; i <= 40; ++i) EXPECT_TRUE(fs::is_symlink(link(i))) << i;
  OutputFile("--csv", link(0)).write("newer");
  EXPECT_THAT(lines_of(target), ElementsAre("new")) << "41 of them lead nowhere";
}

TEST(OutputFiles, ADescriptorHasUpToSixDigits) {
  for (const char* number : {"9999", "999999"})
    EXPECT_EQ(usage_error([&] { OutputFile("--csv", std::string("/proc/self/fd/") + number); }),
              std::string("--csv /proc/self/fd/") + number +
                  ": cannot be written: nothing is open for writing under that number");
}

// Another program's run.json is no leave to replace what is beside it.
TEST(FoldersOfRuns, OneOfAnotherProgramStays) {
  for (const char* text :
       {"", "[]", "7", "{", R"({"schema": 1})", R"({"config": {}})", R"(["schema", "config"])"}) {
    const TemporaryFolder root;
    const std::string path = root.path() + "/out", file = root.write("out/run.json", text);
    EXPECT_EQ(usage_error([&] { OutputFolder folder(path); }),
              file + ": not redbench's, so the folder stays as it is; choose another folder with --out")
        << text;
    EXPECT_EQ(fs::file_size(file), std::string_view(text).size());
  }
  const TemporaryFolder root;
  root.write("out/run.json", R"({"schema": 1, "config": {}})");
  EXPECT_TRUE(OutputFolder(root.path() + "/out").has_run());
}

TEST(FoldersOfRuns, AFileOfTheirNameIsInTheWay) {
  const TemporaryFolder root;
  root.write("taken", "text");
  for (const char* below : {"taken", "taken/out"})
    EXPECT_EQ(
        usage_error([&] { OutputFolder folder(root.path() + "/" + below); }),
        root.path() + "/" + below + ": cannot be made: Not a directory; choose another folder with --out");
}

TEST(FoldersOfRuns, AreFoundInTheOrderOfTheirNames) {
  const TemporaryFolder root;
  std::vector<std::string> expected;
  for (const char* name : {"d/2", "a", "h", "d/1", "g", "b/x/y", "f", "e", "c"})
    root.write(std::string(name) + "/records.jsonl", "");
  root.write("i/run.json", "{}");  // no records
  for (const char* name : {"a", "b/x/y", "c", "d/1", "d/2", "e", "f", "g", "h"})
    expected.push_back(root.path() + "/" + name);
  EXPECT_EQ(runs_below(root.path()), expected);
  EXPECT_EQ(runs_below(root.path() + "/d"), (std::vector<std::string>{expected[3], expected[4]}));
  EXPECT_EQ(runs_below(root.path() + "/a"), std::vector<std::string>{expected[0]});
  EXPECT_EQ(usage_error([&] { runs_below(root.path() + "/i"); }),
            root.path() + "/i: no run here or below (records.jsonl)");
  EXPECT_EQ(usage_error([&] { runs_below(root.path() + "/j"); }),
            root.path() + "/j: no such folder; `redbench run` makes results/");
}

// Records of older programs have no number of their case: they come with the first.
TEST(FoldersOfRuns, RecordsWithoutANumberComeFirst) {
  const auto numbered = [](const char* key, const Json& number, const char* mode = "cold") {
    Record record = record_of("reduce/harris3", 16);
    record["key"] = key;
    record["case"] = number;
    record["mode"] = mode;
    return record;
  };
  const Record second = numbered("second", 1), none = numbered("none", nullptr), first = numbered("first", 0),
               other = numbered("other", nullptr), warm = numbered("none", nullptr, "warm");
  EXPECT_EQ(in_plan_order({second, warm, none, first, other}),
            (std::vector<Record>{none, first, other, warm, second}));
}

}  // namespace
}  // namespace redbench
