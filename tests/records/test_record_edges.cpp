// Records and files of output at their edges: the whole of what is said, what a moved file keeps, whom a
// folder belongs to.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "src/records/output_file.hpp"
#include "src/records/write_all.hpp"
#include "tests/record_support.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

TEST(RecordEdges, EveryContradictionIsToldWhole) {
  const Record good = timed("reduce/harris3", 1024, 200, 190, 210);
  const auto mistake = [&](const Json& changes) {
    Record changed = good;
    changed.update(changes);
    return mistake_in(changed);
  };
  const Json none = nullptr;
  for (const auto& [changes, said] : std::vector<std::pair<Json, std::string>>{
           {{{"n", 1024}}, ""},
           {{{"time_ns", 195.0}}, "time_ns: 195 contradicts samples_ns, from which 200 follows"},
           {{{"time_ns", none}}, "time_ns: missing, though there are samples_ns"},
           {{{"time_ns", none}, {"samples_ns", none}},
            "time_ns: null is not within its interval, 190.0 to 210.0"},
           {{{"time_low_ns", 201.0}}, "time_ns: 200.0 is not within its interval, 201.0 to 210.0"},
           {{{"time_high_ns", 199.0}}, "time_ns: 200.0 is not within its interval, 190.0 to 199.0"},
           {{{"time_low_ns", 200.0}, {"time_high_ns", 200.0}}, ""},
           {{{"time_low_ns", none}}, "time_low_ns, time_high_ns: one of the two is missing"},
           {{{"time_high_ns", none}}, "time_low_ns, time_high_ns: one of the two is missing"},
           {{{"time_low_ns", none}, {"time_high_ns", none}}, ""},
           {{{"forks", 99}}, "forks: 99 contradicts samples_ns, from which 1 follows"},
           {{{"samples_ns", Json::array()}}, "samples_ns: one fork at least is expected"},
           {{{"samples_ns", Json::parse("[[190, 200, 210], []]")}},
            "samples_ns[1]: a list of numbers is expected, not []"},
           {{{"samples_ns", Json::parse("[[200], {\"a\": 200}]")}},
            "samples_ns[1]: a list of numbers is expected, not {\"a\":200}"},
           {{{"samples_ns", Json::parse(R"([[190, "200", 210]])")}},
            "samples_ns[0]: a finite number from 0 is expected, not \"200\""},
           {{{"samples_ns", Json::parse("[[200], [200, -200]]")}},
            "samples_ns[1]: a finite number from 0 is expected, not -200"},
           {{{"bandwidth_gb_per_s", 20.6}},
            "bandwidth_gb_per_s: 20.6 contradicts bytes_read, bytes_written and time_ns, from which 20.5 "
            "follows"},
           {{{"ns_per_input", 0.25}},
            "ns_per_input: 0.25 contradicts time_ns and n, from which 0.1953125 "
            "follows"},
           {{{"n", 0}}, ""},  // nothing is of each input
           {{{"percent_of_ceiling", 500.0}, {"above_ceiling", false}},
            "above_ceiling: false contradicts percent_of_ceiling, 500.0"},
           {{{"axes", {{"values", {1, 2}}}}}, "axes.values: one value is expected, not [1,2]"},
           {{{"parameters", {{"block", Json::array()}}}}, "parameters.block: one value is expected, not []"},
           {{{"time_ns", std::string(39, 'x')}},
            "time_ns: a finite number from 0 is expected, not \"" + std::string(39, 'x') + "..."},
           {{{"launches", {{{"blokcs", 1}}}}}, "launches[0].blokcs: no such field; did you mean `blocks`?"},
           {{{"launches", {7}}}, "launches[0]: an object is expected, not 7"},
           {{{"counters", {{"branchs", 1}}}}, "counters.branchs: no such field; did you mean `branches`?"}})
    EXPECT_EQ(mistake(changes), said) << changes;
  Record launches = good;
  launches["launches"] = {launch_of(3), launch_of(2)};
  EXPECT_EQ(mistake_in(launches), "");
  launches["launches"][0]["blocks"] = -3;
  EXPECT_EQ(mistake_in(launches), "launches[0].blocks: a whole number from 0 is expected, not -3");
  launches["launches"][0].erase("blocks");
  EXPECT_EQ(mistake_in(launches), "launches[0].blocks: missing");
}

// A billionth is left to the last digits.
TEST(RecordEdges, NumbersAgreeButForTheLastDigits) {
  Record record = timed("reduce/harris3", 1024, 200, 190, 210);
  for (const auto& [factor, agrees] :
       {std::pair(1 + 0.9e-9, true), {1 - 0.9e-9, true}, {1 + 1.1e-9, false}, {1 - 1.1e-9, false}}) {
    record["bandwidth_gb_per_s"] = 20.5 * factor;
    EXPECT_EQ(mistake_in(record).empty(), agrees) << factor - 1;
  }
}

TEST(RecordEdges, ALineKeepsItsLettersAndNoOtherBytes) {
  EXPECT_EQ(line_of({{"b", "µs"}, {"a", "x\xFFy\n"}}), "{\"b\":\"µs\",\"a\":\"x\xEF\xBF\xBDy\\n\"}");
}

std::size_t open_files() { return std::size_t(std::distance(fs::directory_iterator("/proc/self/fd"), {})); }

// A descriptor is written into where it stands, and stays open when the file that means it ends.
TEST(OutputFileEdges, ADescriptorIsCopiedAndTheCopyIsClosedOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.write("all", "");
  const int file = ::open(path.c_str(), O_WRONLY);  // as one that has come through an exec
  ASSERT_GE(file, 0);
  ASSERT_TRUE(write_all(file, "before\n"));
  const std::size_t before = open_files();
  {
    OutputFile first("--csv", "/proc/self/fd/" + std::to_string(file));
    EXPECT_EQ(open_files(), before + 1);
    first.write("one\n");
    const OutputFile second(std::move(first));
    EXPECT_EQ(open_files(), before + 1);
    second.write("two\n");
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(write_all(file, "after\n"));
  ::close(file);
  EXPECT_THAT(lines_of(path), ElementsAre("before", "one", "two", "after"));
  const int reading = ::open(path.c_str(), O_RDONLY);
  const std::string of_reading = "/proc/self/fd/" + std::to_string(reading);
  EXPECT_EQ(usage_error([&] { OutputFile("--csv", of_reading); }),
            "--csv " + of_reading + ": cannot be written: nothing is open for writing under that number");
  ::close(reading);
}

// A number of seven digits is none of a descriptor, and so is no text.
TEST(OutputFileEdges, WhatNamesNoDescriptorIsAFileBesideThem) {
  for (const char* name : {"1234567", "99999999999", "1x", "x"}) {
    const std::string path = std::string("/proc/self/fd/") + name;
    const std::string said = usage_error([&] { OutputFile("--csv", path).write("text"); });
    EXPECT_EQ(said.find("--csv " + path + ": cannot be written: "), 0u) << said;
    EXPECT_EQ(said.find("under that number"), std::string::npos) << said;
  }
  EXPECT_EQ(usage_error([] { OutputFile("--md", "/proc/self/fd/"); }),
            "--md /proc/self/fd/: cannot be written: it is a folder");
  EXPECT_EQ(usage_error([] { OutputFile("--md", "-"); }),
            "--md -: cannot be written: /dev/stdout is standard output, ./- a file of that name");
}

// A folder that a run makes is there when its table is written, and so are those above it.
TEST(OutputFileEdges, AFolderThatIsPromisedNeedNotBeThere) {
  const TemporaryFolder folder;
  const std::string promised = folder.path() + "/out/run";
  const auto refusal = [&](const std::string& path, const std::string& of) {
    try {
      OutputFile("--csv", folder.path() + path, of);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto missing = [&](const std::string& path, const std::string& of) {
    return "--csv " + folder.path() + path + ": cannot be written: there is no folder " + folder.path() + of;
  };
  EXPECT_EQ(refusal("/out/run/x.csv", promised), "");
  EXPECT_EQ(refusal("/out/x.csv", promised), "");
  EXPECT_EQ(refusal("/out/run/x.csv", promised + "/"), "");
  EXPECT_EQ(refusal("/out/run/tables/x.csv", promised), missing("/out/run/tables/x.csv", "/out/run/tables"));
  EXPECT_EQ(refusal("/other/x.csv", promised), missing("/other/x.csv", "/other"));
  EXPECT_EQ(refusal("/out/x.csv", ""), missing("/out/x.csv", "/out"));
  EXPECT_EQ(refusal("/x.csv", ""), "");
  EXPECT_FALSE(fs::exists(folder.path() + "/out")) << "nothing is made";
}

TEST(OutputFileEdges, JsonAndMarkdownAreTwoFiles) {
  const TemporaryFolder folder;
  const std::string json = folder.path() + "/a.json", markdown = folder.path() + "/a.md";
  const auto written = [&](const std::string& json_path, const std::string& markdown_path) {
    std::vector<std::string> texts;
    for (const auto& [file, text] : json_and_markdown(json_path, "{}", markdown_path, "# A")) {
      file.write(text + "\n");
      texts.push_back(text);
    }
    return texts;
  };
  EXPECT_THAT(written("", ""), ElementsAre());
  EXPECT_THAT(written(json, ""), ElementsAre("{}"));
  EXPECT_THAT(written("", markdown), ElementsAre("# A"));
  EXPECT_THAT(written(json, markdown), ElementsAre("{}", "# A"));
  EXPECT_THAT(lines_of(json), ElementsAre("{}"));
  EXPECT_THAT(lines_of(markdown), ElementsAre("# A"));
  const std::string same = folder.path() + "/./a.json";
  EXPECT_EQ(usage_error([&] { written(json, same); }),
            "--md " + same + ": cannot be written: it is the file of --json");
  EXPECT_EQ(usage_error([&] { written(folder.path(), ""); }),
            "--json " + folder.path() + ": cannot be written: it is a folder");
}

// A file is the same by whatever name, there or not; a device is nobody's own.
TEST(OutputFileEdges, AFileIsKnownByAllItsNames) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.csv", "old"), there = folder.path() + "/";
  fs::create_hard_link(file, there + "twin.csv");
  fs::create_symlink("a.csv", there + "link.csv");
  fs::create_symlink("later.csv", there + "dangling.csv");
  const auto refusal = [&](const std::string& output, const std::string& other) {
    try {
      OutputFile("--csv", output).check_is_not(other, "the config");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string same = ": cannot be written: it is the config";
  for (const char* name : {"a.csv", "twin.csv", "link.csv", "./a.csv"})
    EXPECT_EQ(refusal(there + name, file), "--csv " + there + name + same);
  EXPECT_EQ(refusal(file, there + "link.csv"), "--csv " + file + same);
  EXPECT_EQ(refusal(there + "dangling.csv", there + "./later.csv"), "--csv " + there + "dangling.csv" + same);
  EXPECT_EQ(refusal(there + "later.csv", there + "dangling.csv"), "--csv " + there + "later.csv" + same);
  EXPECT_EQ(refusal(there + "b.csv", file), "");
  EXPECT_EQ(refusal(file, there + "b.csv"), "");
  EXPECT_EQ(refusal("/dev/null", "/dev/null"), "") << "into which both may be written";
}

/// What `f` says in that folder, in a process without rights beyond its user's; empty where the system lets
/// none be made.
template <class F>
std::string as_nobody(const std::string& folder, const F& f) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::chdir(folder.c_str()) != 0) ::_exit(1);  // what is above it may be closed to nobody
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) ::_exit(1);
    const std::string text = f();
    ::_exit(::write(ends[1], text.data(), text.size()) == ssize_t(text.size()) ? 0 : 2);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 1024> part{};
  for (ssize_t count; (count = ::read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), std::size_t(count));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST(OutputFileEdges, WhatMayNotBeWrittenIsRefusedBeforeARun) {
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms(0755));
  const auto make = [&](const std::string& name, int of_folder, int of_file) {
    const std::string path = folder.write(name + "/there.csv", "old");
    fs::permissions(path, fs::perms(of_file));
    fs::permissions(folder.path() + "/" + name, fs::perms(of_folder));
  };
  make("open", 0777, 0444);
  make("closed", 0555, 0666);
  make("free", 0777, 0666);
  const std::string said = as_nobody(folder.path(), [&] {
    std::string all;
    for (const char* path : {"open/there.csv", "open/new.csv", "closed/there.csv", "closed/new.csv",
                             "free/there.csv", "free/new.csv"}) {
      all += std::string(path) + ": ";
      try {
        OutputFile("--csv", path);
        all += "may be\n";
      } catch (const UsageError& error) {
        const std::string_view text = error.what();
        all += std::string(text.substr(text.rfind(':') + 2)) + "\n";
      }
    }
    return all;
  });
  fs::permissions(folder.path() + "/closed", fs::perms(0777));  // or nobody but the superuser removes it
  if (said.empty()) GTEST_SKIP() << "this system lets no process give up its rights";
  EXPECT_EQ(said,
            "open/there.csv: Permission denied\n"
            "open/new.csv: may be\n"
            "closed/there.csv: Permission denied\n"
            "closed/new.csv: Permission denied\n"
            "free/there.csv: may be\n"
            "free/new.csv: may be\n");
}

}  // namespace
}  // namespace redbench
