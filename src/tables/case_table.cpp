#include "src/tables/case_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "src/records/fields.hpp"
#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

/// A row: a case, or one of its launches.
struct Row {
  const Record& record;
  const Json* launch = nullptr;  // or access of a trace
  int number = 0;                // of the launch, or the level of the access

  const Json& fields() const { return launch ? *launch : record; }
};

struct Column {
  std::string name;
  bool is_number;
  std::function<std::string(const Row&)> text;
  int importance = Table::needed;
};

const char* const interval = "interval";
const char* const taken_off = "taken_off_percent";
const char* const published_numbers = "published";

/// Columns that a narrow table drops, the first of these first: numbers that others imply or few ask for,
/// then what a kernel does, then what papers print. All other columns, such as axes, are needed.
const char* const dispensable[] = {taken_off,
                                   "unpredicable_percent",
                                   "error_bound",
                                   "error",
                                   "limiter",
                                   "barriers",
                                   "shared_bytes",
                                   "sectors_ideal",
                                   "ns_per_input",
                                   "kernel",
                                   "registers",
                                   "active_lanes",
                                   "wavefronts",
                                   "divergent_percent",
                                   "conflicts",
                                   "sectors_per_ideal",
                                   published_numbers,
                                   "energy_nj_per_input",
                                   "percent_of_scattered"};
/// What readers want of a time; the bandwidth goes first, as it follows from the time.
const char* const wanted[] = {"bandwidth_gb_per_s", "percent_of_ceiling", interval};

int importance_of(const std::string& name) {
  if (name == "time_ns") return Table::essential;
  if (const auto found = std::ranges::find(wanted, name); found != std::end(wanted))
    return Table::wanted + int(found - std::begin(wanted));
  const auto found = std::ranges::find(dispensable, name);
  return found == std::end(dispensable) ? Table::needed : int(found - std::begin(dispensable));
}

/// The last digit of a time that is worth showing, and the number of its significant digits.
struct Precision {
  int place, digits;
};

Precision precision_of(const Record& record, double scale) {
  const Json &time = record["time_ns"], &low = record["time_low_ns"], &high = record["time_high_ns"];
  const double value = time.get<double>() / scale;
  const bool known = low.is_number() && high.is_number();
  const int place =
      last_place(value, known ? low.get<double>() / scale : 0, known ? high.get<double>() / scale : 0);
  return {place, digits_to(value, place)};
}

const Field& field_of(const std::string& name) {
  return *std::ranges::find(case_fields(), name, &Field::name);
}

std::string number_text(const Field& field, const Json& value, const Record& record) {
  const double shown = value.get<double>() / field.scale;
  if (field.digits == Digits::whole) return rounded(shown, 0);
  if (field.name.starts_with("energy")) return to_percents(shown);  // src/instruments/energy.cpp
  if (field.digits == Digits::four || !record["time_ns"].is_number()) return significant(shown);
  const Precision precision = precision_of(record, field_of("time_ns").scale);
  return field.name == "time_ns" ? rounded(shown, precision.place) : significant(shown, precision.digits);
}

/// A field as readers see it; empty where it has no value.
std::string field_text(const Field& field, const Row& row, const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  // An error bound of 0: the operator is exact, and results were compared bit by bit.
  if (field.name.starts_with("error") && !(row.record["error_bound"] > 0)) return {};
  return number_text(field, value, row.record);
}

std::string interval_text(const Record& record) {
  const Json &low = record["time_low_ns"], &high = record["time_high_ns"];
  if (!record["time_ns"].is_number() || !low.is_number() || !high.is_number()) return {};
  const double scale = field_of("time_ns").scale;
  const int place = precision_of(record, scale).place;
  return rounded(low.get<double>() / scale, place) + " to " + rounded(high.get<double>() / scale, place);
}

bool is_number(const Field& field) { return field.kind != FieldKind::text; }

void add_fields(std::vector<Column>& columns, const std::vector<Field>& fields, bool much_taken_off) {
  for (const Field& field : fields)
    if (!field.label.empty() && (much_taken_off || field.name != taken_off))
      columns.push_back(
          {field.heading(), is_number(field),
           [&field](const Row& row) { return field_text(field, row, row.fields()[field.name]); },
           importance_of(field.name)});
  for (const Field& field : counter_fields()) {
    // No quantity of its own: the minimum of the sectors in the column before.
    const bool is_ideal = field.name == "sectors_ideal";
    if (field.label.empty() && !is_ideal) continue;
    columns.push_back({is_ideal ? "ideal (sectors)" : field.heading(), true,
                       [&field](const Row& row) {
                         const Json& counters = row.fields()["counters"];
                         return counters.is_null() ? "" : field_text(field, row, counters[field.name]);
                       },
                       importance_of(field.name)});
  }
}

bool is_of_part(const PublishedNumber& printed, int number) {
  if (printed.part == PublishedPart::level) return printed.level == number;
  if (printed.part == PublishedPart::launch)
    return number > 0 && (printed.launch == 0 || printed.launch == number);
  return true;
}

/// A column for each field and device for which the paper has numbers.
void add_published(std::vector<Column>& columns, const std::vector<PublishedNumber>& published,
                   PublishedPart part) {
  for (const PublishedNumber& number : published) {
    if (number.part != part) continue;
    const std::string name = number.heading();
    if (std::ranges::find(columns, name, &Column::name) != columns.end()) continue;
    columns.push_back({name, true,
                       [&published, &number](const Row& row) {
                         std::string text;
                         for (const PublishedNumber& other : published)
                           if (other.field == number.field && other.part == number.part &&
                               other.device == number.device && other.is_of(row.record) &&
                               is_of_part(other, row.number))
                             text = other.text();
                         return text;
                       },
                       std::min(importance_of(number.field->name), importance_of(published_numbers))});
  }
}

/// The variant and each axis that varies.
std::vector<Column> columns_of_cases(const RecordAxes& axes) {
  std::vector<Column> columns{{"variant", false, [](const Row& row) { return short_variant(row.record); }}};
  for (const std::string& axis : axes.varying)
    columns.push_back({axis, !axes.of_texts.contains(axis),
                       [axis](const Row& row) { return axis_value(row.record, axis); }});
  return columns;
}

/// A table of these columns that gets its rows one by one. Of those after the first `kept`, columns without
/// any value are left out.
class Filling {
 public:
  using Texts = std::vector<std::string>;

  Filling(std::vector<Column> columns, std::size_t kept)
      : columns_(std::move(columns)), has_(columns_.size()) {
    for (std::size_t c = 0; c < kept; ++c) has_[c] = true;
  }

  /// A text for each column.
  Texts texts_of(const Row& row) const {
    Texts texts;
    for (const Column& column : columns_) texts.push_back(column.text(row));
    return texts;
  }

  void add(Texts texts) {
    for (std::size_t c = 0; c < texts.size(); ++c)
      if (!has_[c] && !texts[c].empty()) open(c);
    Texts& row = table_.rows.emplace_back();
    row.reserve(std::size_t(std::ranges::count(has_, true)) + 1);  // and an outcome
    for (std::size_t c = 0; c < texts.size(); ++c)
      if (has_[c]) row.push_back(std::move(texts[c]));
  }

  Table table() && {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (has_[c])
        table_.columns.push_back({columns_[c].name, columns_[c].is_number, columns_[c].importance});
    return std::move(table_);
  }

 private:
  /// Of the column the first value comes.
  void open(std::size_t c) {
    const auto place = std::ptrdiff_t(std::count(has_.begin(), has_.begin() + std::ptrdiff_t(c), true));
    for (Texts& row : table_.rows) row.emplace(row.begin() + place);
    has_[c] = true;
  }

  std::vector<Column> columns_;
  std::vector<bool> has_;  // a value in any row
  Table table_;
};

void add_outcomes(Table& table, const PackedRecords& records) {
  table.columns.push_back({outcome_heading, false, Table::essential});
  auto row = table.rows.begin();
  records.for_each([&](const Record& record) {
    const Json& reason = record["reason"];
    (row++)->push_back(record["outcome"].get<std::string>() +
                       (reason.is_null() ? "" : note(reason, table.notes)));
  });
}

/// The caption: axes with the same value in all rows.
std::string common_values(const TableRecords& of) {
  std::vector<std::string> parts;
  for (const std::string& axis : of.axes.common) {
    if (axis == "device" || (axis == "mode" && !of.timed)) continue;  // a mode says how times are taken
    parts.push_back(axis + " " + axis_value(of.first, axis));
  }
  if (!of.records.empty() && of.all_passed) parts.push_back("all passed");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

/// Traces are not checked when records are read.
bool is_of_level(const Json& access) {
  return access.contains("level") && access.contains("lanes") && access.contains("cache_lines");
}

}  // namespace

TableRecords::TableRecords(PackedRecords of_table)
    : records(std::move(of_table)),
      axes(records, [&, variants = std::set<std::string>()](const Record& record) mutable {
        if (first.is_null()) first = record;
        const auto trace = record.find("trace");
        all_passed &= record["outcome"] == "passed";
        timed |= record["time_ns"].is_number();
        counted |= record["counters"].is_object();
        traced |= trace != record.end() && trace->is_array();
        several |= !variants.insert(record["variant"]).second;
        much_taken_off |= record[taken_off] > 20;
      }) {}

Table case_table(const TableRecords& of, const std::vector<PublishedNumber>& published) {
  std::vector<Column> columns = columns_of_cases(of.axes);
  const std::size_t kept = columns.size();
  add_fields(columns, case_fields(), of.much_taken_off);
  const auto time = std::ranges::find(columns, field_of("time_ns").heading(), &Column::name);
  columns.insert(time + 1,
                 {fmt::format("{} ({})", interval, field_of("time_ns").unit), true,
                  [](const Row& row) { return interval_text(row.record); }, importance_of(interval)});
  add_published(columns, published, PublishedPart::whole);
  Filling filling(std::move(columns), kept);
  of.records.for_each([&](const Record& record) { return filling.texts_of({record}); },
                      [&](std::vector<std::string> texts) { filling.add(std::move(texts)); });
  Table table = std::move(filling).table();
  if (!of.all_passed) add_outcomes(table, of.records);
  table.caption = common_values(of);
  return table;
}

Table launch_table(const TableRecords& of, const std::vector<PublishedNumber>& published) {
  std::vector<Column> columns = columns_of_cases(of.axes);
  columns.push_back({"launch", true, [](const Row& row) { return std::to_string(row.number); }});
  const std::size_t kept = columns.size();
  add_fields(columns, launch_fields(), false);
  add_published(columns, published, PublishedPart::launch);
  Filling filling(std::move(columns), kept);
  const auto rows_of = [&](const Record& record) {
    std::vector<std::vector<std::string>> rows;
    int number = 0;
    for (const Json& launch : record["launches"]) {
      const bool reads = launch["bytes_read"] > 0;
      number += reads;
      rows.push_back(filling.texts_of({record, &launch, reads ? number : 0}));
    }
    return rows;
  };
  of.records.for_each(rows_of, [&](auto rows) {
    for (auto& row : rows) filling.add(std::move(row));
  });
  return std::move(filling).table();
}

Table with_ranges(Table launches) {
  const auto launch = std::size_t(std::ranges::find(launches.columns, "launch", &Table::Column::name) -
                                  launches.columns.begin());
  std::vector<std::vector<std::string>> rows;
  int first = 0, last = 0;
  for (std::vector<std::string>& row : launches.rows) {
    const int number = std::stoi(row[launch]);
    if (last > 0 && number == last + 1) {
      std::string own = std::exchange(row[launch], rows.back()[launch]);
      if (row == rows.back()) {
        last = number;
        rows.back()[launch] = fmt::format("{} to {}", first, number);
        continue;
      }
      row[launch] = std::move(own);
    }
    first = last = number;
    rows.push_back(std::move(row));
  }
  launches.rows = std::move(rows);
  return launches;
}

Table level_table(const TableRecords& of, const std::vector<PublishedNumber>& published) {
  std::vector<Column> columns{
      {"variant", false, [](const Row& row) { return row.record["variant"].get<std::string>(); }},
      {"level", true, [](const Row& row) { return row.fields()["level"].dump(); }}};
  for (const Field& field : level_fields())
    columns.push_back(
        {field.heading(), true, [&field](const Row& row) { return row.fields()[field.name].dump(); }});
  if (of.several)
    columns.push_back({"case", false, [](const Row& row) { return row.record["key"].get<std::string>(); }});
  const std::size_t kept = columns.size();
  add_published(columns, published, PublishedPart::level);
  Filling filling(std::move(columns), kept);
  const auto rows_of = [&](const Record& record) {
    std::vector<std::vector<std::string>> rows;
    const auto trace = record.find("trace");
    if (trace == record.end() || !trace->is_array()) return rows;
    for (const Json& access : *trace)
      if (is_of_level(access))
        rows.push_back(filling.texts_of(
            {record, &access, access["level"].is_number_integer() ? access["level"].get<int>() : -1}));
    return rows;
  };
  if (of.traced)
    of.records.for_each(rows_of, [&](auto rows) {
      for (auto& row : rows) filling.add(std::move(row));
    });
  return std::move(filling).table();
}

}  // namespace redbench
