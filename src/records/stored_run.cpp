#include "src/records/stored_run.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/records/check.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/record_stream.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// A text member; empty where there is none.
std::string text_of(const Json& object, const char* name) {
  const Json text = part_of(object, name);
  return text.is_string() ? text.get<std::string>() : "";
}

/// Why a folder cannot be read or entered; empty where it can.
std::string why_closed(const fs::path& folder) {
  if (::access(folder.c_str(), R_OK | X_OK) == 0) return {};
  return folder.string() + ": cannot be read: " + std::strerror(errno);
}

/// The first where nothing is said.
std::size_t session_of(const Record& record) {
  const Json& session = record["session"];
  return session.is_null() ? 0 : session.get<std::size_t>();
}

/// The last record of each case and mode, in the order of the plan.
class PlanOrder {
 public:
  void add(const Record& record) {
    const Json& number = record["case"];
    const std::string& mode = record["mode"].get_ref<const std::string&>();
    last_[{record["key"], mode, record["device"]}] = {number.is_null() ? 0 : number.get<std::uint64_t>(),
                                                      mode, read_++, session_of(record)};
  }

  /// Places among all that were added.
  std::vector<std::size_t> places() const {
    std::vector<Placed> order;
    for (const auto& [identity, placed] : last_) order.push_back(placed);
    std::ranges::sort(order);
    std::vector<std::size_t> places;
    for (const Placed& placed : order) places.push_back(placed.read);
    return places;
  }

  std::set<std::size_t> sessions() const {
    std::set<std::size_t> numbers;
    for (const auto& [identity, placed] : last_) numbers.insert(placed.session);
    return numbers;
  }

 private:
  struct Placed {
    std::uint64_t number;
    std::string mode;
    std::size_t read, session;
    auto operator<=>(const Placed&) const = default;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Placed> last_;  // by key, mode, device
  std::size_t read_ = 0;
};

StoredRun run_without_records(const std::string& folder) {
  return {fs::path(folder).lexically_normal().string(), read_facts(folder + "/run.json"), {}};
}

/// An unfinished line is what a run that was killed leaves, or one that is running; one that has ended leaves none.
void report_bad_lines(StoredRun& run, const NotRead& others) {
  std::vector<std::string> mistakes;
  for (const BadLine& line : others.bad) mistakes.push_back(line.mistake);
  if (others.is_unfinished && run.interruption().empty())
    mistakes.push_back(records_of(run.path) + ": its last line is not finished, though the run has ended");
  for (const std::string& mistake : mistakes) {
    run.bad_lines.push_back(mistake + "; `redbench run --resume` measures its case again");
    report_mistake(run.bad_lines.back());
  }
}

}  // namespace

std::string StoredRun::name() const {
  const std::string name = text_of(facts, "name");
  return name.empty() ? fs::path(path).filename().string() : name;
}

std::string StoredRun::title() const {
  const std::string title = text_of(part_of(facts, "config"), "title");
  return title.empty() ? name() : title;
}

std::vector<Json> StoredRun::sessions_used() const {
  std::set<std::size_t> numbers = sessions;
  for (const Record& record : records) numbers.insert(record["session"].get<std::size_t>());
  const std::vector<Json> all = sessions_of(facts);
  std::vector<Json> used;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (numbers.empty() || numbers.contains(i)) used.push_back(all[i]);
  return used;
}

std::string StoredRun::date() const {
  std::set<std::string> days;
  for (const Json& session : sessions_used()) days.insert(text_of(session, "started").substr(0, 10));
  days.erase("");
  if (days.size() < 2) return days.empty() ? "" : *days.begin();
  return *days.begin() + " to " + *days.rbegin();
}

std::string StoredRun::differences() const {
  std::vector<std::pair<std::string, std::vector<std::string>>> values;  // by name
  const auto add = [&](const std::string& name, const Json& value) {
    auto place = std::ranges::find(values, name, [](const auto& entry) { return entry.first; });
    if (place == values.end()) place = values.insert(place, {name, {}});
    const std::string text = value.is_string() ? value.get<std::string>() : line_of(value);
    if (std::ranges::find(place->second, text) == place->second.end()) place->second.push_back(text);
  };
  for (const Json& session : sessions_used()) {
    const Json measure = session.value("measure", Json::object());
    // The mode is a field of each record.
    for (const auto& [name, value] : measure.items())
      if (name != "mode") add(name, value);
    const Json driver = session.value("driver", Json());
    if (driver != "" || part_of(session, "board").is_object())
      add("driver", driver);  // a CPU's session has none
    add("commit", session.value("commit", Json()));
  }
  std::string text;
  for (const auto& [name, all] : values)
    if (all.size() > 1) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name, fmt::join(all, ", "));
  return text;
}

std::string StoredRun::interruption() const {
  const std::vector<Json> all = sessions_of(facts);
  const bool open = !all.empty() && all.back().contains("ended") && all.back()["ended"].is_null();
  return open ? "interrupted: cases may be missing" : "";
}

std::string StoredRun::machines() const {
  if (!may_have_machines(facts)) return {};
  std::map<std::string, std::set<Json>> known;
  for (const Json& session : sessions_used())
    for (const auto& [fact, hash] : {std::pair("board", "uuid_hash"), {"host", "machine_hash"}})
      if (Json value = part_of(part_of(session, fact), hash); !value.is_null()) known[fact].insert(value);
  std::string text;
  for (const auto& [fact, values] : known)
    if (values.size() > 1) text += fmt::format("{}{} {}s", text.empty() ? "" : ", ", values.size(), fact);
  return text;
}

std::vector<Json> sessions_of(const Json& facts) {
  if (const auto found = facts.find("sessions"); found != facts.end() && found->is_array()) {
    std::vector<Json> sessions;
    for (const Json& session : *found) sessions.push_back(session.is_object() ? session : Json::object());
    return sessions;
  }
  Json session = Json::object();
  for (const char* name : {"started", "ended", "resumed", "planned_s", "command_line", "driver", "build",
                           "board", "host", "surroundings", "dirty", "commit"})
    if (facts.contains(name)) session[name] = facts[name];
  if (const Json measure = part_of(part_of(facts, "config"), "measure"); !measure.is_null())
    session["measure"] = measure;
  return {session};
}

Json with_sessions(Json facts) {
  if (!facts.contains("sessions") || !facts["sessions"].is_array()) {
    const std::vector<Json> sessions = sessions_of(facts);
    for (const auto& [name, value] : sessions.front().items()) facts.erase(name);
    facts["sessions"] = sessions;
  }
  facts["config"].erase("measure");
  if (!facts.contains("inputs") || !facts["inputs"].is_object()) facts["inputs"] = Json::object();
  return facts;
}

bool may_have_machines(const Json& facts) {
  return part_of(facts, "merged") == true || std::ranges::any_of(sessions_of(facts), [](const Json& session) {
           return part_of(session, "shard").is_string() || part_of(session, "gpu").is_number();
         });
}

bool is_of_whole_run(const std::string& option) {
  constexpr std::array<std::string_view, 8> options{"forks",    "per_launch", "energy",  "scattered",
                                                    "counters", "twice",      "digests", "trace"};
  return std::ranges::find(options, option) != options.end();
}

Json checked_facts(const std::string& text, const std::string& place) {
  Json facts = parse_strictly(text, place);
  if (const std::string mistake = why_not_a_run(facts); !mistake.empty())
    throw UsageError(place + ": " + mistake);
  return facts;
}

Json read_facts(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0 && errno != ENOENT)
    throw UsageError(path + ": cannot be read: " + std::strerror(errno));
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw UsageError(path + ": missing, or not redbench's");
  std::ifstream file(path);
  return checked_facts({std::istreambuf_iterator<char>(file), {}}, path);
}

PackedRun::PackedRun(StoredRun stored) : run(std::move(stored)), records(run.records) {
  for (const Record& record : run.records) run.sessions.insert(session_of(record));
  run.records.clear();
}

StoredRun read_stored_run(const std::string& folder) {
  StoredRun run = run_without_records(folder);
  NotRead others;
  run.records =
      in_plan_order(read_records(records_of(folder), &others, {.sessions = sessions_of(run.facts).size()}));
  report_bad_lines(run, others);
  return run;
}

PackedRun read_packed_run(const std::string& folder, SampleLists samples) {
  PackedRun run;
  run.run = run_without_records(folder);
  PlanOrder order;
  const NotRead others =
      read_each_record(records_of(folder), {.sessions = sessions_of(run.run.facts).size(), .lists = samples},
                       [&](const Record& record, std::uint64_t) {
                         order.add(record);
                         run.records.push_back(record);
                       });
  run.records = run.records.chosen(order.places());
  run.run.sessions = order.sessions();
  report_bad_lines(run.run, others);
  return run;
}

std::vector<Record> in_plan_order(std::vector<Record> records) {
  PlanOrder order;
  for (const Record& record : records) order.add(record);
  std::vector<Record> sorted;
  for (const std::size_t place : order.places()) sorted.push_back(std::move(records[place]));
  return sorted;
}

std::vector<std::string> runs_below(const std::string& folder) {
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw UsageError(folder + ": cannot be read: " + error.message());
  if (!is_folder) throw UsageError(folder + ": no such folder; `redbench run` makes results/");
  const std::string closed = why_closed(folder);
  if (!closed.empty()) throw UsageError(closed);
  if (fs::exists(records_of(folder), error)) return {folder};
  std::vector<std::string> runs;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (const std::string run = path.parent_path().string(); path == records_of(run)) runs.push_back(run);
    std::error_code gone;  // or a link to itself
    if (path.filename() == OutputFolder::aside_name && fs::exists(path.parent_path() / "run.json", gone))
      entry.disable_recursion_pending();
    if (!entry->is_directory(gone)) continue;
    if (const std::string why = why_closed(path); !why.empty()) {
      report_mistake(why);
      entry.disable_recursion_pending();
    }
  }
  if (error) throw UsageError(folder + ": cannot be read: " + error.message());
  if (runs.empty()) throw UsageError(folder + ": no run here or below (records.jsonl)");
  std::ranges::sort(runs);
  return runs;
}

std::vector<std::string> runs_below(const std::vector<std::string>& folders) {
  std::set<fs::path> found;
  std::vector<std::string> runs;
  for (const std::string& folder : folders)
    for (const std::string& run : runs_below(folder))
      if (found.insert(fs::canonical(run)).second) runs.push_back(run);
  return runs;
}

}  // namespace redbench
