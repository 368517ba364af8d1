// The modelled GPUs and their occupancy, against figures that the papers print and NVIDIA's calculator gives.
#include "src/measure/stopwatch.hpp"
#include "src/records/stored_run.hpp"
#include "src/simt/model.hpp"
#include "src/simt/source.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

// gtx480: Martin 2012, tables I and II; 63 registers x 32 lanes are 2016, rounded to 2048: 16 warps of 32768.
// Of two limits the first is named. a100: 167936 bytes, and each block takes 1 KiB more than it asks for: 163
// KiB fit once, 16 KiB nine times.
TEST(SimtModels, OccupancyOfModelsIsThatOfPapersAndOfNvidiasCalculator) {
  const std::size_t matrix = 32 * 33 * 4;
  const struct {
    const char* model;
    int threads;
    std::size_t shared_bytes;
    int registers, blocks;
    double occupancy;
    const char* limiter;
  } rows[] = {{"gtx480", 256, matrix, 0, 6, 1, "warps"},
              {"gtx480", 288, 2 * matrix, 0, 5, 0.94, "warps"},
              {"gtx480", 256, 2 * matrix, 0, 5, 0.83, "shared memory"},
              {"gtx480", 288, 4 * matrix, 0, 2, 0.375, "shared memory"},  // printed as 38 %
              {"gtx480", 32, 0, 0, 8, 8 / 48.0, "blocks"},
              {"gtx480", 192, 0, 0, 8, 1, "warps"},
              {"gtx480", 256, 0, 63, 2, 16 / 48.0, "registers"},
              {"a100", 64, 163 * 1024, 0, 1, 2 / 64.0, "shared memory"},
              {"a100", 64, 16 * 1024, 0, 9, 18 / 64.0, "shared memory"},
              {"h200", 256, 0, 0, 8, 1, "warps"},
              {"rtx3070", 1024, 0, 0, 1, 32 / 48.0, "warps"}};
  for (const auto& row : rows) {
    LaunchFacts launch;
    launch.grid = {.threads = row.threads, .shared_bytes = row.shared_bytes};
    model_occupancy(modelled(row.model)->facts(), row.registers, launch);
    EXPECT_EQ(launch.resident_blocks, row.blocks) << row.model << ' ' << row.threads;
    EXPECT_NEAR(launch.occupancy, row.occupancy, 0.005) << row.model << ' ' << row.threads;
    EXPECT_EQ(launch.limiter, row.limiter) << row.model << ' ' << row.threads;
  }
}

// Of a multiprocessor that is small enough to count by hand: all facts of a launch.
TEST(SimtModels, EachLimitOfABlockCountsByItself) {
  DeviceFacts facts;
  facts.capability = 35;
  facts.max_blocks = 7;
  facts.max_warps = 64;
  facts.shared_bytes = 10'000;
  facts.shared_granularity = 256;
  facts.registers = 14'336;
  facts.register_granularity = 256;
  struct {
    const char* what;
    int capability, threads;
    std::size_t dynamic_bytes, static_bytes, reserved;
    int registers;
    int blocks;
    double warps;
    const char* limiter;
  } const cases[] = {
      {"32 warps a block", 35, 1024, 0, 0, 0, 0, 2, 64, "warps"},
      {"a warp that is not full", 35, 993, 0, 0, 0, 0, 2, 64, "warps"},
      {"31 warps", 35, 992, 0, 0, 0, 0, 2, 62, "warps"},
      {"11 warps, 5 times", 35, 352, 0, 0, 0, 0, 5, 55, "warps"},
      {"a warp", 35, 32, 0, 0, 0, 0, 7, 7, "blocks"},
      {"a thread", 35, 1, 0, 0, 0, 0, 7, 7, "blocks"},
      {"two warps", 35, 33, 0, 0, 0, 0, 7, 14, "blocks"},
      // 1792 bytes are a multiple of 256, 1793 are given 2048.
      {"5 times 1792 bytes", 35, 32, 1000, 292, 500, 0, 5, 5, "shared memory"},
      {"4 times 2048 bytes", 35, 32, 1000, 293, 500, 0, 4, 4, "shared memory"},
      {"what is reserved alone", 35, 32, 0, 0, 2600, 0, 3, 3, "shared memory"},
      // 64 registers a lane are 2048 a warp, of which there are 7: 4 in whole fours, 6 in twos.
      {"one scheduler in four", 35, 32, 0, 0, 0, 64, 4, 4, "registers"},
      {"one scheduler in four", 30, 32, 0, 0, 0, 64, 4, 4, "registers"},
      {"one scheduler in two", 29, 32, 0, 0, 0, 64, 6, 6, "registers"},
      {"3 warps a block", 21, 96, 0, 0, 0, 64, 2, 6, "registers"},
      // 57 registers are 1824, given as 2048; 56 are 1792, of which there are 8.
      {"2048 registers", 35, 32, 0, 0, 0, 57, 4, 4, "registers"},
      {"1792 registers", 35, 64, 0, 0, 0, 56, 4, 8, "registers"}};
  for (const auto& one : cases) {
    facts.capability = one.capability;
    facts.shared_bytes_reserved = one.reserved;
    LaunchFacts launch;
    launch.grid = {.threads = one.threads, .shared_bytes = one.dynamic_bytes};
    launch.static_shared_bytes = one.static_bytes;
    model_occupancy(facts, one.registers, launch);
    EXPECT_EQ(launch.resident_blocks, one.blocks) << one.what;
    EXPECT_DOUBLE_EQ(launch.occupancy, one.warps / 64) << one.what;
    EXPECT_EQ(launch.limiter, one.limiter) << one.what;
  }
  // Blocks of one warp on a multiprocessor of 6: of 64 registers 6 warps have room in twos, of 128 only 2.
  facts.max_warps = 6;
  facts.capability = 20;
  facts.shared_bytes_reserved = 0;
  for (const auto& [registers, blocks, limiter] :
       {std::tuple(0, 6, "warps"), {64, 6, "warps"}, {128, 2, "registers"}})
    for (const int threads : {1, 32}) {
      LaunchFacts small;
      small.grid = {.threads = threads};
      model_occupancy(facts, registers, small);
      EXPECT_EQ(small.resident_blocks, blocks) << registers;
      EXPECT_DOUBLE_EQ(small.occupancy, blocks / 6.0) << registers;
      EXPECT_EQ(small.limiter, std::string(limiter)) << registers;
    }
  facts.registers = 512;  // 256 of them are the least that a warp is given
  LaunchFacts narrow;
  narrow.grid = {.threads = 32};
  model_occupancy(facts, 1, narrow);
  EXPECT_EQ(narrow.resident_blocks, 2);
  EXPECT_EQ(narrow.limiter, "registers");
  LaunchFacts nowhere;
  model_occupancy(DeviceFacts(), 0, nowhere);
  EXPECT_EQ(nowhere.resident_blocks, 0);
  EXPECT_EQ(nowhere.occupancy, 0) << "a device without warps";
}

TEST(SimtModels, RegistersAreOfTheKernelThatNvccCompiledAndNoOther) {
  const auto registers = [](int capability, const char* file, const char* name) {
    return simt::compiled_registers(capability,
                                    {.name = name, .file = file, .shared = {}, .shared_bytes = 0});
  };
  constexpr const char *listed = "kernels/reduce/persistent_matrix.cu",
                       *kernel = "persistent_by_rows<Sum<float>>";
  EXPECT_GT(registers(90, listed, kernel), 0);
  EXPECT_GT(registers(90, "", "fill_kernel<float>"), 0);
  EXPECT_EQ(registers(20, listed, kernel), 0);
  EXPECT_EQ(registers(90, "/home/me/kernels/reduce/mine.cu", kernel), 0);
  EXPECT_EQ(registers(90, "", kernel), 0);
  EXPECT_EQ(registers(90, listed, "persistent_by_rows<Sum<int8_t>>"), 0);
}

// What a record has: the registers that nvcc gave, or null where occupancy goes by the card's.
TEST(SimtModels, RecordsSayWhoseRegistersSetTheOccupancy) {
  const TemporaryFolder folder;
  folder.write("config.json", R"({"title": "test", "experiments": [{"problem": "reduce",
                                "variants": "persistent_matrix", "axes": {"n": 2048, "type": "f32"}}]})");
  for (const char* model : {"h200", "gtx480"}) {
    const std::string out = folder.path() + "/" + model;
    const Answer answer = redbench("run " + folder.path() + "/config.json -d simt:" + model + " -o " + out);
    ASSERT_EQ(answer.exit_code, 0) << answer.text;
    const Json launch = Json::parse(lines_of(out + "/records.jsonl").at(0))["launches"].at(0);
    EXPECT_EQ(launch["registers"].is_null(), model == std::string("gtx480")) << launch;
    EXPECT_EQ(launch["local_bytes"], nullptr);
  }
}

TEST(SimtModels, AllModelsLoadAndSayWhoTheyAre) {
  for (const char* model : {"gtx480", "k20x", "gtx690", "rtx3070", "a100", "h200"}) {
    auto device = modelled(model);
    EXPECT_EQ(device->name(), std::string("simt:") + model);
    EXPECT_EQ(device->slug(), std::string("simt-") + model);
    EXPECT_EQ(device->facts().name, model);
    EXPECT_EQ(device->facts().banks, 32);
    EXPECT_EQ(make_stopwatch(*device), nullptr);
  }
}

/// A model file with one text in place of another.
std::string model_with(const std::string& old, const std::string& text) {
  std::string model =
      R"({"title": "mine", "capability": 80, "multiprocessors": 2, "max_threads_per_block": 1024,
    "max_blocks": 32, "max_warps": 64, "shared_bytes": 65536, "shared_bytes_per_block": 49152,
    "shared_bytes_reserved": 1024, "shared_granularity": 128, "registers": 65536, "register_granularity": 256,
    "banks": 32, "l2_bytes": 1048576, "memory_bytes": 1073741824})";
  return old.empty() ? model : model.replace(model.find(old), old.size(), text);
}

// Each mistake is reported with file and key; numbers are read in 64 bits, of which 32 would be 0 or 1 here.
TEST(SimtModels, AMistakeInAFileIsTold) {
  const auto refused = [&](const std::string& old, const std::string& text) {
    return usage_error([&] { simt::parse_model("mine", model_with(old, text), "mine.json"); });
  };
  const auto banks = [&](const std::string& value) { return refused("banks\": 32", "banks\": " + value); };
  const std::string range = "mine.json: $.banks: expected a whole number from 1 to 32, got ";
  for (const char* value : {"0", "-1", "33", "32.5", "18446744073709551615", "\"zwölf\""})
    EXPECT_EQ(banks(value), range + value);
  EXPECT_NE(banks("1e400"), "");
  EXPECT_EQ(refused("multiprocessors\": 2", "multiprocessors\": 4294967297"),
            "mine.json: $.multiprocessors: expected a whole number from 1 to 10000, got 4294967297");
  EXPECT_EQ(refused("\"banks\": 32, ", ""),
            "mine.json: $: the key `banks` is missing: a whole number from 1 to 32");
  EXPECT_EQ(refused("\"mine\"", "5"), "mine.json: $.title: expected a string, got 5");
  EXPECT_TRUE(has(refused("banks\"", "bansk\""),
                  {"mine.json: $.bansk: unknown key; allowed are `title`", "did you mean `banks`?"}));
  EXPECT_EQ(refused("block\": 49152", "block\": 65537"),
            "mine.json: $.shared_bytes_per_block: 65537 is more than shared_bytes, 65536");
  EXPECT_EQ(refused("reserved\": 1024", "reserved\": 65537"),
            "mine.json: $.shared_bytes_reserved: 65537 is more than shared_bytes, 65536");
  EXPECT_EQ(refused("max_warps\": 64", "max_warps\": 31"),
            "mine.json: $.max_threads_per_block: 1024 is more than the lanes of max_warps, 992");
  EXPECT_EQ(simt::parse_model("mine", model_with("max_warps\": 64", "max_warps\": 32"), "").max_warps, 32);
  EXPECT_EQ(usage_error([&] { simt::parse_model("mine", "[1]", "mine.json"); }),
            "mine.json: $: expected an object, got [1]");
}

TEST(SimtModels, EachValueIsItsOwnFact) {
  const DeviceFacts facts =
      simt::parse_model("mine",
                        R"({"title": "mine", "source": "none", "capability": 61, "multiprocessors": 23,
    "max_threads_per_block": 768, "max_blocks": 19, "max_warps": 47, "shared_bytes": 70001, "shared_bytes_per_block": 40002,
    "shared_bytes_reserved": 1003, "shared_granularity": 129, "registers": 60005, "register_granularity": 260,
    "banks": 17, "l2_bytes": 1000008, "memory_bytes": 5000000009})",
                        "");
  EXPECT_EQ(facts.name, "mine");
  EXPECT_EQ((std::vector<std::size_t>{std::size_t(facts.capability), std::size_t(facts.multiprocessors),
                                      std::size_t(facts.max_threads_per_block), std::size_t(facts.max_blocks),
                                      std::size_t(facts.max_warps), facts.shared_bytes,
                                      facts.shared_bytes_per_block, facts.shared_bytes_reserved,
                                      facts.shared_granularity, std::size_t(facts.registers),
                                      std::size_t(facts.register_granularity), std::size_t(facts.banks),
                                      facts.l2_bytes, facts.memory_bytes}),
            (std::vector<std::size_t>{61, 23, 768, 19, 47, 70001, 40002, 1003, 129, 60005, 260, 17, 1000008,
                                      5000000009}));
}

// Either makes it a path; a name with neither is one that is built in.
TEST(SimtModels, ASlashOrTheEndingJsonIsAFile) {
  const TemporaryFolder folder;
  const DeviceFacts facts =
      simt::load_model(folder.write("without_ending", model_with("banks\": 32", "banks\": 9")));
  EXPECT_EQ(facts.name, "without_ending");
  EXPECT_EQ(facts.banks, 9);
  // Its text is known by its name from then on: a process that is given the name may run in another folder.
  EXPECT_EQ(Json::parse(simt::text_of_model("without_ending"))["banks"], 9);
  EXPECT_EQ(simt::load_model("without_ending").banks, 9);
  EXPECT_TRUE(has(usage_error([] { simt::load_model("no_such_file_here.json"); }),
                  {"no_such_file_here.json", "no such"}));
  EXPECT_EQ(usage_error([] { simt::load_model("gtx48"); }),
            "no modelled GPU is called `gtx48`; did you mean `gtx480`? There are `a100`, `gtx480`, `gtx690`, "
            "`h200`, `k20x` or `rtx3070`, and files as ./mine.json.");
}

TEST(SimtModels, AFileOfTheUsersOwnIsNamedInItsRecords) {
  const TemporaryFolder folder;
  // Its processes know the model by its name, as they are given its text: there is no such file in their
  // folder.
  folder.write("models/mine.json", model_with("", ""));
  folder.write("config.json", config_text("[1000]"));
  const std::string run = "run config.json -d simt:models/mine.json -q";
  const Answer answer = redbench(run, folder.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const StoredRun stored = read_stored_run(folder.path() + "/results/simt-mine.json/config");
  ASSERT_EQ(stored.records.size(), 2u);
  EXPECT_EQ(stored.records[0]["device"], "simt:mine.json");
  EXPECT_EQ(stored.facts["device"]["banks"], 32);
  // Another model of that name does not go on with it.
  folder.write("models/mine.json", model_with("banks\": 32", "banks\": 16"));
  const Answer other = redbench(run + " --resume", folder.path());
  EXPECT_EQ(other.exit_code, exit_usage);
  EXPECT_TRUE(has(other.text, {"another device", "banks is 32 there, 16 here"}));
}

}  // namespace
}  // namespace redbench
