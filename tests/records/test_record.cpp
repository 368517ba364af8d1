// A record: what it takes from the plan, what it is known by, and its file, whatever a killed run leaves
// there.
#include "src/records/record.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <thread>

#include "src/build_facts.hpp"
#include "src/records/output_file.hpp"
#include "tests/fake_device.hpp"
#include "tests/record_support.hpp"
#include "tests/records/file_support.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

/// A GPU by its target alone.
class FakeGpu : public FakeDevice {
 public:
  FakeGpu() { facts_.name = "NVIDIA Fake"; }
  Target target() const override { return Target::cuda; }
};

struct Planned {
  Planned() {
    one.variant = find_variant("reduce/harris3");
    one.device = "cuda:3";
    one.input.n = 4096;
    one.input.type = Type::f32;
    one.input.op = Operator::max;
    one.input.seed = 77;
    one.input.axes = {{"values", "exact"}};
    one.parameters = {{"block", 128}};
    one.sizes.bytes_read = 1000;
    one.sizes.bytes_written = 20;
    one.footprint.chain = 9;
    one.footprint.scratch = {100, 300};
    LaunchFacts launch;
    launch.kernel = "tree";
    launch.grid = {.blocks = 11,
                   .threads = 64,
                   .shared_bytes = 512,
                   .cooperative = true,
                   .bytes_read = 700,
                   .bytes_written = 30};
    launch.registers = 25;
    launch.static_shared_bytes = 48;
    launch.local_bytes = 16;
    launch.resident_blocks = 5;
    launch.occupancy = 0.75;
    launch.limiter = "registers";
    one.footprint.launches = {launch};
    cell.problem = find_problem("reduce");
    cell.input = one.input;
  }
  Cell cell;
  Case one;
};

TEST(CaseRecord, EachFieldIsThatOfThePlan) {
  const Planned planned;
  const FakeGpu gpu;
  const Record record = case_record(planned.cell, planned.one, gpu, Mode::warm, Outcome::failed, "it was so");
  const Json expected{{"schema", record_schema},
                      {"session", 0},
                      {"key", planned.one.key()},
                      {"mode", "warm"},
                      {"seed", 77},
                      {"device", "cuda:3"},
                      {"hardware", "NVIDIA Fake"},
                      {"source_hash", planned.one.variant->code_hash},
                      {"measured_by", measured_by[std::size_t(Target::cuda)]},
                      {"measuring_hash", measuring_hash[std::size_t(Target::cuda)]},
                      {"built_by", build_facts.built_by[std::size_t(Target::cuda)]},
                      {"variant", "reduce/harris3"},
                      {"problem", "reduce"},
                      {"n", 4096},
                      {"type", "f32"},
                      {"operator", "max"},
                      {"axes", {{"values", "exact"}}},
                      {"parameters", {{"block", 128}}},
                      {"tuned", false},
                      {"outcome", "failed"},
                      {"reason", "it was so"},
                      {"bytes_read", 1000.0},
                      {"bytes_written", 20.0},
                      {"chain", 9},
                      {"scratch_bytes", 256 + 512},
                      {"library", false}};
  for (const auto& [field, value] : expected.items()) EXPECT_EQ(record[field], value) << field;
  for (const auto& [field, value] : record.items())
    EXPECT_TRUE(value.is_null() || field == "launches" || expected.contains(field))
        << field << " is to be tested";
  ASSERT_EQ(record["launches"].size(), 1u);
  const Json launch{{"kernel", "tree"},       {"blocks", 11},         {"threads", 64},
                    {"shared_bytes", 560},    {"cooperative", true},  {"registers", 25},
                    {"local_bytes", 16},      {"resident_blocks", 5}, {"occupancy", 0.75},
                    {"limiter", "registers"}, {"bytes_read", 700.0},  {"bytes_written", 30.0}};
  for (const auto& [field, value] : launch.items()) EXPECT_EQ(record["launches"][0][field], value) << field;
  for (const auto& [field, value] : record["launches"][0].items())
    EXPECT_TRUE(value.is_null() || launch.contains(field)) << field << " is to be tested";
}

TEST(CaseRecord, WhatIsNotKnownIsNull) {
  Planned planned;
  planned.one.footprint.chain = 0;
  planned.one.footprint.library_calls = {0};
  planned.one.footprint.launches[0].registers = 0;
  const FakeDevice host;
  const Record record = case_record(planned.cell, planned.one, host, Mode::cold, Outcome::passed);
  for (const char* field : {"chain", "reason", "kernel_file", "time_ns", "counters", "input_files"})
    EXPECT_TRUE(record[field].is_null()) << field;
  EXPECT_EQ(record["library"], true);
  EXPECT_TRUE(record["launches"][0]["registers"].is_null());
  EXPECT_TRUE(record["launches"][0]["local_bytes"].is_null()) << "the modelled compiler tells of none";
}

TEST(CaseRecord, TheExitCodeIsThatOfTheWorstOutcome) {
  const auto code = [](const std::vector<Outcome>& outcomes) {
    std::vector<Record> records;
    for (const Outcome outcome : outcomes) records.push_back({{"outcome", name_of(outcome)}});
    return exit_code_of(records);
  };
  EXPECT_EQ(code({Outcome::passed, Outcome::unsupported}), exit_fine);
  EXPECT_EQ(code({Outcome::failed, Outcome::passed}), exit_failed);
  EXPECT_EQ(code({Outcome::passed, Outcome::timeout}), exit_failed);
  EXPECT_EQ(code({Outcome::failed, Outcome::wrong, Outcome::timeout}), exit_wrong);
}

Record keyed(const std::string& key) {
  Record record = record_of("reduce/harris3", 16);
  record["key"] = key;
  return record;
}

TEST(Records, WhatIsAppendedIsThereAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/records.jsonl";
  RecordFile file(path, {keyed("a")});
  file.append(keyed("b"));
  const std::vector<Record> records = read_records(path);  // the file is still open
  EXPECT_EQ(records, (std::vector<Record>{keyed("a"), keyed("b")}));
}

TEST(Records, SamplesMayBeCountedAsTheyAreRead) {
  const TemporaryFolder folder;
  Record record = timed("reduce/a", 1024, 20, 10, 30);
  record["samples_ns"] = {{10, 20, 30}, {20, 20}};
  record["forks"] = 2;
  const std::string path = folder.write("records.jsonl", line_of(record) + '\n' + line_of(keyed("b")) + '\n');
  const std::vector<Record> records =
      read_records(path, nullptr, {.sessions = 1, .lists = SampleLists::counted});
  EXPECT_EQ(records[0]["samples_ns"], Json({3, 2}));
  EXPECT_EQ(records[1]["samples_ns"], Json()) << "it has no samples";
}

TEST(Records, ATornLastLineIsDropped) {
  const TemporaryFolder folder;
  const std::string whole = line_of(keyed("a")) + '\n', torn = line_of(keyed("b"));
  for (const std::size_t length : {std::size_t(1), torn.size() / 2, torn.size() - 1}) {
    const std::string path = folder.write("records.jsonl", whole + torn.substr(0, length));
    EXPECT_EQ(read_records(path).size(), 1u) << length << " bytes of the last line";
  }
  EXPECT_EQ(read_records(folder.write("records.jsonl", whole + torn)).size(), 2u)
      << "only its newline is missing";
  EXPECT_TRUE(read_records(folder.write("records.jsonl", "")).empty());
}

TEST(Records, AnyOtherBadLineIsNamed) {
  const TemporaryFolder folder;
  const std::string good = line_of(keyed("a")) + '\n';
  Record future = keyed("b"), incomplete = keyed("c"), odd = keyed("d");
  future["schema"] = record_schema + 1;
  incomplete.erase("mode");
  odd["outcome"] = "splendid";
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string("null"), line_of(future),
                                 line_of(incomplete), line_of(odd)}) {
    const std::string path = folder.write("records.jsonl", good + bad + '\n' + good);
    const std::string message = usage_error([&] { read_records(path); });
    EXPECT_NE(message.find("records.jsonl:2: "), std::string::npos) << message;
  }
  usage_error([&] { read_records(folder.path() + "/none.jsonl"); });
}

// Of two values the parser takes the last in silence; nesting without end took a frame of the stack for each
// level.
TEST(Records, AKeyTwiceAndNestingWithoutEndAreRefused) {
  const TemporaryFolder folder;
  const std::string good = line_of(keyed("a")), deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_EQ(read_records(folder.write("records.jsonl", '\n' + good + "\r\n \n\n")).size(), 1u)
      << "an empty line is none";
  for (const auto& [more, mistake] :
       {std::pair<std::string, std::string>(R"("outcome": "wrong", )",
                                            "records.jsonl:1: $.outcome: the key is there twice"),
        {R"("deep": )" + deep + ",", "is nested deeper than 64 levels"}}) {
    std::string line = good;
    line.insert(1, more);
    const std::string path = folder.write("records.jsonl", line + '\n' + good + '\n');
    NotRead others;
    EXPECT_EQ(read_records(path, &others).size(), 1u) << "it costs its own case";
    ASSERT_EQ(others.bad.size(), 1u) << mistake;
    EXPECT_EQ(others.bad[0].text, line);
    EXPECT_NE(others.bad[0].mistake.find(mistake), std::string::npos) << others.bad[0].mistake;
  }
}

TEST(Records, AreKnownByAllThatMakesThemComparable) {
  const std::string identity = record_identity(keyed("a"));
  for (const auto& [field, other] : {std::pair("key", Json("b")),
                                     {"mode", "warm"},
                                     {"source_hash", "abd"},
                                     {"measured_by", "abe"},
                                     {"built_by", "GNU 1.2.3"},
                                     {"input_files", {{"values", "ab"}}},
                                     {"seed", 2},
                                     {"device", "cuda:1"},
                                     {"hardware", "NVIDIA H100"}}) {
    Record changed = keyed("a");
    changed[field] = other;
    EXPECT_NE(record_identity(changed), identity) << field;
  }
  Record measured_again = keyed("a");
  measured_again["time_ns"] = 5;
  EXPECT_EQ(record_identity(measured_again), identity);
}

TEST(Records, ALineIsUtf8WhateverADyingProcessSaid) {
  EXPECT_EQ(line_of({{"b", "µs"}, {"a", "x\xFFy\n"}}), "{\"b\":\"µs\",\"a\":\"x\xEF\xBF\xBDy\\n\"}");
}

TEST(WriteFile, ReplacesWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder.write("table.csv", "old\n");
  const mode_t mask = ::umask(0022);
  write_file(path, "new\n");
  ::umask(mask);
  EXPECT_EQ(lines_of(path), std::vector<std::string>{"new"});
  EXPECT_EQ(int(std::filesystem::status(path).permissions()), 0644);
  std::filesystem::create_directory(folder.path() + "/taken");
  EXPECT_EQ(usage_error([&] { write_file(folder.path() + "/taken", "text"); }),
            folder.path() + "/taken: cannot be written: Is a directory");
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/taken.part"));
  usage_error([&] { write_file(folder.path() + "/none/table.csv", "text"); });
}

// The bug would be half of the new text in the place of the old.
TEST(WriteFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text", "old\n"), records = folder.path() + "/records.jsonl";
  RecordFile file(records, {});
  std::string of_text, of_record, of_output;
  {
    const FullDisk full;
    of_output = usage_error([&] { OutputFile("--csv", text).write("new\n"); });
    of_text = usage_error([&] { write_file(text, "new\n"); });
    of_record = message_of<std::runtime_error>([&] { file.append(keyed("a")); });
  }
  EXPECT_EQ(of_output, "--csv " + text + ": cannot be written: File too large");
  EXPECT_EQ(of_text, text + ": cannot be written: File too large");
  EXPECT_EQ(of_record, records + ": cannot be written: File too large");
  EXPECT_EQ(lines_of(text), std::vector<std::string>{"old"});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2) << "no part is left";
}

// A signal ends a write after a part of it, or before anything: the rest follows, once.
TEST(WriteAll, ContinuesAfterASignal) {
  struct sigaction before {
  }, nothing{};
  nothing.sa_handler = [](int) {};  // without SA_RESTART
  ASSERT_EQ(sigaction(SIGUSR1, &nothing, &before), 0);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::string text, read;
  for (int i = 0; text.size() < 300'000; ++i) text += std::to_string(i) + ' ';
  bool written = false;
  std::thread writer([&] {
    written = write_all(ends[1], text);
    ::close(ends[1]);
  });
  const int room = ::fcntl(ends[0], F_GETPIPE_SZ);
  for (int waiting = 0; waiting < room; ::ioctl(ends[0], FIONREAD, &waiting))
    std::this_thread::yield();  // until the writer waits in the middle of its text
  for (int i = 0; i < 20; ++i) {
    pthread_kill(writer.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::array<char, 50'000> part;
  for (ssize_t got; (got = ::read(ends[0], part.data(), part.size())) > 0;)
    read.append(part.data(), std::size_t(got));
  writer.join();
  ::close(ends[0]);
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(written);
  EXPECT_TRUE(read == text) << read.size();
}

TEST(WriteAll, AFullDeviceIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(write_all(full, "text"));
  EXPECT_TRUE(write_all(full, ""));
  ::close(full);
}

}  // namespace
}  // namespace redbench
