#include "src/tables/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/fields.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/record_axes.hpp"
#include "src/text/csv.hpp"
#include "src/text/nearest.hpp"
#include "src/text/number.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> facts{"figure", "variant",  "device", "quantity",
                                     "unit",   "relation", "value",  "source"};
const std::vector<std::string> required{"figure",   "variant", "device",   "n",     "type",  "operator",
                                        "quantity", "unit",    "relation", "value", "source"};
const std::vector<std::string> relations{"=", "~", "<", "<=", ">", ">="};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

/// A line by column, without empty fields.
using Line = std::map<std::string, std::string>;

double number_in(const Line& line, const std::string& place) {
  const std::string text = line.contains("value") ? line.at("value") : "";
  if (const auto value = parse_number<double>(text)) return *value;
  throw UsageError(fmt::format("{}: value: a number is expected, not `{}`", place, text));
}

/// The field for the quantity and unit of a line, with the factor of the unit; null where a record has none.
std::pair<const Field*, double> field_of(const std::vector<Field>& fields, const Line& line) {
  for (const Field& field : fields)
    for (const PublishedUnit& unit : field.published)
      if (line.contains("quantity") && line.at("quantity") == unit.quantity && line.contains("unit") &&
          line.at("unit") == unit.unit)
        return {&field, unit.factor};
  return {nullptr, 1};
}

struct FieldOfPart {
  PublishedPart part;
  const Field* field;
  double factor;
};

FieldOfPart field_of_part(const Line& line) {
  const auto in = [&](PublishedPart part, const std::vector<Field>& fields) {
    const auto [field, factor] = field_of(fields, line);
    return FieldOfPart{part, field, factor};
  };
  if (line.contains("level")) return in(PublishedPart::level, level_fields());
  if (const FieldOfPart found = in(PublishedPart::whole, case_fields()); found.field) return found;
  if (const FieldOfPart found = in(PublishedPart::launch, launch_fields()); found.field) return found;
  return in(line.contains("launch") ? PublishedPart::launch : PublishedPart::whole, counter_fields());
}

Index size_in(const std::string& text, const std::string& place) {
  try {
    const std::vector<Index> sizes = parse_sizes(text);
    if (sizes.size() == 1) return sizes[0];
  } catch (const UsageError& error) {
    throw UsageError(place + ": " + error.what());
  }
  throw UsageError(place + ": one size is expected, not `" + text + "`");
}

PublishedNumber number_of(const Line& line, const std::string& place) {
  const auto text = [&](const char* name) { return line.contains(name) ? line.at(name) : std::string(); };
  PublishedNumber number;
  number.variant = text("variant");
  number.device = text("device");
  number.relation = text("relation");
  if (!contains(relations, number.relation))
    throw UsageError(fmt::format("{}: relation: {} is expected, not `{}`", place, alternatives(relations),
                                 number.relation));
  if (text("source").empty()) throw UsageError(place + ": source: where in the paper is the number?");
  for (const auto& [name, value] : line) {
    if (name == "n" || name == "m") size_in(value, place + ": " + name);
    if (name == "launch") number.launch = int(size_in(value, place + ": launch"));
    else if (name == "level") number.level = int(size_in(value, place + ": level"));
    else if (!contains(facts, name)) number.axes.emplace_back(name, value);
  }
  const auto [part, field, factor] = field_of_part(line);
  number.part = part;
  number.field = field;
  number.value = number_in(line, place) * factor;
  return number;
}

/// Whether a record's axis has the value that a paper gives.
bool agrees(const Json& value, const std::string& text) {
  if (!value.is_number_integer()) return axis_text(value) == text;
  try {
    return parse_sizes(text) == std::vector<Index>{value.get<Index>()};
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

bool PublishedNumber::is_of(const Record& record) const {
  const bool is_as_printed = part_of(record, "tuned") != true;
  return is_as_printed && record["variant"] == Json(variant) &&
         std::ranges::all_of(axes, [&](const auto& axis) {
           const Json* const value = find_axis(record, axis.first);
           return value && agrees(*value, axis.second);
         });
}

std::string PublishedNumber::text() const {
  return (relation == "=" ? "" : relation + " ") + as_printed(value / field->scale);
}

std::string PublishedNumber::heading() const {
  return fmt::format("{}, {}, published", field->heading(), device);
}

const std::vector<Field>& level_fields() {
  static const std::vector<Field> fields{
      {.name = "lanes", .label = "accesses", .published = {{"accesses", "accesses"}}},
      {.name = "cache_lines", .label = "transfers", .published = {{"transfers", "transfers"}}}};
  return fields;
}

std::vector<PublishedNumber> published_for(const std::string& config_name) {
  const std::size_t slash = config_name.find('/');
  if (slash == std::string::npos) return {};
  std::error_code error;  // a name that is too long is no error
  for (const fs::path& path : places_of(fs::path("results/papers") / (config_name.substr(0, slash) + ".csv")))
    if (fs::is_regular_file(path, error)) return read_published(path.string(), config_name.substr(slash + 1));
  return {};
}

void check_published(const Json& plots) {
  std::error_code error;
  for (const Json& plot : plots)
    if (const Json file = part_of(part_of(plot, "published"), "file"); file.is_string())
      for (const fs::path& path : places_of(fs::path(file.get<std::string>())))
        if (fs::is_regular_file(path, error)) read_published(path.string(), "");
}

std::vector<PublishedNumber> read_published(const std::string& path, const std::string& figure) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  const std::vector<std::string> header = csv_fields(text);
  for (const std::string& name : required)
    if (!contains(header, name)) throw UsageError(path + ":1: no column `" + name + "`");
  std::vector<PublishedNumber> numbers;
  for (int line_number = 2; std::getline(file, text); ++line_number) {
    const std::string place = fmt::format("{}:{}", path, line_number);
    const std::vector<std::string> fields = csv_fields(text);
    if (fields.size() != header.size())
      throw UsageError(fmt::format("{}: {} fields; the header has {}", place, fields.size(), header.size()));
    Line line;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (!fields[i].empty()) line[header[i]] = fields[i];
    const PublishedNumber number = number_of(line, place);
    if (number.field && line["figure"] == figure) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace redbench
