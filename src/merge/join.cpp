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
#include "src/records/fields.hpp"
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

/// What a part makes of a case: the record that tables show.
struct Shown {
  const RunPart* part;
  const Record* record;
};

/// Throws where two parts show a case that was not made alike.
std::map<Place, Shown> shown_of_all(const std::vector<RunPart>& parts) {
  std::map<Place, Shown> all;
  for (const RunPart& part : parts) {
    std::map<Place, Shown> own;
    for (const Record& record : part.records) own[place_of(record)] = {&part, &record};
    for (const auto& [place, shown] : own) {
      const auto [known, is_new] = all.try_emplace(place, shown);
      if (is_new || record_identity(*known->second.record) == record_identity(*shown.record)) continue;
      Json of_a, of_b;
      for (const char* field : identity_fields)
        if (std::string_view(field) != "key") {
          of_a[field] = (*known->second.record)[field];
          of_b[field] = (*shown.record)[field];
        }
      const auto& [key, mode, device] = place;
      check_same(
          fmt::format("both have {} {} on {}, and not made alike, so leave one out", key, mode, device),
          *known->second.part, part, of_a, of_b);
    }
  }
  return all;
}

/// What is taken of several records of one case: rather one with a result than one that was refused.
int worth_of(const Record& record) {
  if (!is_done(record, "refused")) return 0;
  return record["outcome"] == name_of(Outcome::unsupported) ? 1 : 2;
}

/// A line of records.jsonl, in the order of the file.
struct Line {
  std::size_t number;  // `case`
  std::string mode, device;
  bool is_shown;  // made as the record that is shown is
  int worth;
  std::size_t session;
  std::string text;
  auto operator<=>(const Line&) const = default;
};

}  // namespace

JoinedRun joined(std::vector<RunPart> parts) {
  for (RunPart& part : parts) part.facts = with_sessions(std::move(part.facts));
  check_parts(parts);
  const std::map<Place, Shown> shown = shown_of_all(parts);
  JoinedRun run;
  run.facts = facts_of_all(parts);

  std::map<std::string, std::size_t> numbers;  // by key_by_contents: the plan's, then others in order
  std::set<std::string> measured;
  for (const std::string& key : planned_keys(parts[0], run.facts)) numbers.emplace(key, numbers.size());
  run.cases = numbers.size();
  for (const auto& [place, of] : shown) {
    measured.insert(std::get<0>(place));
    numbers.emplace(std::get<0>(place), numbers.size());
  }
  for (const auto& [key, number] : numbers) run.unmeasured += !measured.contains(key);

  std::map<std::string, std::size_t> sessions;
  for (const Json& session : run.facts["sessions"])
    sessions.emplace(line_of(identity_of(session)), sessions.size());
  std::set<Line> lines;
  for (RunPart& part : parts) {
    std::vector<std::size_t> places;  // of its sessions
    for (const Json& session : part.facts["sessions"])
      places.push_back(sessions.at(line_of(identity_of(session))));
    for (Record& record : part.records) {
      const Place place = place_of(record);
      const auto& [key, mode, device] = place;
      const bool is_shown = record_identity(record) == record_identity(*shown.at(place).record);
      const std::size_t number = numbers.at(key), session = places.at(record["session"].get<std::size_t>());
      Record written = record;  // others are held against this one
      written["session"] = session;
      written["case"] = number;
      lines.insert({number, mode, device, is_shown, worth_of(record), session, line_of(written)});
    }
  }
  for (const Line& line : lines) run.records += line.text + '\n';
  run.count = lines.size();
  return run;
}

}  // namespace redbench
