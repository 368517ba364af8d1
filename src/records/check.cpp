#include "src/records/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/error.hpp"
#include "src/json/node.hpp"
#include "src/json/strict.hpp"
#include "src/records/columns.hpp"
#include "src/records/derived.hpp"
#include "src/records/fields.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

struct Kind {
  const char* text;
  bool (*has)(const Json&);
};
/// By FieldKind. Strict JSON has neither NaN nor infinity.
constexpr Kind kinds[] = {
    {"a text", [](const Json& value) { return value.is_string(); }},
    {"a whole number from 0",
     [](const Json& value) {
       return value.is_number_unsigned() || (value.is_number_integer() && value >= 0);
     }},
    {"a finite number from 0", [](const Json& value) { return value.is_number() && value >= 0; }},
    {"true or false", [](const Json& value) { return value.is_boolean(); }},
    {"a list", [](const Json& value) { return value.is_array(); }},
    {"an object", [](const Json& value) { return value.is_object(); }}};

std::string mistake_in_value(const Json& value, const Field& field, const std::string& place);

/// The first mistake in a list of objects.
template <class Check>
std::string mistake_in_entries(const Json& list, const std::string& place, const Check& check) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", place, i);
    if (!list[i].is_object())
      return fmt::format("{}: an object is expected, not {}", entry, shortened(list[i]));
    if (std::string mistake = check(list[i], entry + "."); !mistake.empty()) return mistake;
  }
  return {};
}

/// Checks the fields; `place` is a path that ends with a dot, or empty.
std::string mistake_in_known(const Json& object, const std::vector<Field>& fields, const std::string& place) {
  for (const Field& field : fields) {
    const auto found = object.find(field.name);
    const bool is_missing = found == object.end(), is_null = is_missing || found->is_null();
    if ((is_null && field.nullable()) || (is_missing && field.is_derived)) continue;
    const std::string mistake = is_null ? fmt::format("{}{}: missing", place, field.name)
                                        : mistake_in_value(*found, field, place + field.name);
    if (!mistake.empty()) return mistake;
  }
  return {};
}

/// The same, and fields that are not known.
std::string mistake_in_object(const Json& object, const std::vector<Field>& fields,
                              const std::string& place) {
  auto expected = fields.begin();  // a file has its fields in this order, so that most are found at once
  for (const auto& [name, value] : object.items()) {
    if (expected == fields.end() || expected->name != name)
      expected = std::ranges::find(fields, name, &Field::name);
    if (expected == fields.end()) {
      std::vector<std::string> names;
      for (const Field& field : fields) names.push_back(field.name);
      return fmt::format("{}{}: no such field{}", place, name, nearest_match(name, names));
    }
    ++expected;
  }
  return mistake_in_known(object, fields, place);
}

std::string mistake_in_value(const Json& value, const Field& field, const std::string& place) {
  if (const Kind& kind = kinds[std::size_t(field.kind)]; !kind.has(value))
    return fmt::format("{}: {} is expected, not {}", place, kind.text, shortened(value));
  const std::vector<std::string>& allowed = field.allowed;
  if (!allowed.empty() && std::ranges::find(allowed, value.get<std::string>()) == allowed.end())
    return fmt::format("{}: {} is expected, not {}", place, alternatives(allowed), shortened(value));
  if (field.fields.empty()) return {};
  if (field.kind == FieldKind::object) return mistake_in_object(value, field.fields, place + ".");
  return mistake_in_entries(value, place, [&](const Json& entry, const std::string& at) {
    return mistake_in_object(entry, field.fields, at);
  });
}

/// Axes and parameters are columns of the same tables as the fields.
std::string mistake_in_columns(const Json& record) {
  static const std::vector<std::string> taken = column_names();
  for (const char* group : {"axes", "parameters"})
    for (const auto& [name, value] : record[group].items()) {
      if (std::ranges::find(taken, name) != taken.end())
        return fmt::format("{}.{}: the name of a field", group, name);
      if (value.is_array())
        return fmt::format("{}.{}: one value is expected, not {}", group, name, shortened(value));
    }
  return {};
}

std::string mistake_in_samples(const Json& samples) {
  for (std::size_t fork = 0; fork < samples.size(); ++fork) {
    if (!samples[fork].is_array() || samples[fork].empty())
      return fmt::format("samples_ns[{}]: a list of numbers is expected, not {}", fork,
                         shortened(samples[fork]));
    for (const Json& sample : samples[fork])
      if (!kinds[std::size_t(FieldKind::number)].has(sample))
        return fmt::format("samples_ns[{}]: a finite number from 0 is expected, not {}", fork,
                           shortened(sample));
  }
  return samples.empty() ? "samples_ns: one fork at least is expected" : "";
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// The median of the forks' medians (docs/reference/records.md).
double time_of(const Json& samples) {
  std::vector<double> medians;
  for (const Json& fork : samples) medians.push_back(middle(fork.get<std::vector<double>>()));
  return middle(medians);
}

/// A number of the file, and what it must be by other fields.
struct Agreement {
  const char* field;
  double follows;
  const char* from;
};

/// Numbers are written with all their digits, so they agree up to rounding.
std::string contradiction(const Json& record, const Agreement& of) {
  const double stored = record[of.field].get<double>();
  if (std::isfinite(of.follows) && std::abs(stored - of.follows) <= 1e-9 * std::abs(of.follows)) return {};
  return fmt::format("{}: {} contradicts {}, from which {} follows", of.field, stored, of.from, of.follows);
}

/// The record has passed, and is completed.
std::string mistake_in_error(const Json& record) {
  const Json &error = record["error"], &bound = record["error_bound"];
  if (error.is_null() || error == 0 || (!bound.is_null() && error <= bound)) return {};
  return fmt::format("error: {} is more than error_bound, {}, of a case that passed", shortened(error),
                     shortened(bound));
}

/// The record has passed, and is completed.
std::string mistake_in_times(const Json& record) {
  const Json &time = record["time_ns"], &low = record["time_low_ns"], &high = record["time_high_ns"];
  const Json &samples = record["samples_ns"], &percent = record["percent_of_ceiling"];
  std::vector<Agreement> agreements;
  if (!samples.is_null()) {
    if (std::string mistake = mistake_in_samples(samples); !mistake.empty()) return mistake;
    if (time.is_null()) return "time_ns: missing, though there are samples_ns";
    agreements = {{"forks", double(samples.size()), "samples_ns"},
                  {"time_ns", time_of(samples), "samples_ns"}};
  }
  if (low.is_null() != high.is_null()) return "time_low_ns, time_high_ns: one of the two is missing";
  if (!low.is_null() && (time.is_null() || low > time || time > high))
    return fmt::format("time_ns: {} is not within its interval, {} to {}", shortened(time), shortened(low),
                       shortened(high));
  if (time.is_null() || time == 0) {
    for (const char* rate : {"bandwidth_gb_per_s", "percent_of_ceiling"})
      if (!record[rate].is_null()) return fmt::format("{}: there is no time_ns from which it follows", rate);
    return {};
  }
  const double ns = time.get<double>(), n = record["n"].get<double>();
  const double bytes = record["bytes_read"].get<double>() + record["bytes_written"].get<double>();
  agreements.push_back({"bandwidth_gb_per_s", bytes / ns, "bytes_read, bytes_written and time_ns"});
  if (n > 0) agreements.push_back({"ns_per_input", ns / n, "time_ns and n"});
  for (const Agreement& of : agreements)
    if (!record[of.field].is_null())
      if (std::string mistake = contradiction(record, of); !mistake.empty()) return mistake;
  if (record["taken_off_percent"] > 100)
    return fmt::format("taken_off_percent: at most 100 is expected, not {}",
                       shortened(record["taken_off_percent"]));
  const Json& above = record["above_ceiling"];
  if (!percent.is_null() && !above.is_null() && above != (percent > 100))
    return fmt::format("above_ceiling: {} contradicts percent_of_ceiling, {}", shortened(above),
                       shortened(percent));
  return {};
}

std::string mistake_in_sessions(const Json& facts) {
  const auto sessions = facts.find("sessions");
  // An older run.json has the facts of its only session itself.
  if (sessions == facts.end())
    return facts.contains("started") ? mistake_in_known(facts, session_fields(), "") : "sessions: missing";
  if (sessions->empty()) return "sessions: one at least is expected";
  return mistake_in_entries(*sessions, "sessions", [](const Json& session, const std::string& at) {
    return mistake_in_known(session, session_fields(), at);
  });
}

/// The first number that JSON does not have: it would be written as null.
std::string mistake_in_numbers(const Json& value, const std::string& place) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    return fmt::format("{}: a finite number is expected, not {}", place, value.get<double>());
  if (value.is_structured())
    for (const auto& [name, member] : value.items()) {
      const std::string at = value.is_array() ? fmt::format("{}[{}]", place, name)
                             : place.empty()  ? name
                                              : place + "." + name;
      if (std::string mistake = mistake_in_numbers(member, at); !mistake.empty()) return mistake;
    }
  return {};
}

/// What a reader of its line would say.
std::string why_not_readable(const Record& record) {
  if (std::string mistake = mistake_in_numbers(record, ""); !mistake.empty()) return mistake;
  try {
    return why_not_a_record(parse_strictly(line_of(record), "its line"));
  } catch (const UsageError& error) {
    return error.what();
  }
}

void complete(Json& object, const std::vector<Field>& fields, bool passed) {
  for (const Field& field : fields) {
    Json& value = object[field.name];
    if (!passed && field.of_passed) value = nullptr;
    if (value.is_array() && !field.fields.empty())
      for (Json& entry : value) complete(entry, field.fields, passed);
  }
}

}  // namespace

std::string why_not_a_record(Json line) { return complete_checked(line); }

std::string complete_checked(Record& line) {
  if (!line.is_object()) return "an object is expected";
  const auto schema = line.find("schema");
  if (schema == line.end() || *schema != record_schema)
    return fmt::format("not a record of schema {}, which this redbench writes and reads", record_schema);
  std::string mistake = mistake_in_object(line, case_fields(), "");
  if (mistake.empty()) mistake = mistake_in_columns(line);
  if (!mistake.empty()) return mistake;
  line = completed(std::move(line));
  if (line["outcome"] != name_of(Outcome::passed)) return {};
  mistake = mistake_in_error(line);
  return mistake.empty() ? mistake_in_times(line) : mistake;
}

std::string why_not_a_run(const Json& facts) {
  if (!facts.is_object()) return "missing, or not redbench's";
  std::string mistake = mistake_in_known(facts, run_fields(), "");
  if (!mistake.empty()) return mistake;
  if (facts["schema"] != record_schema)
    return fmt::format("schema: {} is expected, which this redbench writes and reads, not {}", record_schema,
                       shortened(facts["schema"]));
  return mistake_in_sessions(facts);
}

Record readable(Record record) {
  const std::string mistake = why_not_readable(record);
  if (mistake.empty()) return record;
  record["outcome"] = name_of(Outcome::failed);
  record["reason"] = "what was measured is no record: " + mistake;
  record["chain"] = nullptr;
  record["launches"] = Json::array();  // the variant's own, as the fields of a passed case are
  complete(record, case_fields(), false);
  if (const std::string still = why_not_readable(record); !still.empty())
    throw std::runtime_error(fmt::format("{}: cannot be recorded: {}", shortened(record["key"]), still));
  return record;
}

Record completed(Record record) {
  complete(record, case_fields(), record["outcome"] == name_of(Outcome::passed));
  complete_older(record);
  add_derived(record);
  return record;
}

}  // namespace redbench
