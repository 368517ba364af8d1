// The modelled GPUs and their occupancy, against figures that the papers print and NVIDIA's calculator gives.
#include "src/measure/stopwatch.hpp"
#include "src/records/output_folder.hpp"
#include "src/simt/kernel_name.hpp"
#include "src/simt/model.hpp"
#include "src/simt/registers.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

LaunchFacts occupancy(const char* model, int threads, std::size_t shared_bytes, int registers = 0) {
  LaunchFacts launch;
  launch.grid = {.threads = threads, .shared_bytes = shared_bytes};
  model_occupancy(modelled(model)->facts(), registers, launch);
  return launch;
}

TEST(SimtModels, OccupancyOfMartin2012OnGtx480) {
  // Martin 2012, tables I and II.
  const std::size_t matrix = 32 * 33 * 4;
  EXPECT_EQ(occupancy("gtx480", 256, matrix).resident_blocks, 6);
  EXPECT_EQ(occupancy("gtx480", 256, matrix).limiter, "warps");
  EXPECT_DOUBLE_EQ(occupancy("gtx480", 256, matrix).occupancy, 1);
  EXPECT_EQ(occupancy("gtx480", 288, 2 * matrix).resident_blocks, 5);
  EXPECT_NEAR(occupancy("gtx480", 288, 2 * matrix).occupancy, 0.94, 0.005);
  EXPECT_EQ(occupancy("gtx480", 256, 2 * matrix).resident_blocks, 5);
  EXPECT_NEAR(occupancy("gtx480", 256, 2 * matrix).occupancy, 0.83, 0.005);
  EXPECT_EQ(occupancy("gtx480", 256, 2 * matrix).limiter, "shared memory");
  EXPECT_EQ(occupancy("gtx480", 288, 4 * matrix).resident_blocks, 2);
  EXPECT_DOUBLE_EQ(occupancy("gtx480", 288, 4 * matrix).occupancy, 0.375);  // printed as 38 %
}

TEST(SimtModels, OccupancyByBlocksRegistersAndReservedBytes) {
  EXPECT_EQ(occupancy("gtx480", 32, 0).resident_blocks, 8);
  EXPECT_EQ(occupancy("gtx480", 32, 0).limiter, "blocks");
  // 8 blocks by the 48 warps and by the most blocks: of two limits the first is told.
  EXPECT_EQ(occupancy("gtx480", 192, 0).resident_blocks, 8);
  EXPECT_EQ(occupancy("gtx480", 192, 0).limiter, "warps");
  // 63 registers x 32 lanes = 2016, rounded to 2048: 16 warps of 32768, so 2 blocks of 8 warps.
  EXPECT_EQ(occupancy("gtx480", 256, 0, 63).resident_blocks, 2);
  EXPECT_EQ(occupancy("gtx480", 256, 0, 63).limiter, "registers");
  // a100: 167936 bytes, and each block takes 1 KiB more than it asks for: 163 KiB fits once, 16 KiB nine
  // times.
  EXPECT_EQ(occupancy("a100", 64, 163 * 1024).resident_blocks, 1);
  EXPECT_EQ(occupancy("a100", 64, 16 * 1024).resident_blocks, 9);
  EXPECT_EQ(occupancy("h200", 256, 0).resident_blocks, 8);
  EXPECT_EQ(occupancy("rtx3070", 1024, 0).resident_blocks, 1);
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

TEST(SimtModels, KernelsAreCalledAsUnderNvcc) {
  const auto name = [](const char* symbol) { return simt::short_name(simt::demangled(symbol)); };
  EXPECT_EQ(name("_ZN8redbench7on_simt11fill_kernelIDF16_EEvPT_lS2_"), "fill_kernel<__half>");
  EXPECT_EQ(
      name("_ZN8redbench12_GLOBAL__N_114segmented_treeINS_7on_simt3MaxIDF16_EEEEvPKNT_5ValueEPKjlPS6_NS2_"
           "7CarriesIS6_EE"),
      "segmented_tree<Max<__half>>");
  EXPECT_EQ(name("_ZN8redbench7on_simt11half_kernelILi256EEEvPi"), "half_kernel<256>");
  EXPECT_EQ(name("main"), "main");
  EXPECT_EQ(simt::short_name(
                "void redbench::(anonymous namespace)::tree<redbench::on_simt::Sum<int> >(int const*)"),
            "tree<Sum<int>>");
  EXPECT_EQ(simt::short_name("tree<redbench::Sum<int> >"), "tree<Sum<int>>") << "without a return type";
}

// Its name is no bracket that opens.
TEST(SimtModels, AnOperatorAmongItsArgumentsLeavesAKernelNoReturnType) {
  EXPECT_EQ(simt::short_name("void redbench::sorts<&redbench::operator< >"), "sorts<&operator< >");
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

TEST(SimtModels, AnUnknownModelNamesTheNearest) {
  try {
    make_simt("gtx48", {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_TRUE(has(error.what(), {"gtx48", "gtx480", "a100"}));
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

TEST(SimtModels, AFileIsCheckedKeyByKey) {
  const TemporaryFolder folder;
  const auto mistake = [&](const std::string& old, const std::string& text) {
    const std::string path = folder.write("mine.json", model_with(old, text));
    const std::string message = usage_error([&] { make_simt(path, {}); });
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    return message;
  };
  // Cut to 32 bits these are 0 and 1.
  EXPECT_TRUE(
      has(mistake("y\": 256", "y\": 4294967296"), {"$.register_granularity", "from 1 to", "4294967296"}));
  EXPECT_TRUE(has(mistake("multiprocessors\": 2", "multiprocessors\": 4294967297"), {"$.multiprocessors"}));
  EXPECT_TRUE(has(mistake("banks\": 32", "banks\": 33"), {"$.banks", "from 1 to 32", "33"}));
  EXPECT_TRUE(has(mistake("banks\": 32", "banks\": 18446744073709551615"), {"$.banks"}));
  EXPECT_TRUE(has(mistake("banks\": 32", "banks\": -1"), {"$.banks"}));
  EXPECT_TRUE(has(mistake("banks\": 32", "banks\": 32.5"), {"$.banks", "32.5"}));
  EXPECT_TRUE(has(mistake("banks\": 32", "banks\": 1e400"), {"$.banks"}));
  EXPECT_TRUE(has(mistake("banks\"", "bansk\""), {"$.bansk: unknown key", "did you mean `banks`?"}));
  EXPECT_TRUE(has(mistake("\"banks\": 32, ", ""), {"the key `banks` is missing", "from 1 to 32"}));
  EXPECT_TRUE(has(mistake("\"mine\"", "5"), {"$.title", "string"}));
  EXPECT_TRUE(
      has(mistake("block\": 49152", "block\": 65537"), {"$.shared_bytes_per_block", "65537", "65536"}));
  EXPECT_TRUE(has(mistake("\"banks\"", "\"max_warps\""), {"$.max_warps", "twice"}));
  EXPECT_TRUE(has(mistake("}", ""), {"line "}));
  EXPECT_TRUE(
      has(usage_error([&] { make_simt(folder.path() + "/mien.json", {}); }), {"mien.json", "no such"}));
}

// A fork is told the text of the model that its parent has read: it may run in another folder.
TEST(SimtModels, AFileThatWasReadIsKnownByItsName) {
  const TemporaryFolder folder;
  simt::load_model(folder.write("read_once.json", model_with("banks\": 32", "banks\": 16")));
  const std::string text = simt::text_of_model("read_once.json");
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(Json::parse(text)["banks"], 16);
  EXPECT_EQ(simt::load_model("read_once.json").banks, 16);
  EXPECT_EQ(simt::text_of_model("gtx480"), "");
}

TEST(SimtModels, AFileOfTheUsersOwnIsNamedInItsRecords) {
  const TemporaryFolder folder;
  // Its processes know the model by its name, as they are told what the file says: no file is there for it.
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

TEST(SimtModels, TheNumberOfOsThreadsIsChecked) {
  for (const char* text : {"0", "-1", "two", "3x", "99999"}) {
    setenv("REDBENCH_SIMT_THREADS", text, 1);
    EXPECT_THROW(make_simt("gtx480", {}), UsageError) << text;
  }
  unsetenv("REDBENCH_SIMT_THREADS");
}

}  // namespace
}  // namespace redbench
