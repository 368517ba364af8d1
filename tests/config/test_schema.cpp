// The table of config keys: each option of `measure` by itself, and what is printed from the table.
#include "src/config/keys.hpp"

#include "src/config/config.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

using MeasureKeys = ConfigFile;

/// A value that the schema of a key of `measure` allows and that is not its default.
Json other_value(const Json& shape) {
  const Json& usual = shape["default"];
  if (usual.is_boolean()) return !usual.get<bool>();
  return usual.is_array() ? Json::array({"warm"}) : Json(usual.get<double>() + 1);
}

/// The default that a config spells out changes nothing; another value changes its own key, and is what a
/// worker process reads.
TEST_F(MeasureKeys, EachOptionOfMeasureIsReadAndWrittenAlone) {
  const Json whole{
      {"experiments", {{{"problem", "reduce"}, {"variants", {"harris3"}}, {"axes", {{"n", 64}}}}}},
      {"measure", Json::object()}};
  const Json plain = load(whole.dump()).resolved;
  const Json schema = Json::parse(schema_text(record_columns()));
  for (const auto& [name, shape] : schema["properties"]["measure"]["properties"].items()) {
    if (!shape.contains("default")) continue;
    EXPECT_EQ(plain["measure"][name], shape["default"]) << name;
    Json config = whole, expected = plain;
    expected["measure"][name] = config["measure"][name] =
        shape["type"] == "integer" ? Json(shape["default"].get<int>() + 1) : other_value(shape);
    const Config changed = load(config.dump());
    EXPECT_EQ(changed.resolved, expected);
    const Config worker = deserialize_config(changed.path, changed.name, changed.resolved);
    for (const Row<MeasureOptions>& row : measure_rows())
      EXPECT_EQ(row.written(worker.measure), expected["measure"][row.key.name])
          << row.key.name << " of " << name;
  }
}

std::string text_of(const std::string& path) {
  return text_in(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
}

TEST(Printed, TheCommittedSchemaIsThePrintedOne) {
  const Answer answer = redbench("schema");
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.text, text_of("configs/schema.json"))
      << "write it anew: build/redbench schema > configs/schema.json";
}

TEST(Printed, TheReadmeListsTheKeys) {
  const Answer answer = redbench("schema --markdown");
  EXPECT_EQ(answer.exit_code, 0);
  const std::string begin = "<!-- redbench schema --markdown -->\n", end = "<!-- end -->";
  const std::string readme = text_of("configs/README.md");
  const std::size_t first = readme.find(begin) + begin.size();
  EXPECT_EQ(answer.text, readme.substr(first, readme.find(end) - first))
      << "put the output of `redbench schema --markdown` between the two marks";
}

// Lists are left out, as their members have no place yet; what has keys of its own is named by these.
TEST(Printed, KeysThatAreSetByTheirPathAlone) {
  std::vector<std::string> keys;
  for (const auto& [key, meaning] : settable_keys()) keys.push_back(key);
  for (const char* key : {"title", "measure.min_samples", "measure.trace.warp", "caches.loops", "on_simt"})
    EXPECT_THAT(keys, testing::Contains(key));
  for (const char* key : {"measure", "experiments", "plots", "caches"})
    EXPECT_THAT(keys, testing::Not(testing::Contains(key)));
  EXPECT_EQ(meaning_of_key("measure.trace.warp"), "number of the warp in its block");
  EXPECT_THAT(redbench("run --help").text, HasSubstr(meaning_of_key("measure.min_samples")));
}

}  // namespace
}  // namespace redbench
