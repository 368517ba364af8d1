// The child's side of the work: what a worker answers to each task, and that it ends with its parent.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "src/run/worker.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using Lines = std::vector<std::string>;

Json task(std::size_t cell, const std::vector<std::pair<int, Mode>>& wanted, std::size_t fork = 0) {
  Json pairs = Json::array();
  for (const auto& [number, mode] : wanted) pairs.push_back({number, mode_names[std::size_t(mode)]});
  return {{"cell", cell}, {"missing", pairs}, {"fork", fork}};
}

/// "record 0 cold KEY cold passed whole" of a record with its case and mode, else the message.
std::string text_of(const Json& message) {
  if (!message.contains("record")) return message.dump();
  const Json& record = message["record"];
  return "record " + message["number"].dump() + " " + message["mode"].get<std::string>() + " " +
         record["key"].get<std::string>() + " " + record["mode"].get<std::string>() + " " +
         record["outcome"].get<std::string>() + (record.size() > 5 ? " whole" : "");
}
bool is_record(const std::string& text) { return text.starts_with("record"); }

class ServingWorker : public testing::Test {
 protected:
  Work work(const Json& config, Job::Kind kind = Job::Kind::run, const std::string& device = "simt:gtx480") {
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("config.json", config.dump()), .device = device}});
  }
  /// What a worker that is sent all of this at once answers.
  Lines answers(const Json& work, const std::vector<Json>& tasks) {
    std::string lines = work.dump() + '\n';
    for (const Json& task : tasks) lines += task.dump() + '\n';
    folder_.write("sent", lines);
    const Answer answer = redbench("worker < sent 3> answers", folder_.path());
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    EXPECT_EQ(answer.text, "");
    Lines texts;
    for (const std::string& line : lines_of(folder_.path() + "/answers"))
      texts.push_back(text_of(Json::parse(line)));
    return texts;
  }
  /// It may be idle with this and that.
  static Lines without_repeats(Lines texts) {
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }

  TemporaryFolder folder_;
};

TEST_F(ServingWorker, DoesWhatIsWantedOfEachCellAndNoMore) {
  Json config = Json::parse(config_text("[10, 20]"));
  config["experiments"][0]["variants"] = {"harris1", "harris3", "cpu_serial"};
  config["measure"] = {{"max_samples", 10}, {"min_samples", 10}, {"mode", {"warm", "cold"}}};
  const Json of = to_json(work(config));
  const std::string rest = " type=i32 operator=sum values=uniform";
  Lines records = answers(of, {task(1, {{1, Mode::warm}}), task(0, {{0, Mode::warm}, {2, Mode::warm}})});
  std::erase_if(records,
                [](const std::string& text) { return !is_record(text) && text.find("done") == text.npos; });
  EXPECT_THAT(
      records,
      ElementsAre("record 1 warm reduce/harris3 n=20" + rest + " block=256 warm passed whole", "{\"done\":1}",
                  "record 0 warm reduce/harris1 n=10" + rest + " block=256 warm passed whole",
                  "record 2 warm reduce/cpu_serial n=10" + rest + " warm passed whole", "{\"done\":0}"));
  // It says which case runs before that does, and that none does between what it runs and what it checks.
  EXPECT_THAT(without_repeats(answers(of, {task(1, {{1, Mode::warm}})})),
              ElementsAre("{\"up\":true}", "{\"ready\":true}", "{\"alive\":true}", "{\"running\":1}",
                          "{\"alive\":true}",
                          "record 1 warm reduce/harris3 n=20" + rest + " block=256 warm passed whole",
                          "{\"done\":1}"));
}

// The bug: each process judged a cell on other values again. A maximum is planted in one place after the
// other.
TEST_F(ServingWorker, JudgesOnOtherValuesInTheFirstForkAlone) {
  Json config = Json::parse(config_text("[10]"));
  config["experiments"][0]["variants"] = "cpu_serial";
  config["experiments"][0]["axes"]["operator"] = "max";
  config["measure"] = {{"max_samples", 10}, {"min_samples", 10}, {"mode", "warm"}, {"timeout_s", 600}};
  const Json of = to_json(work(config, Job::Kind::run, "host"));
  const auto runs_in = [&](std::size_t fork) {
    const Lines texts = answers(of, {task(0, {{0, Mode::warm}}, fork)});
    EXPECT_EQ(texts.back(), "{\"done\":0}");
    return std::count(texts.begin(), texts.end(), "{\"running\":0}");
  };
  EXPECT_GT(runs_in(0), runs_in(1) + 2);
}

// A battery has so many cases that their outcomes alone are sent; each cell runs under its own schedule.
TEST_F(ServingWorker, SendsOfABatteryItsOutcomes) {
  const Work of =
      make_work({.kind = Job::Kind::verify,
                 .request = {.device = "simt:gtx480", .overrides = {.variants = "^reduce/harris3$"}},
                 .schedules = 2,
                 .breadth = Breadth::small});
  ASSERT_EQ(of.schedule_seeds.at(1), 1u);
  EXPECT_THAT(
      without_repeats(answers(to_json(of), {task(1, {{0, Mode::cold}})})),
      ElementsAre("{\"up\":true}", "{\"ready\":true}", "{\"alive\":true}", "{\"running\":0}",
                  "{\"alive\":true}", "record 0 cold " + of.plan.cells.at(1).cases[0].key() + " cold passed",
                  "{\"done\":1}"));
}

// The bug: it read and ran what was to be refused.
TEST_F(ServingWorker, RefusesAnInputThatIsNotWhatItWas) {
  const std::string input = folder_.write("x.npy", npy_of<std::int32_t>("<i4", {7, 8, 9}));
  Json of = to_json(work(Json::parse(config_text("[3]", R"(, "values": {"file": "x.npy"})"))));
  const std::string digest = of["inputs"][input];
  of["inputs"][input] = "another";
  EXPECT_THAT(answers(of, {task(0, {{0, Mode::cold}})}),
              ElementsAre("{\"up\":true}", "{\"ready\":true}",
                          Json{{"refused", input + ": changed since the run began: its SHA-256 is " + digest +
                                               ", and was another"}}
                              .dump()));
}

// Values that changed as they were read, or after, are no result's: records come when all cases have run.
TEST_F(ServingWorker, RefusesARecordOfAnInputThatHasChangedMeanwhile) {
  const std::string input =
      folder_.write("x.npy", npy_of<std::int32_t>("<i4", std::vector<std::int32_t>(200000, 3)));
  Json config = Json::parse(config_text("[200000]", R"(, "values": {"file": "x.npy"})"));
  config["experiments"][0]["axes"]["block"] = {32, 64, 128, 256, 512};
  const Json of = to_json(work(config));
  std::vector<std::pair<int, Mode>> all;
  for (int i = 0; i < 10; ++i) all.emplace_back(i, Mode::cold);
  for (const char* name : {"sent", "answers"})
    ASSERT_EQ(::mkfifo((folder_.path() + "/" + name).c_str(), 0600), 0);
  const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t worker = start(REDBENCH_BINARY, "worker < sent 3> answers", nothing, folder_.path());
  ::close(nothing);
  std::string last;
  {
    std::ofstream to(folder_.path() + "/sent");
    std::ifstream from(folder_.path() + "/answers");
    to << of.dump() << '\n' << task(0, all).dump() << std::endl;
    bool changed = false;
    for (std::string line; !last.starts_with("{\"refused") && std::getline(from, line);) {
      last = text_of(Json::parse(line));
      EXPECT_FALSE(is_record(last));
      if (!last.starts_with("{\"running\"") || std::exchange(changed, true)) continue;
      ::kill(worker, SIGSTOP);
      folder_.write("x.npy", "changed");
      ::kill(worker, SIGCONT);
    }
  }
  EXPECT_TRUE(last.starts_with("{\"refused\":\"" + input + ": changed since the run began: ")) << last;
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
}

// The bug: it went on with a kernel that nobody wanted any more.
TEST_F(ServingWorker, EndsWithItsParentWhateverItDoes) {
  folder_.write("config.json", config_text(many_sizes));
  RunningProgram running(folder_);
  running.wait_for(folder_.path() + "/out/records.jsonl", 1);
  const std::vector<pid_t> workers = running.workers();
  ASSERT_EQ(workers.size(), 1u);
  ::kill(workers[0], SIGSTOP);  // as busy as can be
  running.end_with(SIGKILL);
  const std::string stat = "/proc/" + std::to_string(workers[0]) + "/stat";
  const auto lives = [&] {
    std::string words;
    std::getline(std::ifstream(stat), words);
    return !words.empty() && words.find(") Z ") == words.npos;
  };
  for (int i = 0; i < 2500 && lives(); ++i) RunningProgram::pause();
  EXPECT_FALSE(lives());
  ::kill(workers[0], SIGKILL);
}

}  // namespace
}  // namespace redbench
