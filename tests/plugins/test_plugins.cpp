// Kernel files that the program compiles and loads, as a user meets them. Each is a copy of harris3, or of what a test
// names, with a line changed.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "src/json/json.hpp"
#include "tests/plugin_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// The records of a run, by variant.
std::map<std::string, Json> records_of(const std::string& run) {
  std::map<std::string, Json> records;
  std::ifstream file(run + "/records.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json record = Json::parse(line);
    records[record["variant"]] = record;
  }
  return records;
}

// Static and dynamic shared memory, warps that exchange, atomics: what position-independent code could change.
TEST(Plugins, CountsAndLinesAreThoseOfTheBuiltInForm) {
  const PluginFolder folder;
  for (const char* name : {"harris3", "shuffle_two_pass", "shuffle_block_atomic"})
    folder.copy(name, std::string("own_") + name);
  folder.write("config.json", R"({"experiments": [{"problem": "reduce", "axes": {"n": 5000}, "variants":
      ["harris3", "own_harris3", "shuffle_two_pass", "own_shuffle_two_pass", "shuffle_block_atomic",
       "own_shuffle_block_atomic"]}], "measure": {"counters": true}})");
  const Answer answer = folder.redbench("run config.json -d simt --kernels kernels -o run -q");
  ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  auto records = records_of(folder.path() + "/run");
  for (const char* name : {"harris3", "shuffle_two_pass", "shuffle_block_atomic"}) {
    const Json &built_in = records["reduce/" + std::string(name)],
               &own = records["reduce/own_" + std::string(name)];
    EXPECT_EQ(own["kernel_file"], folder.path() + "/kernels/reduce/own_" + name + ".cu");
    EXPECT_EQ(own["source_hash"], built_in["source_hash"]);
    ASSERT_EQ(own["launches"].size(), built_in["launches"].size());
    for (std::size_t i = 0; i < own["launches"].size(); ++i) {
      const Json &launch = own["launches"][i], &other = built_in["launches"][i];
      EXPECT_EQ(launch["counters"], other["counters"]) << name;
      EXPECT_EQ(launch["shared_bytes"], other["shared_bytes"]) << name;
      std::multimap<int, Json> lines, other_lines;  // their files differ in name and order
      for (const auto& [from, to] : {std::pair(&launch, &lines), {&other, &other_lines}})
        for (Json line : (*from)["lines"]) {
          line.erase("file");
          to->emplace(line["line"], line);
        }
      EXPECT_TRUE(std::ranges::is_permutation(lines, other_lines)) << name;
    }
  }
}

TEST(Plugins, WhatHasChangedIsCompiledAgainAndNothingElse) {
  const PluginFolder folder;
  folder.copy("harris3", "mine",
              {{"#include \"kernels/reduce/problem.hpp\"",
                "#include \"kernels/reduce/problem.hpp\"\n#include \"mine.hpp\""}});
  folder.copy("harris2", "other");
  folder.write("kernels/reduce/mine.hpp", "#pragma once\n");
  EXPECT_THAT(folder.redbench("build kernels").text,
              testing::MatchesRegex("reduce/mine for simt: [0-9.]+ s\nreduce/other for simt: [0-9.]+ s\n"));
  const Json before = Json::parse(folder.redbench("list --kernels kernels --json -b 'reduce/mine'").text);
  folder.write("kernels/reduce/mine.hpp", "#pragma once\n// changed\n");
  EXPECT_THAT(folder.redbench("build kernels").text,
              testing::MatchesRegex("reduce/other for simt: was there\nreduce/mine for simt: [0-9.]+ s\n"));
  const Json after = Json::parse(folder.redbench("list --kernels kernels --json -b 'reduce/mine'").text);
  EXPECT_NE(before["reduce/mine"]["source_hash"], after["reduce/mine"]["source_hash"]);
}

// An object that another program wrote in its place, or that is cut off, is not loaded.
TEST(Plugins, ADamagedObjectIsMadeAgain) {
  const PluginFolder folder;
  folder.copy("harris3", "mine");
  folder.redbench("build kernels");
  for (const auto& object : std::filesystem::directory_iterator(folder.path() + "/cache/redbench"))
    std::filesystem::resize_file(object, 5000);
  EXPECT_THAT(folder.redbench("build kernels").text,
              testing::MatchesRegex("reduce/mine for simt: [0-9.]+ s\n"));
  EXPECT_EQ(folder.redbench("list --kernels kernels -b reduce/mine").exit_code, exit_fine);
}

TEST(Plugins, WhatCannotBeLoadedIsASentence) {
  const std::string
      crash = "struct Crash { Crash() { *(volatile int*)0 = 1; } } crash;\nstruct harris3 {",
      leaves =
          "extern \"C\" void exit(int);\nstruct Leaves { Leaves() { exit(0); } } leaves;\nstruct harris3 {",
      lacks = "extern int nowhere();\nstruct Lacks { Lacks() { nowhere(); } } lacks;\nstruct harris3 {";
  for (const auto& [from, to, message] :
       {std::tuple("struct harris3 {", crash, "ends the process as it is loaded, by signal 11"),
        {"struct harris3 {", leaves, "mine.cu: ends the process as it is loaded"},
        {"struct harris3 {", lacks, "mine.cu: cannot be loaded: "},
        {"REDBENCH_VARIANT(Reduce, harris3)", std::string(),
         "registers no variant: REDBENCH_VARIANT is missing"},
        {"const Op op;", std::string("const Op op"), "does not compile it for simt"},
        {"\"block\", 256", std::string("\"mode\", 256"), "`mode` is the name of an axis"}}) {
    const PluginFolder folder;
    folder.copy("harris3", "mine", {{from, to}});
    const Answer answer = folder.redbench("list --kernels kernels");
    EXPECT_EQ(answer.exit_code, exit_usage) << message;
    EXPECT_THAT(answer.text, HasSubstr(message));
  }
  const PluginFolder folder;
  folder.copy("harris3", "harris4");
  EXPECT_THAT(folder.redbench("list --kernels kernels").text,
              HasSubstr("harris4.cu: there is a reduce/harris4 already, which is built in"));
}

// What a kernel file was compiled with must be what the program has: else its queue may be of another shape.
TEST(Plugins, HeadersThatAreNotTheProgramsAreRefused) {
  namespace fs = std::filesystem;
  const PluginFolder folder;
  folder.copy("harris3", "mine");
  fs::create_directories(folder.path() + "/bin");
  fs::create_directories(folder.path() + "/share/redbench");
  fs::copy_file(REDBENCH_BINARY, folder.path() + "/bin/redbench");
  fs::copy(REDBENCH_SOURCE_DIR "/kernels", folder.path() + "/share/redbench/kernels",
           fs::copy_options::recursive);
  const auto build = [&] {
    return answer_of("env XDG_CACHE_HOME='" + folder.path() + "/cache' bin/redbench", "build kernels",
                     folder.path());
  };
  EXPECT_EQ(build().exit_code, exit_fine) << build().text;
  std::ofstream(folder.path() + "/share/redbench/kernels/contract/queue.hpp", std::ios::app)
      << "// changed\n";
  const Answer answer = build();
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("is not as it was when this program was built; build it again"));
}

}  // namespace
}  // namespace redbench
