// The table of config keys: each key by itself, checked as its JSON schema says; and what is printed from the
// table.
#include "src/config/schema.hpp"

#include "src/config/keys.hpp"
#include "src/config/resolved.hpp"
#include "tests/config/config_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Json& schema() {
  static const Json parsed = Json::parse(schema_text(record_columns()));
  return parsed;
}

Json resolved(Json shape) {
  while (shape.contains("$ref"))
    shape = schema().at(Json::json_pointer(shape["$ref"].get<std::string>().substr(1)));
  return shape;
}

/// A config with every object that a key may be in.
Json whole_config() {
  return Json::parse(R"({
    "experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 64}}],
    "measure": {},
    "plots": [{"name": "a", "x": "n", "y": "time_ns",
               "published": {"file": "results/papers/slides.csv"}}],
    "caches": {"loops": {}}})");
}

/// A value that the schema of a key of `measure` allows and that is not its default.
Json other_value(const Json& shape) {
  const Json& usual = shape["default"];
  if (usual.is_boolean()) return !usual.get<bool>();
  if (usual.is_array()) return Json::array({"warm"});  // the modes
  if (usual.is_number_integer()) return usual.get<int>() + 1;
  return usual.get<double>() + 1;
}

class KeyByKey : public ConfigFile {
 protected:
  std::string error_with(const std::string& pointer, const Json& value) {
    Json config = whole_config();
    config[Json::json_pointer(pointer)] = value;
    return error(config.dump());
  }

  /// Every key below `pointer`, whose JSON schema is `shape`. Returns how many there are.
  int check_keys(const std::string& pointer, const std::string& path, const Json& shape) {
    int count = 0;
    for (const auto& [name, property] : shape.at("properties").items()) {
      const Json of_key = resolved(property);
      check_key(pointer, path, name, of_key);
      ++count;
      if (name.starts_with("on_")) continue;  // the same keys again
      const Json whole = whole_config();
      const Json::json_pointer inner(pointer + "/" + name);
      if (!whole.contains(inner)) continue;
      if (of_key.value("additionalProperties", Json(true)) == false)
        count += check_keys(pointer + "/" + name, path + "." + name, of_key);
      if (of_key.value("type", "") == "array" && resolved(of_key["items"]).contains("properties"))
        count +=
            check_keys(pointer + "/" + name + "/0", path + "." + name + "[0]", resolved(of_key["items"]));
    }
    return count;
  }

 private:
  void check_key(const std::string& pointer, const std::string& path, const std::string& name,
                 const Json& shape) {
    const std::string at = "x.json: " + path + "." + name;
    const auto refused = [&](const Json& value, const std::string& place) {
      EXPECT_THAT(error_with(pointer + "/" + name, value), StartsWith(place)) << value;
    };
    const bool is_object = shape.value("type", "") == "object";
    refused(is_object ? Json(7) : Json::parse(R"({"no": {"such": "thing"}})"), at + ": expected ");
    refused(nullptr, at + ": expected ");
    if (shape.contains("minimum")) refused(shape["minimum"].get<std::int64_t>() - 1, at + ": expected ");
    if (shape.contains("maximum"))
      refused(std::uint64_t(shape["maximum"].get<std::int64_t>()) + 1, at + ": expected ");
    if (shape.contains("exclusiveMinimum")) refused(shape["exclusiveMinimum"], at + ": expected ");
    if (shape.contains("pattern")) refused("no/such", at + ": expected ");
    if (shape.contains("minItems")) refused(Json::array(), at + ": the list is empty");
    if (shape.contains("anyOf")) {
      refused(Json::array(), at + ": the list is empty");
      if (resolved(shape["anyOf"][0]).contains("enum")) {
        refused("nonsense", at + ": unknown name `nonsense`");
        refused({"nonsense"}, at + "[0]: unknown name `nonsense`");
      }
    }
    const std::string neighbour = error_with(pointer + "/" + name + "_", 1);
    EXPECT_THAT(neighbour, StartsWith(at + "_: unknown key; allowed are ")) << name;
    EXPECT_THAT(neighbour, HasSubstr("; did you mean `" + name + "`?"));
  }
};

TEST_F(KeyByKey, WrongTypesRangesAndNeighboursAreRefused) { EXPECT_GE(check_keys("", "$", schema()), 30); }

/// The default that a config spells out changes nothing; another value changes its own key, and is what a
/// worker process reads. min_samples raises max_samples, which are no fewer.
TEST_F(KeyByKey, EachOptionOfMeasureIsReadAndWrittenAlone) {
  const Json plain = load(whole_config().dump()).resolved;
  int count = 0;
  for (const auto& [name, shape] : schema()["properties"]["measure"]["properties"].items()) {
    if (!shape.contains("default")) continue;
    EXPECT_EQ(plain["measure"][name], shape["default"]) << name;
    Json config = whole_config(), expected = plain;
    expected["measure"][name] = config["measure"][name] = other_value(shape);
    const Config changed = load(config.dump());
    EXPECT_EQ(changed.resolved, expected);
    const Config worker = deserialize_config(changed.path, changed.name, changed.resolved);
    for (const Row<MeasureOptions>& row : measure_rows())
      EXPECT_EQ(row.written(worker.measure), expected["measure"][row.key.name])
          << row.key.name << " of " << name;
    ++count;
  }
  EXPECT_GE(count, 8);
}

TEST_F(KeyByKey, OtherDefaultsAreThoseOfTheProgram) {
  Json config = whole_config();
  const Json plain = load(config.dump()).resolved;
  config["seed"] = schema()["properties"]["seed"]["default"];
  const Json axes = resolved(schema()["definitions"]["experiment"]["properties"]["axes"]);
  for (const auto& [name, property] : axes["properties"].items())
    if (property.contains("default") && name != "values")
      config["experiments"][0]["axes"][name] = property["default"];
  EXPECT_EQ(load(config.dump()).resolved, plain);
}

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
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
  const std::vector<std::string> keys = settable_keys();
  for (const char* key : {"title", "measure.min_samples", "measure.trace.warp", "caches.loops", "on_simt"})
    EXPECT_THAT(keys, testing::Contains(key));
  for (const char* key : {"measure", "experiments", "plots", "caches"})
    EXPECT_THAT(keys, testing::Not(testing::Contains(key)));
  EXPECT_EQ(meaning_of_key("measure.trace.warp"), "number of the warp in its block");
  EXPECT_THAT(redbench("run --help").text, HasSubstr(meaning_of_key("measure.min_samples")));
}

}  // namespace
}  // namespace redbench
