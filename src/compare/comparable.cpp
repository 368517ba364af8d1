#include "src/compare/comparable.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/records/provenance.hpp"

namespace redbench {
namespace {

constexpr double most_clock_percent = 3;

/// A part of a file that a stranger may have written; null where there is none.
Json part_of(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

Json session_of(const RecordOfRun& one) {
  const std::vector<Json> all = sessions_of(one.run.facts);
  const std::size_t number = one.record["session"];
  return number < all.size() ? all[number] : Json();
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : line_of(value);
}

void add_difference(std::vector<std::string>& sentences, const std::string& what, const Json& a,
                    const Json& b) {
  if (!a.is_null() && !b.is_null() && a != b)
    sentences.push_back(fmt::format("{}: {} and {}", what, text_of(a), text_of(b)));
}

void add_clock(std::vector<std::string>& sentences, const Record& first, const Record& second) {
  const Json a = part_of(first["clocks"], "sm_mhz"), b = part_of(second["clocks"], "sm_mhz");
  if (!a.is_number() || !b.is_number() || !(a > 0) || !(b > 0)) return;
  const double one = a, other = b;
  if (std::max(one, other) > (1 + most_clock_percent / 100) * std::min(one, other))
    sentences.push_back(fmt::format("other clock: the SMs ran at {:g} and {:g} MHz", one, other));
}

}  // namespace

std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second) {
  std::vector<std::string> sentences;
  add_difference(sentences, "other hardware", first.record["hardware"], second.record["hardware"]);
  const Json here = session_of(first), there = session_of(second);
  const Json build = part_of(here, "build"), other_build = part_of(there, "build");
  if (first.record["device"] == "host") {
    add_difference(sentences, "other compiler", part_of(build, "compiler"), part_of(other_build, "compiler"));
  } else {
    add_difference(sentences, "other driver", part_of(here, "driver"), part_of(there, "driver"));
    add_difference(sentences, "other CUDA toolkit", part_of(build, "cuda_toolkit"),
                   part_of(other_build, "cuda_toolkit"));
  }
  add_difference(sentences, "other inputs, by their seed", first.record["seed"], second.record["seed"]);
  add_difference(sentences, "other inputs, by the SHA-256 of their files", first.record["input_files"],
                 second.record["input_files"]);
  add_difference(sentences, "measured by other code, by its hash", first.record["measured_by"],
                 second.record["measured_by"]);
  add_clock(sentences, first.record, second.record);
  return sentences;
}

std::vector<std::string> marks(const Record& first, const Record& second, const std::string& first_name,
                               const std::string& second_name) {
  std::vector<std::string> sentences;
  for (const auto& [record, name] : {std::pair(&first, &first_name), {&second, &second_name}}) {
    const Json reasons = part_of((*record)["clocks"], "throttled_by");
    if (!reasons.is_array() || reasons.empty()) continue;
    std::vector<std::string> texts;
    for (const Json& reason : reasons) texts.push_back(text_of(reason));
    sentences.push_back(fmt::format("{} was throttled: {}", *name, fmt::join(texts, ", ")));
  }
  const std::string why = stale_because(first), other = stale_because(second);
  if (!why.empty() && why == other) {
    sentences.push_back("both are stale: " + why);
  } else {
    if (!why.empty()) sentences.push_back(fmt::format("{} is stale: {}", first_name, why));
    if (!other.empty()) sentences.push_back(fmt::format("{} is stale: {}", second_name, other));
  }
  return sentences;
}

std::vector<std::string> measured_otherwise(const StoredRun& first, const StoredRun& second) {
  // As of one run that was resumed.
  StoredRun both{first.path, {{"sessions", Json::array()}}, {}};
  for (const StoredRun* run : {&first, &second})
    for (const Record& record : run->records) {
      both.facts["sessions"].push_back(session_of({*run, record}));
      both.records.push_back({{"session", both.records.size()}});
    }
  const std::string text = both.differences();
  return text.empty() ? std::vector<std::string>()
                      : std::vector<std::string>{"Measured otherwise: " + text + "."};
}

}  // namespace redbench
