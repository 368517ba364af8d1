#include "src/merge/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/json/differences.hpp"
#include "src/json/node.hpp"
#include "src/json/parse.hpp"
#include "src/parallel.hpp"
#include "src/records/columns.hpp"
#include "src/run/planned_records.hpp"

namespace redbench {
namespace {

bool is_of_host(const Json& facts) { return part_of(facts["device"], "name") == "host"; }

/// Throws where the two values differ.
void check_same(const std::string& what, const RunPart& a, const RunPart& b, const Json& of_a,
                const Json& of_b) {
  if (of_a != of_b)
    throw UsageError(fmt::format("{} and {} {}: {}", a.path, b.path, what,
                                 differences(of_a, of_b, {"in " + a.path, "in " + b.path})));
}

/// Throws where a member differs that both objects have, as another version of redbench may know others.
template <class Decides>
void check_common(const std::string& what, const RunPart& a, const RunPart& b, const std::string& name,
                  const Json& of_a, const Json& of_b, const Decides& decides) {
  for (const auto& [member, value] : of_a.items())
    if (decides(member) && of_b.contains(member))
      check_same(what, a, b, {{name, {{member, value}}}}, {{name, {{member, of_b[member]}}}});
}

/// An experiment without its variants: parts of one experiment have it in common.
Json rest_of(Json experiment) {
  experiment.erase("variants");
  return experiment;
}

bool has(const Json& list, const Json& value) { return std::ranges::find(list, value) != list.end(); }

bool share_variants(const Json& a, const Json& b) {
  return a["problem"] == b["problem"] && part_of(a, "title") == part_of(b, "title") &&
         std::ranges::any_of(a["variants"], [&](const Json& name) { return has(b["variants"], name); });
}

bool is_sharded(const RunPart& part) {
  return std::ranges::any_of(part.facts["sessions"],
                             [](const Json& session) { return part_of(session, "shard").is_string(); });
}

/// The parts of a plan (--shard) are one whole only where it is one plan: of the same experiments, but for
/// variants that were left to another part.
void check_experiments(const RunPart& a, const RunPart& b) {
  if (!is_sharded(a) && !is_sharded(b)) return;
  const Json &of_a = a.facts["config"]["experiments"], &of_b = b.facts["config"]["experiments"];
  for (std::size_t i = 0; i < of_a.size(); ++i)
    for (const Json& other : of_b)
      if (!has(of_b, of_a[i]) && !has(of_a, other) && share_variants(of_a[i], other))
        check_same("are parts of two plans", a, b, {{fmt::format("experiments[{}]", i), rest_of(of_a[i])}},
                   {{fmt::format("experiments[{}]", i), rest_of(other)}});
}

void check_pair(const RunPart& a, const RunPart& b) {
  const auto config_of = [](const RunPart& part) {
    Json facts{{"name", part.facts["name"]}};
    for (const char* key : {"title", "seed", "plots"}) facts[key] = part_of(part.facts["config"], key);
    return facts;
  };
  check_same("are not of one config", a, b, config_of(a), config_of(b));
  check_experiments(a, b);
  const auto always = [](const std::string&) { return true; };
  check_common("have parameters of two tuned files", a, b, "tuned", part_of(a.facts["config"], "tuned"),
               part_of(b.facts["config"], "tuned"), [](const std::string& key) { return key == "sha256"; });
  if (!is_of_host(a.facts) && !is_of_host(b.facts))  // a run of CPU algorithms goes with those of any GPU
    check_common("are of two devices", a, b, "device", a.facts["device"], b.facts["device"],
                 [](const std::string& fact) { return fact != "memory_bytes"; });  // the driver decides it
  check_common("had other inputs, by their SHA-256", a, b, "inputs", a.facts["inputs"], b.facts["inputs"],
               always);
  for (const Json& of_a : a.facts["sessions"])
    for (const Json& of_b : b.facts["sessions"])
      check_common("were measured otherwise", a, b, "measure", part_of(of_a, "measure"),
                   part_of(of_b, "measure"), is_of_whole_run);
}

Config config_of(const std::string& folder, const Json& facts) {
  return stored_config(folder + "/run.json, its config", facts["config"], record_columns());
}

/// Throws where two parts do not belong together. Parts of which all is equal that could tell them apart are
/// checked once: there may be a thousand.
void check_parts(const std::vector<RunPart>& parts) {
  std::map<std::string, const RunPart*> kinds;
  for (const RunPart& part : parts) {
    Json kind = Json::array({is_sharded(part)});
    for (const char* fact : {"name", "config", "device", "inputs"}) kind.push_back(part.facts[fact]);
    for (const Json& session : part.facts["sessions"]) kind.push_back(part_of(session, "measure"));
    if (!kinds.try_emplace(line_of(kind), &part).second) continue;
    config_of(part.path, part.facts);  // anybody may have written it
    for (const auto& [text, other] : kinds)
      if (other != &part) check_pair(*other, part);
  }
}

/// Adds what `more` has beyond `list`.
void add_new(Json& list, const Json& more) {
  for (const Json& value : more)
    if (!has(list, value)) list.push_back(value);
}

/// A config with the cases of both and no others: experiments that differ in their variants alone become one.
void add_config(Json& config, const Json& more) {
  Json& experiments = config["experiments"];
  for (const Json& experiment : more["experiments"]) {
    const auto same = std::ranges::find_if(
        experiments, [&](const Json& other) { return rest_of(other) == rest_of(experiment); });
    if (same == experiments.end()) experiments.push_back(experiment);
    else add_new((*same)["variants"], experiment["variants"]);
  }
  const Json tuned = part_of(more, "tuned");
  if (!tuned.is_object()) return;
  if (!config.contains("tuned")) config["tuned"] = tuned;
  else add_new(config["tuned"]["points"], tuned["points"]);
}

/// A session by all that does not change while it is under way.
Json identity_of(Json session) {
  session["ended"] = nullptr;
  return session;
}

/// The sessions of all parts by their start, each once.
Json sessions_of_all(const std::vector<RunPart>& parts) {
  std::map<std::string, Json> found;  // by start, then whole text
  for (const RunPart& part : parts)
    for (const Json& session : part.facts["sessions"]) {
      const Json started = part_of(session, "started");
      Json& known =
          found[(started.is_string() ? started.get<std::string>() : "") + line_of(identity_of(session))];
      if (known.is_null() || part_of(known, "ended") < part_of(session, "ended")) known = session;
    }
  Json sessions = Json::array();
  for (auto& [text, session] : found) sessions.push_back(std::move(session));
  return sessions;
}

Json facts_of_all(const std::vector<RunPart>& parts) {
  Json facts = parts[0].facts;
  for (const RunPart& part : parts) {
    add_config(facts["config"], part.facts["config"]);
    if (is_of_host(facts)) facts["device"] = part.facts["device"];
    for (const auto& [path, digest] : part.facts["inputs"].items()) facts["inputs"][path] = digest;
  }
  facts["sessions"] = sessions_of_all(parts);
  facts["merged"] = true;
  return facts;
}

/// The keys of the plan's cases, in its order. They are the same on every device, so that none of the run's
/// need be here.
std::vector<std::string> planned_keys(const RunPart& first, const Json& facts) {
  OpenDevices devices("simt");
  return keys_of(replan(config_of(first.path, facts), devices.devices()), InputFiles(facts["inputs"]));
}

/// A case, a mode and a device.
using Place = std::tuple<std::string, std::string, std::string>;
Place place_of(const Record& record) { return {key_by_contents(record), record["mode"], record["device"]}; }

/// What is taken of several records of one case: rather one with a result than one that was refused.
int worth_of(const Record& record) {
  if (!is_done(record, Outcome::unsupported)) return 0;
  return record["outcome"] == name_of(Outcome::unsupported) ? 1 : 2;
}

/// How a record was made: its identity but for the case.
std::string making_of(const Record& record) {
  Json fields = Json::object();
  for (const char* field : identity_fields)
    if (std::string_view(field) != "key") fields[field] = record[field];
  return line_of(fields);
}

/// What is made of a case, by the record that tables show.
struct Shown {
  std::size_t part;                        // the first that has it
  const std::string* made = nullptr;       // of that part
  const std::string* made_last = nullptr;  // of the last that has it
};
using ShownCases = std::map<Place, Shown>;

/// A record of a part.
struct Found {
  ShownCases::value_type* shown;
  const std::string* made;
  int worth;
  std::size_t part, session;  // of the part
  std::uint64_t at;           // in its file
};

/// What the files of the parts have.
struct FoundRecords {
  ShownCases shown;
  std::vector<Found> records;
  std::set<std::string> makings;
};

/// Throws where the part shows a case that was not made as another part has it.
void check_makings(const FoundRecords& all, const std::vector<RunPart>& parts, std::size_t part,
                   std::size_t first) {
  const ShownCases::value_type* differs = nullptr;  // the first by its name
  for (std::size_t i = first; i < all.records.size(); ++i) {
    const auto* const shown = all.records[i].shown;
    if (shown->second.made != shown->second.made_last && (!differs || shown->first < differs->first))
      differs = shown;
  }
  if (!differs) return;
  const auto& [key, mode, device] = differs->first;
  check_same(fmt::format("both have {} {} on {}, and not made alike, so leave one out", key, mode, device),
             parts[differs->second.part], parts[part], Json::parse(*differs->second.made),
             Json::parse(*differs->second.made_last));
}

void add_part(FoundRecords& all, std::vector<RunPart>& parts, std::size_t part) {
  const std::size_t first = all.records.size();
  const NotRead others =
      read_each_record(parts[part].records(),
                       {.sessions = parts[part].facts["sessions"].size(), .lists = SampleLists::counted},
                       [&](const Record& record, std::uint64_t at) {
                         const std::string* const made = &*all.makings.insert(making_of(record)).first;
                         auto& shown = *all.shown.try_emplace(place_of(record)).first;
                         if (!shown.second.made) shown.second.part = part;
                         if (shown.second.part == part) shown.second.made = made;
                         shown.second.made_last = made;
                         all.records.push_back({&shown, made, worth_of(record), part,
                                                record["session"].get<std::size_t>(), at});
                       });
  check_makings(all, parts, part, first);
  for (const BadLine& line : others.bad) parts[part].mistakes.push_back(line.mistake);
  if (others.is_unfinished)
    parts[part].mistakes.push_back(parts[part].records() +
                                   ": its last line is not finished, as a run was killed");
}

/// The lines of files by where they begin.
class LineReader {
 public:
  explicit LineReader(const std::vector<RunPart>& parts) : parts_(parts) {}

  std::string line_at(std::size_t part, std::uint64_t at) {
    constexpr std::size_t most_open = 64;  // a process may have a thousand
    if (files_.size() >= most_open && !files_.contains(part)) files_.clear();
    RecordStream& file = files_.try_emplace(part, parts_[part].records()).first->second;
    std::string line;
    file.seekg(std::streamoff(at));
    std::getline(file, line);
    parts_[part].check_unchanged();
    return line;
  }

 private:
  const std::vector<RunPart>& parts_;
  std::map<std::size_t, RecordStream> files_;
};

}  // namespace

RunPart::RunPart(const std::string& folder)
    : path(std::filesystem::path(folder).lexically_normal().string()), read_at_(stamps()) {
  facts = with_sessions(read_facts(path + "/run.json"));
}

std::pair<RunPart::Stamp, RunPart::Stamp> RunPart::stamps() const {
  const auto of = [](const std::string& file) {
    std::error_code none;  // then it has no time, and who reads it says so
    return Stamp(std::filesystem::file_size(file, none), std::filesystem::last_write_time(file, none));
  };
  return {of(path + "/run.json"), of(records())};
}

void RunPart::check_unchanged() const {
  if (stamps() != read_at_) throw UsageError(path + ": has changed while it was read");
}

JoinedRun::JoinedRun(std::vector<RunPart> parts) : parts_(std::move(parts)) {
  check_parts(parts_);
  FoundRecords found;
  for (std::size_t part = 0; part < parts_.size(); ++part) add_part(found, parts_, part);
  facts = facts_of_all(parts_);

  std::map<std::string, std::size_t> numbers;  // by key_by_contents: the plan's, then others in order
  for (const std::string& key : planned_keys(parts_[0], facts)) numbers.emplace(key, numbers.size());
  cases = numbers.size();
  for (const auto& [key, number] : numbers) {
    const auto measured = found.shown.lower_bound({key, "", ""});
    unmeasured += measured == found.shown.end() || std::get<0>(measured->first) != key;
  }
  for (const auto& [place, of] : found.shown) numbers.emplace(std::get<0>(place), numbers.size());

  std::map<std::string, std::size_t> sessions;
  for (const Json& session : facts["sessions"])
    sessions.emplace(line_of(identity_of(session)), sessions.size());
  std::vector<std::vector<std::size_t>> places;  // of the sessions of each part
  for (const RunPart& part : parts_) {
    places.emplace_back();
    for (const Json& session : part.facts["sessions"])
      places.back().push_back(sessions.at(line_of(identity_of(session))));
  }
  for (const Found& record : found.records) {
    const auto& [key, mode, device] = record.shown->first;
    lines_.push_back(
        {{numbers.at(key), *texts_.insert(mode).first, *texts_.insert(device).first,
          record.made == record.shown->second.made, record.worth, places[record.part][record.session]},
         record.part,
         record.at});
  }
  std::ranges::stable_sort(lines_, {}, &Source::line);
}

std::size_t JoinedRun::give_records(const std::function<void(std::string_view)>& to) const {
  LineReader files(parts_);
  std::size_t count = 0;
  constexpr std::size_t at_once = 256;
  for (std::size_t first = 0, end = 0; first < lines_.size(); first = end) {
    // Lines that are equal but for their texts stay together.
    for (end = std::min(first + at_once, lines_.size());
         end < lines_.size() && lines_[end].line == lines_[end - 1].line;)
      ++end;
    std::vector<std::string> texts;
    for (std::size_t i = first; i < end; ++i) texts.push_back(files.line_at(lines_[i].part, lines_[i].at));
    in_parallel(texts.size(), [&](std::size_t i) {
      const Source& source = lines_[first + i];
      Record record = parse_record(texts[i], parts_[source.part].records());
      record["session"] = source.line.session;
      record["case"] = source.line.number;
      texts[i] = line_of(record) + '\n';
    });
    std::set<std::pair<JoinedLine, std::string>> once;
    for (std::size_t i = first; i < end; ++i) once.emplace(lines_[i].line, std::move(texts[i - first]));
    for (const auto& [line, text] : once) to(text);
    count += once.size();
  }
  return count;
}

}  // namespace redbench
