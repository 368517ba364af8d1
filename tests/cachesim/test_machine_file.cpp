// Machines of the cache simulator as JSON: each key, what holds without it, where a mistake is, and where a
// machine is found by its name or path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "src/cachesim/machine.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

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
  "core": {"input_ns": 1.25, "forward_ns": 2.75, "chain_ns": 3.5, "misses": 10,
           "store_misses": 20, "window": 30, "stores": 40, "walks": 5, "line_ns": 4.5},
  "unsure": ["the clock", "the TLB"]})";

/// Of those that no machine goes without, and those that a part of it may lack.
const std::string least = R"({"title": "t", "source": "s", "memory_ns": 100,
  "levels": [{"name": "L1", "bytes": 4096, "ways": 4, "ns": 2}],
  "translations": [{"page_bytes": 4096, "levels": [{"name": "T", "entries": 8, "ways": 4}]}],
  "core": {"input_ns": 1, "forward_ns": 3, "misses": 4, "store_misses": 5, "window": 6,
           "stores": 7, "walks": 8, "line_ns": 9}})";

/// The mistake in the machine above with that value, or without it where there is none; empty: it is taken.
std::string mistake(const std::string& place, const std::optional<Json>& value) {
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
  const cachesim::Machine file = parse_machine("mine", full, "m.json");
  EXPECT_EQ(file.published_as, "Old PC");
  EXPECT_EQ(file.name, "mine");
  nlohmann::json expected = nlohmann::json::parse(full);  // whose keys are in any order
  expected.erase("published_as");
  EXPECT_EQ(nlohmann::json::parse(serialize_machine(file).dump()), expected);
}

TEST(MachineKeys, HaveFallbacks) {
  const cachesim::Machine file = parse_machine("m", least, "m.json");
  const cachesim::Machine& machine = file;
  EXPECT_EQ(file.published_as, "");
  EXPECT_EQ(machine.line_bytes, 64u);
  EXPECT_EQ(machine.prefetch, cachesim::Prefetch::next_line);
  EXPECT_EQ(machine.levels.at(0).replacement, cachesim::Replacement::tree_plru);
  EXPECT_EQ(machine.translations.at(0).directories, 32u);
  EXPECT_EQ(machine.translations[0].walk_ns + machine.translations[0].levels.at(0).ns + machine.core.chain_ns,
            0);
  EXPECT_FALSE(machine.scattered_frames);
}

// A missing number would be whatever lies in memory.
TEST(MachineKeys, OfWhichOneIsMissingAreRefused) {
  const Json places = nlohmann::ordered_json::parse(least).flatten();
  for (const auto& [place, value] : places.items())
    EXPECT_THAT(mistake(place, {}),
                HasSubstr("the key `" + place.substr(place.rfind('/') + 1) + "` is missing"));
  EXPECT_EQ(mistake("/core/window", {}), "m.json: $.core: the key `window` is missing: inputs in flight");
}

TEST(MachineKeys, AreRefusedByFilePlaceAndWhatIsAllowed) {
  const std::string whole = ": expected a whole number from ",
                    ns = ": expected a number of nanoseconds, 0 to 10^6, got ";
  const struct {
    std::string place;
    Json value;
    std::string message;  // behind the file's name
  } mistakes[] = {
      {"/memroy_ns", 1, "did you mean `memory_ns`?"},
      {"/prefetch", "next_lien", "did you mean `next_line`?"},
      {"/levels/1/ways", 0, "$.levels[1].ways" + whole + "1 to 1048576, got 0"},
      {"/levels/1/bytes", 17179869185, "$.levels[1].bytes" + whole + "16 to 17179869184, got 17179869185"},
      {"/core/walks", 4097, "$.core.walks" + whole + "1 to 4096, got 4097"},
      {"/levels/1/ns", -0.5, "$.levels[1].ns" + ns + "-0.5"},
      {"/translations/0/levels/1/ns", 1000000.5, "$.translations[0].levels[1].ns" + ns + "1000000.5"},
      {"/memory_ns", "1", "$.memory_ns" + ns + "\"1\""},
      {"/line_bytes", 48, "$.line_bytes: is no power of two"},
      {"/levels", Json::array(), "$.levels: the list is empty; at least one level is needed"},
      {"/levels/0/bytes", 6000, "$.levels[0].bytes: 6000 is no multiple of 3 ways of lines of 128 bytes"},
      {"/levels/0/replacement", "tree_plru",
       "$.levels[0].ways: `tree_plru` takes a power of two up to 64, not 3; `lru` takes any"},
      {"/levels/1/ways", 128,
       "$.levels[1].ways: `tree_plru` takes a power of two up to 64, not 128; `lru` takes any"},
      {"/translations/1/levels/0/ways", 9,
       "$.translations[1].levels[0].entries: 24 is no multiple of 9 ways"},
      {"/translations/1/page_bytes", 12288, "$.translations[1].page_bytes: is no power of two"},
      {"/translations/1/page_bytes", 8192,
       "$.translations[1].page_bytes: is not above that of the entry before"}};
  for (const auto& row : mistakes) {
    const std::string message = mistake(row.place, row.value);
    EXPECT_TRUE(message.starts_with("m.json: $.") && message.ends_with(row.message)) << message;
  }
  EXPECT_THAT(usage_error([] { parse_machine("m", "[]", "m.json"); }),
              HasSubstr("m.json: $: expected an object"));
}

// What has a slash or ends as files of machines do is a path, all else a name; redbench's own are there from
// anywhere, and before those of the working directory.
TEST(MachineNames, AreOwnFilesOrPaths) {
  const TemporaryFolder folder;
  folder.write("mine.json", full);
  folder.write("sub/yours", full);
  folder.write("configs/devices/caches/ant.json", least);
  folder.write("configs/devices/caches/core2_t7300.json", least);
  folder.write("ant", "no machine");
  folder.write("bad.json", R"({"title": "t"})");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_THAT(own_machines(), ElementsAre("core2_t7300"));
  EXPECT_EQ(load_machine("mine.json").name, "mine");
  EXPECT_EQ(load_machine("./sub/yours").name, "yours");
  EXPECT_EQ(load_machine("ant").title, "t");
  EXPECT_NE(load_machine("core2_t7300").title, "t");
  EXPECT_EQ(usage_error([] { load_machine("bad.json"); }),
            "bad.json: $: the key `source` is missing: where the numbers come from");
  EXPECT_EQ(usage_error([] { load_machine("no-such-machine.json"); }),
            "no-such-machine.json: there is no such file");
  EXPECT_EQ(
      usage_error([] { load_machine("core2_t7200"); }),
      "no machine is called `core2_t7200`; there are `host` or `core2_t7300`, and files as ./mine.json; "
      "did you mean `core2_t7300`?");
  fs::current_path(before);
}

}  // namespace
}  // namespace redbench
