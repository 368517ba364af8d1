// Machines of the cache simulator as JSON: each key, what holds without it, what it may be, and what is
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "src/predict/machine_file.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Of every key.
const std::string full =
    R"({"title": "A machine", "source": "Table 9", "published_as": "Old PC", "line_bytes": 128,
  "levels": [{"name": "L1", "bytes": 6144, "ways": 3, "ns": 1.5, "replacement": "lru"},
             {"name": "L2", "bytes": 65536, "ways": 8, "ns": 6.25, "replacement": "tree_plru"}],
  "memory_ns": 90.5, "prefetch": "stride", "scattered_frames": true,
  "translations": [
    {"page_bytes": 8192, "levels": [{"name": "T1", "entries": 64, "ways": 4, "ns": 0.5},
                                    {"name": "T2", "entries": 512, "ways": 16, "ns": 2.5}],
     "walk_ns": 11.5, "directories": 12},
    {"page_bytes": 4194304, "levels": [{"name": "T3", "entries": 24, "ways": 8, "ns": 0.75}],
     "walk_ns": 9.5, "directories": 7}],
  "core": {"input_ns": 1.25, "forward_ns": 2.75, "chain_ns": 3.5, "misses": 10, "store_misses": 20, "window": 30,
           "stores": 40, "walks": 5, "line_ns": 4.5},
  "unsure": ["the clock", "the TLB"]})";

/// Of those that no machine goes without, and those that a part of it may lack.
const std::string least = R"({"title": "t", "source": "s", "memory_ns": 100,
  "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 2}],
  "translations": [{"page_bytes": 4096, "levels": [{"name": "T", "entries": 8, "ways": 4}]}],
  "core": {"input_ns": 1, "forward_ns": 3, "misses": 4, "store_misses": 5, "window": 6, "stores": 7, "walks": 8,
           "line_ns": 9}})";

/// What is said of the machine above with that value, or without it where there is none; empty: it is taken.
std::string said_of(const std::string& place, const std::optional<Json>& value) {
  Json machine = Json::parse(full);
  const Json::json_pointer pointer(place);
  if (value) machine[pointer] = *value;
  else machine[pointer.parent_pointer()].erase(pointer.back());
  try {
    parse_machine("m", machine.dump(), "m.json");
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(MachineKeys, AreAllReadAndWritten) {
  const MachineFile file = parse_machine("mine", full, "m.json");
  EXPECT_EQ(file.published_as, "Old PC");
  EXPECT_EQ(file.machine.name, "mine");
  Json expected = Json::parse(full);
  expected.erase("published_as");
  EXPECT_EQ(written_machine(file.machine).dump(1), expected.dump(1));
}

TEST(MachineKeys, HaveFallbacks) {
  const MachineFile file = parse_machine("m", least, "m.json");
  EXPECT_EQ(file.published_as, "");
  EXPECT_EQ(
      written_machine(file.machine).dump(),
      R"({"title":"t","source":"s","line_bytes":64,)"
      R"("levels":[{"name":"L1","bytes":4096,"ways":4,"ns":2.0,"replacement":"tree_plru"}],)"
      R"("memory_ns":100.0,"prefetch":"next_line","scattered_frames":false,)"
      R"("translations":[{"page_bytes":4096,"levels":[{"name":"T","entries":8,"ways":4,"ns":0.0}],)"
      R"("walk_ns":0.0,"directories":32}],)"
      R"("core":{"input_ns":1.0,"forward_ns":3.0,"chain_ns":0.0,"misses":4,"store_misses":5,"window":6,)"
      R"("stores":7,"walks":8,"line_ns":9.0},"unsure":[]})");
}

// A missing number would be whatever lies in memory.
TEST(MachineKeys, AreMissedByName) {
  const auto missing = [](const std::string& object, const std::string& key) {
    return said_of(object + "/" + key, {});
  };
  const auto sentence = [](const std::string& place, const std::string& key, const std::string& what) {
    return "m.json: " + place + ": the key `" + key + "` is missing: " + what;
  };
  EXPECT_EQ(missing("", "title"), sentence("$", "title", "for readers"));
  EXPECT_EQ(missing("", "source"), sentence("$", "source", "where the numbers come from"));
  EXPECT_EQ(missing("", "levels"), sentence("$", "levels", "of caches, innermost first"));
  EXPECT_EQ(missing("", "memory_ns"), sentence("$", "memory_ns", "of an access that no level has"));
  const std::string level = "$.levels[1]";
  EXPECT_EQ(missing("/levels/1", "name"), sentence(level, "name", "for readers"));
  EXPECT_EQ(missing("/levels/1", "bytes"), sentence(level, "bytes", "of data"));
  EXPECT_EQ(missing("/levels/1", "ways"), sentence(level, "ways", "lines of a set"));
  EXPECT_EQ(missing("/levels/1", "ns"), sentence(level, "ns", "of an access that finds its line here"));
  const std::string translation = "$.translations[1]", tlb = translation + ".levels[0]";
  EXPECT_EQ(missing("/translations/1", "page_bytes"), sentence(translation, "page_bytes", "of a page"));
  EXPECT_EQ(missing("/translations/1", "levels"),
            sentence(translation, "levels", "of the TLB, innermost first"));
  EXPECT_EQ(missing("/translations/1/levels/0", "name"), sentence(tlb, "name", "for readers"));
  EXPECT_EQ(missing("/translations/1/levels/0", "entries"), sentence(tlb, "entries", "pages"));
  EXPECT_EQ(missing("/translations/1/levels/0", "ways"), sentence(tlb, "ways", "entries of a set"));
  EXPECT_EQ(missing("/core", "input_ns"),
            sentence("$.core", "input_ns", "of the loop over a few buckets, for each input"));
  EXPECT_EQ(missing("/core", "forward_ns"),
            sentence("$.core", "forward_ns", "from an update to the next one of the same bucket"));
  EXPECT_EQ(missing("/core", "misses"),
            sentence("$.core", "misses", "lines under way beyond the first level, of loads"));
  EXPECT_EQ(missing("/core", "store_misses"), sentence("$.core", "store_misses", "of stores"));
  EXPECT_EQ(missing("/core", "window"),
            sentence("$.core", "window", "inputs begun before the oldest has ended"));
  EXPECT_EQ(missing("/core", "stores"), sentence("$.core", "stores", "that are not in the first level"));
  EXPECT_EQ(missing("/core", "walks"), sentence("$.core", "walks", "page walks at a time"));
  EXPECT_EQ(missing("/core", "line_ns"), sentence("$.core", "line_ns", "between two lines from memory"));
  for (const char* key : {"published_as", "line_bytes", "prefetch", "scattered_frames", "translations",
                          "core", "unsure", "core/chain_ns", "levels/0/replacement", "translations/0/walk_ns",
                          "translations/0/directories", "translations/0/levels/0/ns"})
    EXPECT_EQ(said_of(std::string("/") + key, {}).find("missing"), std::string::npos) << key;
}

TEST(MachineKeys, AreWholeNumbersFromOneLimitToTheOther) {
  struct Limits {
    std::string place, path;
    std::int64_t least, most;
  };
  for (const Limits& limits : std::vector<Limits>{
           {"/line_bytes", "$.line_bytes", 16, 4096},
           {"/levels/1/bytes", "$.levels[1].bytes", 16, 17179869184},
           {"/levels/1/ways", "$.levels[1].ways", 1, 1048576},
           {"/translations/0/page_bytes", "$.translations[0].page_bytes", 4096, 1073741824},
           {"/translations/0/directories", "$.translations[0].directories", 1, 4096},
           {"/translations/0/levels/1/entries", "$.translations[0].levels[1].entries", 1, 1048576},
           {"/translations/0/levels/1/ways", "$.translations[0].levels[1].ways", 1, 1048576},
           {"/core/misses", "$.core.misses", 1, 4096},
           {"/core/store_misses", "$.core.store_misses", 1, 4096},
           {"/core/window", "$.core.window", 1, 4096},
           {"/core/stores", "$.core.stores", 1, 4096},
           {"/core/walks", "$.core.walks", 1, 4096}}) {
    const std::string words = "m.json: " + limits.path + ": expected a whole number from " +
                              std::to_string(limits.least) + " to " + std::to_string(limits.most) + ", got ";
    for (const std::int64_t value : {limits.least - 1, limits.most + 1})
      EXPECT_EQ(said_of(limits.place, value), words + std::to_string(value));
    // What does not go with another key is said in other words.
    for (const std::int64_t value : {limits.least, limits.most})
      EXPECT_THAT(said_of(limits.place, value), Not(HasSubstr("expected"))) << limits.path;
  }
}

TEST(MachineKeys, AreTimesUpToAMillisecond) {
  for (const auto& [place, path] : std::vector<std::pair<std::string, std::string>>{
           {"/levels/1/ns", "$.levels[1].ns"},
           {"/memory_ns", "$.memory_ns"},
           {"/translations/1/walk_ns", "$.translations[1].walk_ns"},
           {"/translations/0/levels/1/ns", "$.translations[0].levels[1].ns"},
           {"/core/input_ns", "$.core.input_ns"},
           {"/core/forward_ns", "$.core.forward_ns"},
           {"/core/chain_ns", "$.core.chain_ns"},
           {"/core/line_ns", "$.core.line_ns"}}) {
    const std::string words = "m.json: " + path + ": expected a number of nanoseconds, 0 to 10^6, got ";
    EXPECT_EQ(said_of(place, -0.5), words + "-0.5");
    EXPECT_EQ(said_of(place, 1000000.5), words + "1000000.5");
    EXPECT_EQ(said_of(place, "1"), words + "\"1\"");
    EXPECT_EQ(said_of(place, 0), "");
    EXPECT_EQ(said_of(place, 1000000), "");
  }
}

TEST(MachineKeys, AreRefusedWhereTheyDoNotGoTogether) {
  EXPECT_EQ(said_of("/levels/0/bytes", 6000),
            "m.json: $.levels[0].bytes: 6000 is no multiple of 3 ways of lines of 128 bytes");
  EXPECT_EQ(said_of("/levels/0/replacement", "tree_plru"),
            "m.json: $.levels[0].ways: `tree_plru` takes a power of two up to 64, not 3; `lru` takes any");
  EXPECT_EQ(said_of("/levels/1/ways", 128),
            "m.json: $.levels[1].ways: `tree_plru` takes a power of two up to 64, not 128; `lru` takes any");
  EXPECT_EQ(said_of("/levels/1/ways", 64), "");
  EXPECT_EQ(said_of("/translations/1/levels/0/ways", 9),
            "m.json: $.translations[1].levels[0].entries: 24 is no multiple of 9 ways");
  EXPECT_EQ(said_of("/translations/1/page_bytes", 8192),
            "m.json: $.translations[1].page_bytes: is not above that of the entry before");
  EXPECT_EQ(said_of("/translations/1/page_bytes", 12288),
            "m.json: $.translations[1].page_bytes: is no power of two");
  EXPECT_EQ(said_of("/line_bytes", 48), "m.json: $.line_bytes: is no power of two");
  EXPECT_EQ(said_of("/levels", Json::array()),
            "m.json: $.levels: the list is empty; at least one level is needed");
  EXPECT_EQ(said_of("/translations/0/levels", Json::array()),
            "m.json: $.translations[0].levels: the list is empty; at least one level is needed");
}

TEST(MachineNames, AreThoseOfTheProgramsOwnFiles) {
  EXPECT_THAT(own_machines(), ElementsAre("core2_t7300"));
  EXPECT_EQ(load_machine("core2_t7300").machine.name, "core2_t7300");
  EXPECT_EQ(
      usage_error([] { load_machine("core2_t7200"); }),
      "no machine is called `core2_t7200`; there are `host` or `core2_t7300`, and files as ./mine.json; "
      "did you mean `core2_t7300`?");
}

TEST(MachineCores, AreThereWhereEitherTimeIs) {
  const auto has = [](double line_ns, double input_ns) {
    caches::Machine machine;
    machine.core.line_ns = line_ns;
    machine.core.input_ns = input_ns;
    return has_core(machine);
  };
  EXPECT_FALSE(has(0, 0));
  EXPECT_TRUE(has(0.5, 0));
  EXPECT_TRUE(has(0, 0.5));
}

// A file is one by either: a folder before its name, or what its name ends with.
TEST(MachineNames, MayBeFiles) {
  const TemporaryFolder folder;
  const MachineFile without_ending = load_machine(folder.write("mine", full));
  EXPECT_EQ(without_ending.machine.name, "mine");
  EXPECT_EQ(without_ending.machine.title, "A machine");
  EXPECT_EQ(load_machine(folder.write("yours.json", least)).machine.name, "yours");
  EXPECT_EQ(usage_error([] { load_machine("no-such-machine.json"); }),
            "no-such-machine.json: there is no such file");
}

// A folder gives its files in any order.
TEST(MachineNames, StandInOrder) {
  const TemporaryFolder folder;
  folder.write("share/redbench/kernels/variant.hpp", "");
  for (const char* name : {"dog.json", "ant.json", "fly.json", "cat.txt", "bee.json", "eel.json", "gnu.json"})
    folder.write(std::string("share/redbench/configs/devices/caches/") + name, least);
  std::filesystem::create_directory(folder.path() + "/bin");
  std::filesystem::copy_file(REDBENCH_BINARY, folder.path() + "/bin/redbench");
  folder.write("c.json", R"({"experiments": [{"problem": "multireduce", "variants": "cpu_sequential",
    "axes": {"n": 8}}], "caches": {"loops": {"cpu_sequential": "simple"}, "machines": "elk"}})");
  EXPECT_THAT(answer_of(folder.path() + "/bin/redbench", "cachesim c.json", folder.path()).text,
              HasSubstr("no machine is called `elk`; there are `host`, `ant`, `bee`, `dog`, `eel`, `fly` or "
                        "`gnu`, and files as ./mine.json; did you mean `eel`?"));
}

}  // namespace
}  // namespace redbench
