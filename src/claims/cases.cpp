#include "src/claims/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "src/claims/columns.hpp"
#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/provenance.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/record_axes.hpp"

namespace redbench {
namespace {

std::string value_text(const Json& value) {
  if (value.is_number_integer()) return format_size(value.get<Index>());
  if (value.is_number()) return as_printed(value.get<double>());
  if (value.is_object() && value.size() == 1 && value.front().is_string()) {
    const std::string stem = std::filesystem::path(value.front().get<std::string>()).stem();
    return value.contains("file") ? stem : value.begin().key() + ":" + stem;
  }
  return value.is_string() ? value.get<std::string>() : line_of(value);
}

bool allows(const Json& where, const std::string& column, const Json& value) {
  const auto found = where.find(column);
  if (found == where.end() || *found == value) return true;
  return found->is_array() && std::ranges::find(*found, value) != found->end();
}

std::vector<const Selection*> selections_of(const ClaimTest& test) {
  std::vector<const Selection*> all;
  for (const Selection& selection : test.of) all.push_back(&selection);
  if (test.to) all.push_back(&*test.to);
  return all;
}

/// Kinds of device whose records answer a test of this quantity.
std::set<std::string> kinds_asked(const std::string& quantity, const RecordsFound& found) {
  if (is_counted(quantity)) return {"simt"};
  const bool on_gpu =
      std::ranges::any_of(found, [](const RecordFound& found) { return found.kind() == "cuda"; });
  if (follows_time(quantity) != Follows::exact || on_gpu || quantity.starts_with("nsight_"))
    return {"cuda", "host"};
  return {"simt", "host"};
}

class CaseFinder {
 public:
  CaseFinder(const ClaimTest& test, const Evidence& evidence)
      : test_(test), evidence_(evidence), selections_(selections_of(test)) {}

  ClaimCases find() {
    for (const std::string& config : test_.configs) find_in(config);
    const std::set<std::string> kinds = kinds_asked(test_.quantity, found_);
    for (const RecordFound& found : found_) of_any_device_.insert(found.of->run.name());
    std::erase_if(found_, [&](const RecordFound& found) { return !kinds.contains(found.kind()); });
    for (const std::string& config : test_.configs) check_config(config);
    check_hardware();
    for (const std::string& config : test_.configs) check_values(config);
    if (!test_.worst.empty()) keep_worst();
    if (!is_ambiguous_)
      for (const RecordFound& found : found_) add(found);
    return std::move(cases_);
  }

 private:
  void find_in(const std::string& config) {
    for (const EvidenceRun* run : evidence_.runs_of(config))
      for (const Record& record : run->run.records)
        if (fits_where(record, test_.where) &&
            std::ranges::any_of(selections_, [&](const Selection* of) { return is_of(record, *of); }))
          found_.push_back({run, &record});
  }

  /// A paper speaks of its kernels as printed: tuned ones are evidence where the test names them.
  bool is_of(const Record& record, const Selection& selection) const {
    const bool names_tuned = test_.where.contains("tuned") || selection.where.contains("tuned");
    return (record["tuned"] != true || names_tuned) && fits_where(record, selection.where);
  }

  /// Where one of several has no number, all stay: whoever chooses one says why there is none. Those that lack a value of
  /// which the worst is asked, as their run was interrupted, have no worst.
  void keep_worst() {
    const auto without_worst = [&](const RecordFound& found) {
      Json axes = part_of(*found.record, "axes");
      for (const std::string& column : test_.worst) axes.erase(column);
      Json same{found.of->run.path, axes};
      for (const char* field : {"device", "mode", "variant", "n", "type", "operator", "parameters"})
        same.push_back(part_of(*found.record, field));
      return line_of(same);
    };
    std::map<std::string, RecordsFound> alike;
    for (const RecordFound& found : found_) alike[without_worst(found)].push_back(found);
    std::size_t most = 0;
    for (const auto& [same, records] : alike) most = std::max(most, records.size());
    std::set<std::string> lacking;  // cases
    std::erase_if(found_, [&](const RecordFound& found) {
      const RecordsFound& records = alike.at(without_worst(found));
      if (records.size() < most) {
        lacking.insert(case_text(*found.record, test_.at));
        return true;
      }
      const Chosen slowest = chosen_of(records, {Json::object(), Pick::slowest}, test_.quantity);
      return slowest.found && slowest.found->record != found.record;
    });
    if (!lacking.empty())
      cases_.undecided.push_back(fmt::format("at {}, not all {} are there", fmt::join(lacking, " and "),
                                             fmt::join(test_.worst, ", ")));
  }

  /// There must be one run for each hardware.
  void check_config(const std::string& config) {
    std::map<std::string, std::set<std::string>> runs;  // by hardware
    for (const RecordFound& found : found_)
      if (found.of->run.name() == config) runs[found.hardware()].insert(found.of->run.path);
    if (runs.empty()) {
      cases_.missing.push_back(config_path(config));
      cases_.undecided.push_back(fmt::format(
          "no record of {}{}", cases_.missing.back(),
          of_any_device_.contains(config) ? fmt::format(" is of a device that says `{}`", test_.quantity)
                                          : ""));
    }
    for (const auto& [hardware, paths] : runs)
      if (paths.size() > 1)
        add_ambiguity(fmt::format("{} runs are of {} on {}: {}; give one of them", paths.size(), config,
                                  hardware, fmt::join(paths, ", ")));
  }

  void check_hardware() {
    std::map<std::string, std::set<std::string>> hardware;  // by kind of device
    for (const RecordFound& found : found_) hardware[found.kind()].insert(found.hardware());
    for (const auto& [kind, names] : hardware)
      if (names.size() > 1)
        add_ambiguity(fmt::format("its records are of {}; --device says of which it is asked",
                                  fmt::join(names, " and of ")));
  }

  void add_ambiguity(const std::string& sentence) {
    is_ambiguous_ = true;
    cases_.undecided.push_back(sentence);
  }

  void add(const RecordFound& found) {
    const std::string text = case_text(*found.record, test_.at);
    const auto [place, is_new] = by_text_.try_emplace(text, cases_.cases.size());
    if (is_new) cases_.cases.push_back({text, std::vector<RecordsFound>(selections_.size())});
    for (std::size_t i = 0; i < selections_.size(); ++i)
      if (is_of(*found.record, *selections_[i])) cases_.cases[place->second].records[i].push_back(found);
  }

  /// Names the values that the config has and no record: the run was interrupted, or made of a part of the
  /// config.
  void check_values(const std::string& config) {
    const auto first = std::ranges::find_if(
        found_, [&](const RecordFound& found) { return found.of->run.name() == config; });
    if (first == found_.end()) return;
    const auto target = target_of_device((*first->record)["device"].get_ref<const std::string&>());
    if (!target) return;
    std::vector<std::string> columns = test_.at;
    columns.insert(columns.end(), test_.worst.begin(), test_.worst.end());
    if (!test_.x.empty()) columns.push_back(test_.x);
    try {
      const Config planned =
          load_config((own_files() / config_path(config)).string(), *target, {}, claim_columns());
      for (const std::string& column : columns)
        for (const Experiment& experiment : planned.experiments)
          for (const auto& [axis, values] : experiment.axes)
            if (axis == column)
              for (const Json& value : values) check_value(config, column, value);
    } catch (const UsageError&) {
      // The config needs files that are not here, so its cases are unknown.
    }
  }

  void check_value(const std::string& config, const std::string& column, const Json& value) {
    const bool is_asked = allows(test_.where, column, value) &&
                          std::ranges::any_of(selections_, [&](const Selection* selection) {
                            return allows(selection->where, column, value);
                          });
    const bool is_there = std::ranges::any_of(found_, [&](const RecordFound& found) {
      return found.of->run.name() == config && column_of(*found.record, column) == value;
    });
    const std::string sentence = fmt::format("{} has no record at {} {}", config, column, value_text(value));
    if (is_asked && !is_there && std::ranges::find(cases_.undecided, sentence) == cases_.undecided.end())
      cases_.undecided.push_back(sentence);
  }

  const ClaimTest& test_;
  const Evidence& evidence_;
  const std::vector<const Selection*> selections_;
  RecordsFound found_;
  ClaimCases cases_;
  std::map<std::string, std::size_t> by_text_;
  std::set<std::string> of_any_device_;  // configs
  bool is_ambiguous_ = false;            // which records are meant
};

std::string outcome_text(const Record& record) {
  const Json& reason = record["reason"];
  return fmt::format("{}: {}{}", record["key"].get<std::string>(), record["outcome"].get<std::string>(),
                     reason.is_string() ? ", " + reason.get<std::string>() : "");
}

/// The first variant of the selection without a record.
std::string absent_variant(const RecordsFound& records, const Selection& selection) {
  const auto names = selection.where.find("variant");
  if (names == selection.where.end() || !names->is_array()) return "";
  for (const Json& name : *names)
    if (std::ranges::none_of(records, [&](const RecordFound& found) {
          return fits_where(*found.record, {{"variant", name}});
        }))
      return name;
  return "";
}

}  // namespace

std::string case_text(const Record& record, const std::vector<std::string>& at) {
  std::string text;
  for (const std::string& column : at)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", column, value_text(column_of(record, column)));
  return text;
}

ClaimCases cases_of(const ClaimTest& test, const Evidence& evidence) {
  return CaseFinder(test, evidence).find();
}

std::string text_of(const Selection& selection) {
  std::string text;
  for (const auto& [column, value] : selection.where.items()) {
    std::vector<std::string> values;
    if (value.is_array())
      for (const Json& value_of_list : value) values.push_back(value_text(value_of_list));
    else values.push_back(value_text(value));
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", column == "variant" ? "" : column + " ",
                        fmt::join(values, " or "));
  }
  if (!selection.pick) return text.empty() ? "all" : text;
  const std::string_view pick = pick_names[std::size_t(*selection.pick)];
  return text.empty() ? fmt::format("the {}", pick) : fmt::format("the {} of {}", pick, text);
}

Chosen chosen_of(const RecordsFound& records, const Selection& selection, const std::string& quantity) {
  if (records.empty()) return {{}, "no record of " + text_of(selection)};
  RecordsFound run;
  for (const RecordFound& found : records)
    if ((*found.record)["outcome"] != name_of(Outcome::unsupported)) run.push_back(found);
  if (run.empty()) return {{}, outcome_text(*records[0].record), true};
  for (const RecordFound& found : run) {
    if (const std::string stale = why_stale(*found.record); !stale.empty())
      return {{}, fmt::format("stale ({}): {}", stale, (*found.record)["key"].get<std::string>())};
    if ((*found.record)["outcome"] != name_of(Outcome::passed)) return {{}, outcome_text(*found.record)};
    if (!number_of(*found.record, quantity))
      return {{}, fmt::format("no `{}` in {}", quantity, (*found.record)["key"].get<std::string>())};
  }
  if (const std::string name = absent_variant(records, selection); selection.pick && !name.empty())
    return {{}, "no record of " + name};
  if (run.size() == 1) return {run[0], ""};
  if (!selection.pick) {
    std::vector<Record> all;
    for (const RecordFound& found : run) all.push_back(*found.record);
    return {{},
            fmt::format("{} records of {}, which differ in {}: the claim must name one by `where` or `at`",
                        run.size(), text_of(selection), fmt::join(RecordAxes(all).varying, ", "))};
  }
  const auto by_quantity = [&](const RecordFound& found) { return *number_of(*found.record, quantity); };
  return {*selection.pick == Pick::fastest ? *std::ranges::min_element(run, {}, by_quantity)
                                           : *std::ranges::max_element(run, {}, by_quantity),
          ""};
}

}  // namespace redbench
