#include "src/claims/claim_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "src/claims/columns.hpp"
#include "src/config/config.hpp"
#include "src/config/rows.hpp"
#include "src/config/shape.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_folder = "configs/claims";

/// Columns with their values, and `pick`.
Shape selection() {
  Shape rows = rows_where();
  Json schema =
      open_object({{"pick", one_of(strings(pick_names)),
                    "of several records of a case: the one that counts; without it there must be one"}},
                  Json::object())
          .schema;
  schema["additionalProperties"] = rows.definitions["where"]["additionalProperties"];
  Shape shape = described("an object", schema);
  shape.check = [](const Node& node) {
    if (!node.value().is_object()) node.expected("an object");
  };
  return named("selection", shape);
}

/// Keys that a kind of test takes besides those of all kinds; `needed` are mandatory.
struct KindKeys {
  std::vector<std::string> needed, taken;
};
const KindKeys& keys_of(ClaimKind kind) {
  static const std::map<ClaimKind, KindKeys> keys{
      {ClaimKind::ordering, {{"of"}, {"quantity"}}},
      {ClaimKind::ratio, {{"of", "to"}, {"quantity", "above", "below", "equals", "over"}}},
      {ClaimKind::value, {{"of", "quantity"}, {"above", "below", "equals", "over"}}},
      {ClaimKind::slope, {{"of", "x"}, {"above", "below"}}},
      {ClaimKind::optimum, {{"of", "x", "among"}, {"is", "tolerance_percent"}}},
      {ClaimKind::step, {{"of", "x"}, {"above", "below"}}}};
  return keys.at(kind);
}

std::vector<Key> test_keys() {
  const ClaimTest usual;
  const auto number_key = [](const char* name, const char* what) { return Key{name, number(), what}; };
  return {
      {"kind", one_of(strings(claim_kind_names)), "what is tested (above)", {}, true},
      {"name", text(), "for readers: the sentence of the claim that this tests, in a few words"},
      {"configs",
       list_of(text(), "config"),
       "whose runs it reads: `martin2012/fig4`; `profile/martin2012/table3` for those of `redbench profile`",
       {},
       true},
      {"where", rows_where(), "column to value or list of values: only these records", Json::object()},
      {"at", list_of(text()), "columns: each combination of their values is a case", Json::array()},
      {"worst", list_of(text()), "columns: of records that differ in these alone the slowest counts",
       Json::array()},
      {"quantity", text(),
       "what is compared with the bounds: `time_ns`, a counter of the modelled device, another number of a "
       "record or a column from below; in a `ratio` and an `ordering` the time or a number that does not "
       "follow from it",
       usual.quantity},
      {"of", one_or_more(selection()),
       "column to value or list of values: which record of a case; each of a list is compared with `to`; of "
       "an `ordering` the least first"},
      {"to", selection(), "the same: what a `ratio` is to"},
      number_key("above", "more than this"),
      number_key("below", "less than this"),
      number_key("equals", "this, of a number that does not follow from a time"),
      {"over", one_of(strings(over_names)),
       "what is compared with the bounds: `each` case, or one statistic of all of them", "each"},
      {"x", text(), "the column along which records lie; of a `step` a number of words of 4 bytes"},
      {"among", list_of(number(), "value"), "values of `x`: one of them is the best"},
      {"is", one_of(strings(pick_names)), "what an `optimum` is", "fastest"},
      {"tolerance_percent", number_above(0), "what is no slower than by this is as good"},
      {"decides", flag(), "false: its numbers are reported and decide nothing", true},
  };
}

std::vector<Key> claim_keys() {
  return {{"id",
           text_like("letters, digits and `-`, not first a `-`", "[a-z0-9][a-z0-9-]{0,79}"),
           "which no other claim of the paper has",
           {},
           true},
          {"source", text(), "the section or figure of the paper", {}, true},
          {"sentence", text(), "what the paper says, in our own words", {}, true},
          {"tests",
           list_of(object(test_keys()), "test"),
           "its sentences: it holds where all of them do, and in part where some do",
           {},
           true}};
}

const Shape& file_shape() {
  static const Shape shape =
      object({{"title", text(), "the paper, for readers", {}, true},
              {"claims", list_of(object(claim_keys()), "claim"), "what it says", {}, true}});
  return shape;
}

class ClaimReader {
 public:
  ClaimReader(std::string paper, std::string title)
      : paper_(std::move(paper)), title_(std::move(title)), columns_(all_problems(), claim_columns(), "") {}

  Claim read(const Node& node) {
    const Json& json = node.value();
    Claim claim{paper_, title_, json["id"], json["source"], json["sentence"], {}};
    const auto [place, is_new] = ids_.try_emplace(claim.id, node.path());
    if (!is_new) node["id"].fail(fmt::format("{} has this id, too", place->second));
    for (const Node& test : node["tests"].list()) claim.tests.push_back(read_test(test));
    return claim;
  }

 private:
  static const std::vector<const Problem*>& all_problems() {
    static const std::vector<const Problem*> all = [] {
      std::vector<const Problem*> pointers;
      for (const Problem& problem : problems()) pointers.push_back(&problem);
      return pointers;
    }();
    return all;
  }

  ClaimTest read_test(const Node& node) const {
    ClaimTest test;
    test.kind = ClaimKind(node["kind"].choice(strings(claim_kind_names)));
    check_keys(node, test.kind);
    const Json& json = node.value();
    test.name = json.value("name", test.name);
    for (const Node& config : node["configs"].list()) test.configs.push_back(read_config_name(config));
    if (node.has("where")) test.where = columns_.read_where(node["where"]);
    for (const auto& [key, columns] : {std::pair("at", &ClaimTest::at), {"worst", &ClaimTest::worst}})
      if (node.has(key))
        for (const Node& column : node[key].list()) (test.*columns).push_back(read_column(column));
    if (node.has("quantity")) test.quantity = read_column(node["quantity"]);
    for (const Node& selection : node["of"].one_or_more()) test.of.push_back(read_selection(selection));
    if (node.has("to")) test.to = read_selection(node["to"]);
    for (const auto& [key, bound] :
         {std::pair("above", &Bounds::above), {"below", &Bounds::below}, {"equals", &Bounds::equals}})
      if (node.has(key)) test.bounds.*bound = json[key].get<double>();
    if (node.has("over")) test.over = Over(node["over"].choice(strings(over_names)));
    if (node.has("x")) test.x = read_column(node["x"]);
    if (node.has("among")) test.among = json["among"].get<std::vector<double>>();
    if (node.has("is")) test.is = Pick(node["is"].choice(strings(pick_names)));
    test.tolerance_percent = json.value("tolerance_percent", test.tolerance_percent);
    test.decides = json.value("decides", test.decides);
    check_meaning(node, test);
    return test;
  }

  /// Refuses keys of other kinds, and missing ones.
  static void check_keys(const Node& node, ClaimKind kind) {
    const std::string name(claim_kind_names[std::size_t(kind)]);
    std::vector<std::string> taken{"kind", "name", "configs", "where", "at", "worst", "decides"};
    const KindKeys& own = keys_of(kind);
    for (const auto* names : {&own.needed, &own.taken})
      taken.insert(taken.end(), names->begin(), names->end());
    for (const auto& [key, value] : node.value().items())
      if (std::ranges::find(taken, key) == taken.end())
        node[key].fail(
            fmt::format("means nothing for the kind `{}`, which takes {}", name, alternatives(taken)));
    for (const std::string& key : own.needed)
      if (!node.has(key)) node.fail(fmt::format("the kind `{}` needs the key `{}`", name, key));
  }

  static void check_meaning(const Node& node, const ClaimTest& test) {
    const bool takes_bounds = std::ranges::count(keys_of(test.kind).taken, "above") > 0;
    if (takes_bounds && test.bounds.text().empty())
      node.fail("nothing to hold it against: one of `above`, `below` and `equals` is needed");
    const Follows follows = follows_time(test.quantity);
    if (test.bounds.equals && follows != Follows::exact)
      node["equals"].fail(
          fmt::format("no measured `{}` equals a number; `above` and `below` are bounds", test.quantity));
    const bool compares = test.kind == ClaimKind::ratio || test.kind == ClaimKind::ordering;
    if (compares && follows != Follows::exact && test.quantity != "time_ns")
      node["quantity"].fail("follows from the time: compare `time_ns`");
    if (test.kind == ClaimKind::ordering && test.of.size() < 2)
      node["of"].fail("an ordering is of two selections or more");
    for (const auto& [key, bound] : {std::pair("above", test.bounds.above), {"below", test.bounds.below}})
      if (bound && *bound <= 0 && (test.kind == ClaimKind::ratio || test.kind == ClaimKind::step))
        node[key].fail("no ratio is 0 or less");
    if (test.bounds.above && test.bounds.below && *test.bounds.above >= *test.bounds.below)
      node["above"].fail("nothing is above this and below `below`");
  }

  std::string read_column(const Node& node) const {
    columns_.check(node.text(), node);
    return node.text();
  }

  Selection read_selection(const Node& node) const {
    Selection selection;
    Json where = node.value();
    if (node.has("pick")) {
      selection.pick = Pick(node["pick"].choice(strings(pick_names)));
      where.erase("pick");
    }
    for (auto& [column, value] : where.items()) {
      const Node entry = node[column];
      columns_.check(column, entry);
      value = columns_.read_values(entry, column);
    }
    selection.where = std::move(where);
    return selection;
  }

  /// A config that comes with the program, by its path below configs/.
  static std::string read_config_name(const Node& node) {
    const std::string path = config_path(node.text());
    std::error_code error;
    const std::vector<fs::path> places = places_of(path);
    if (std::ranges::none_of(places,
                             [&](const fs::path& place) { return fs::is_regular_file(place, error); }))
      node.fail(fmt::format("there is no config `{}`{}", path, nearest_config(places[0].string())));
    return node.text();
  }

  std::string paper_, title_;
  RowColumns columns_;
  std::map<std::string, std::string> ids_;  // with their places
};

std::vector<std::string> own_claim_files() {
  std::vector<std::string> files;
  for (const fs::path& folder : places_of(own_folder)) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".json" && entry.path().filename() != "schema.json")
        files.push_back(entry.path().string());
    if (!files.empty()) break;
  }
  std::ranges::sort(files);
  if (files.empty()) throw UsageError(fmt::format("{}: no claims come with this redbench", own_folder));
  return files;
}

}  // namespace

std::string Bounds::text() const {
  if (equals) return fmt::format("= {:g}", *equals);
  if (above && below) return fmt::format("{:g} to {:g}", *above, *below);
  if (above) return fmt::format("> {:g}", *above);
  return below ? fmt::format("< {:g}", *below) : "";
}

std::string Claim::kinds() const {
  std::vector<std::string_view> names;
  for (const ClaimTest& test : tests)
    if (const std::string_view name = claim_kind_names[std::size_t(test.kind)];
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string config_path(std::string_view run) {
  constexpr std::string_view profiled = "profile/";
  if (run.starts_with(profiled)) run.remove_prefix(profiled.size());
  return fmt::format("configs/{}.json", run);
}

std::vector<Claim> read_claims(const std::string& path) {
  const Json file = read_json_file(path, "a file of claims");
  const Origins origins{path, {}};
  const Node root(file, "$", origins);
  file_shape().check(root);
  ClaimReader reader(fs::path(path).stem().string(), file["title"]);
  std::vector<Claim> claims;
  for (const Node& node : root["claims"].list()) claims.push_back(reader.read(node));
  return claims;
}

std::vector<Claim> read_all_claims(const std::vector<std::string>& paths) {
  std::vector<Claim> all;
  std::set<std::string> names;
  for (const std::string& path : paths.empty() ? own_claim_files() : paths)
    for (Claim& claim : read_claims(path)) {
      if (!names.insert(claim.name()).second)
        throw UsageError(
            fmt::format("{}: another file of this name has the claim `{}`, too", path, claim.id));
      all.push_back(std::move(claim));
    }
  return all;
}

std::string claims_schema_text() {
  return schema_text(file_shape(), "Claims of a paper",
                     "Printed by `redbench schema --claims`. redbench itself checks more: columns, values, "
                     "variants, configs, and which keys a kind of test takes.");
}

std::string claims_markdown() {
  std::string text = keys_markdown(file_shape());
  text += "\n### Columns of claims alone\n| column | meaning |\n| --- | --- |\n" + derived_columns_markdown();
  return text;
}

}  // namespace redbench
