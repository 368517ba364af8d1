#include "src/tables/record_axes.hpp"

#include <algorithm>

#include "src/inputs/problem.hpp"
#include "src/records/fields.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

/// Fields that are axes: those of measuring, device and mode, or the others.
std::vector<std::string> axes_of_every_record(bool of_measuring) {
  std::vector<std::string> names;
  for (const Field& field : case_fields())
    if (field.is_axis && (field.name == "device" || field.name == "mode") == of_measuring)
      names.push_back(field.name);
  return names;
}

/// Of an axis, for readers; null where a record does not have it.
std::string text_of(const Json* value) {
  if (!value) return "-";
  return value->is_number_integer() ? format_size(value->get<Index>()) : axis_text(*value);
}

/// Whether readers see two values. Most are the same: texts are made of the others alone.
bool differ(const Json* a, const Json* b) {
  if (a && b && a->type() == b->type() && *a == *b) return false;
  return text_of(a) != text_of(b);
}

void add_names(std::vector<std::string>& names, const Json& object) {
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// Which axes the records that were added have, and which of them vary.
class SeenAxes {
 public:
  void add(const Record& record) {
    if (first_.is_null()) first_ = record;
    add_names(own_, record["axes"]);
    add_names(parameters_, record["parameters"]);
    for (const std::string& axis : fixed_) compare(varying_, axis, record, first_);
    for (const std::string& axis : own_) compare(varying_, axis, record, first_);
    const auto& variant = record["variant"].get_ref<const std::string&>();
    const auto first = of_variants_.find(variant);
    if (first == of_variants_.end()) of_variants_.emplace(variant, record);
    for (const std::string& parameter : parameters_)
      compare(swept_, parameter, record, first == of_variants_.end() ? record : first->second);
  }

  void give(RecordAxes& axes) const {
    if (first_.is_null()) return;
    const auto sort_in = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names)
        (varying_.contains(name) ? axes.varying : axes.common).push_back(name);
    };
    sort_in({"problem"});
    sort_in(axes_of_every_record(false));
    sort_in(own_);
    for (const std::string& parameter : parameters_)
      if (swept_.contains(parameter)) axes.varying.push_back(parameter);
    sort_in(axes_of_every_record(true));
    // Parameters that are as printed need no word.
    if (const Json* const tuned = find_axis(first_, "tuned"); tuned && *tuned != true)
      std::erase(axes.common, "tuned");
    axes.of_texts = of_texts_;
  }

 private:
  void compare(std::set<std::string>& changing, const std::string& axis, const Record& record,
               const Record& first) {
    const Json* const value = find_axis(record, axis);
    if (value && !value->is_number()) of_texts_.insert(axis);
    if (!changing.contains(axis) && differ(value, find_axis(first, axis))) changing.insert(axis);
  }

  static std::vector<std::string> fixed_axes() {
    std::vector<std::string> all{"problem"};
    for (const bool of_measuring : {false, true})
      for (const std::string& axis : axes_of_every_record(of_measuring)) all.push_back(axis);
    return all;
  }

  const std::vector<std::string> fixed_ = fixed_axes();
  std::vector<std::string> own_, parameters_;  // in order of appearance
  std::set<std::string> varying_, swept_, of_texts_;
  Record first_;
  std::map<std::string, Record, std::less<>> of_variants_;  // the first of each
};

}  // namespace

std::string short_variant(const Record& record) { return short_name(record["variant"]); }

const Json* find_axis(const Record& record, const std::string& axis) {
  for (const Json* const group : {&record["axes"], &record["parameters"], &record})
    if (const auto found = group->find(axis); found != group->end()) return &*found;
  return nullptr;
}

std::string axis_value(const Record& record, const std::string& axis) {
  return text_of(find_axis(record, axis));
}

std::map<std::string, Json> unsaid_axes(const std::string& problem) {
  std::map<std::string, Json> axes;
  if (const Problem* const found = find_problem(problem))
    for (const ProblemAxis& axis : found->axes)
      if (axis.left_out_at_default) axes[axis.name] = axis.fallback;
  return axes;
}

RecordAxes::RecordAxes(const std::vector<Record>& records) {
  SeenAxes seen;
  for (const Record& record : records) seen.add(record);
  seen.give(*this);
}

RecordAxes::RecordAxes(const PackedRecords& records, const std::function<void(const Record&)>& also) {
  SeenAxes seen;
  records.for_each([&](const Record& record) {
    seen.add(record);
    also(record);
  });
  seen.give(*this);
}

}  // namespace redbench
