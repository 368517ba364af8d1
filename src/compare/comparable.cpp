#include "src/compare/comparable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/json/parse.hpp"
#include "src/measure/stop_rule.hpp"
#include "src/records/provenance.hpp"

namespace redbench {
namespace {

constexpr double most_clock_percent = 3;
// Two processes on one machine differ by less in what two events cost, and in their ceilings (decision 16).
constexpr double most_empty_percent = 10, most_ceiling_percent = 2;

/// The session that made the record; null where run.json does not have it.
Json session_of(const RecordOfRun& of) {
  const std::vector<Json> all = sessions_of(of.run.facts);
  const std::size_t number = of.record["session"];
  return number < all.size() ? all[number] : Json();
}

bool are_of_one_session(const RecordOfRun& first, const RecordOfRun& second) {
  return &first.run == &second.run && first.record["session"] == second.record["session"] &&
         !session_of(first).is_null();
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : line_of(value);
}

void add_difference(std::vector<std::string>& sentences, const std::string& what, const Json& a,
                    const Json& b) {
  if (!a.is_null() && !b.is_null() && a != b)
    sentences.push_back(fmt::format("{}: {} and {}", what, text_of(a), text_of(b)));
}

bool is_unknown(const Json& fact) { return fact.is_null() || fact == ""; }

/// A fact that must be known of both and be the same.
void add_other_or_unknown(std::vector<std::string>& sentences, const std::string& what, const Json& a,
                          const Json& b) {
  const auto shown = [](const Json& fact) { return is_unknown(fact) ? "unknown" : text_of(fact); };
  if (is_unknown(a) && is_unknown(b)) sentences.push_back(what + ": unknown of both");
  else if (is_unknown(a) || is_unknown(b))
    sentences.push_back(fmt::format("{}: {} and {}", what, shown(a), shown(b)));
  else add_difference(sentences, "other " + what, a, b);
}

/// What the process ran on: driver and toolkit of a GPU, compiler of a CPU.
void add_process(std::vector<std::string>& sentences, const RecordOfRun& first, const RecordOfRun& second) {
  const Json here = session_of(first), there = session_of(second);
  const auto add_part_of_build = [&](const char* what, const char* name) {
    add_other_or_unknown(sentences, what, part_of(part_of(here, "build"), name),
                         part_of(part_of(there, "build"), name));
  };
  if (first.record["device"] == "host") return add_part_of_build("compiler", "compiler");
  add_other_or_unknown(sentences, "driver", part_of(here, "driver"), part_of(there, "driver"));
  add_part_of_build("CUDA toolkit", "cuda_toolkit");
  if (first.record["variant"].get<std::string>().find("/nccl_") != std::string::npos)
    add_part_of_build("NCCL", "nccl");
  const auto processes_of = [](const Json& session) { return session.value("processes", 1); };
  const Json gpus = part_of(first.record["axes"], "gpus");
  if (gpus.is_number() && gpus > 1 && here.is_object() && there.is_object())
    add_difference(sentences, "processes", processes_of(here), processes_of(there));
}

bool is_of_host(const RecordOfRun& of) { return of.record["device"] == "host"; }

/// The hash of the board's UUID, of a CPU of the machine's id; null where its session does not say.
Json machine_of(const RecordOfRun& of) { return redbench::machine_of(session_of(of), of.record["device"]); }

/// False where one is not known.
bool differ_by(double a, double b, double percent) {
  return a > 0 && b > 0 && std::max(a, b) > (1 + percent / 100) * std::min(a, b);
}

bool is_of_gpu(const Record& record) { return record["device"].get<std::string>().starts_with("cuda"); }

/// The values that a fact of the board has in the sessions of the run's GPU records; null among them where
/// one does not have it.
std::set<Json> board_values(const StoredRun& run, const char* name) {
  std::set<Json> values;
  for (const Record& record : run.records)
    if (is_of_gpu(record)) values.insert(part_of(part_of(session_of({run, record}), "board"), name));
  return values;
}

/// 0 where no GPU record has it.
double median_over_gpu_records(const StoredRun& run, const char* field) {
  std::vector<double> values;
  for (const Record& record : run.records)
    if (is_of_gpu(record) && record[field].is_number()) values.push_back(record[field]);
  return values.empty() ? 0 : median_of(values).value;
}

/// SM clocks during all samples where both records have them, else as read between rounds.
void add_clock(std::vector<std::string>& sentences, const Record& first, const Record& second) {
  Json a = first["sm_clock_mhz"], b = second["sm_clock_mhz"];
  if (!a.is_number() || !b.is_number()) {
    a = part_of(first["clocks"], "sm_mhz");
    b = part_of(second["clocks"], "sm_mhz");
  }
  if (!a.is_number() || !b.is_number() || !(a > 0) || !(b > 0)) return;
  const auto [low, high] = std::minmax({a.get<double>(), b.get<double>()});
  if (high > (1 + most_clock_percent / 100) * low)
    sentences.push_back(
        fmt::format("other clock: the SMs ran at {:g} and {:g} MHz", a.get<double>(), b.get<double>()));
}

}  // namespace

bool are_of_two_machines(const RecordOfRun& first, const RecordOfRun& second) {
  const Json a = machine_of(first), b = machine_of(second);
  return !is_unknown(a) && !is_unknown(b) && a != b;
}

std::string why_other_machine(const RecordOfRun& first, const RecordOfRun& second) {
  std::vector<std::string> sentences;
  if (&first.run != &second.run || are_of_two_machines(first, second))
    add_other_or_unknown(
        sentences, is_of_host(first) ? "machine, by the hash of its id" : "board, by the hash of its UUID",
        machine_of(first), machine_of(second));
  return sentences.empty() ? "" : sentences[0];
}

std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second) {
  std::vector<std::string> sentences;
  add_difference(sentences, "other hardware", first.record["hardware"], second.record["hardware"]);
  if (!are_of_one_session(first, second)) add_process(sentences, first, second);
  add_difference(sentences, "other inputs, by their seed", first.record["seed"], second.record["seed"]);
  add_difference(sentences, "other inputs, by the SHA-256 of their files", first.record["input_files"],
                 second.record["input_files"]);
  add_other_or_unknown(sentences, "measuring code, by its version", first.record["measured_by"],
                       second.record["measured_by"]);
  add_difference(sentences, "other number of OpenMP threads", first.record["openmp_threads"],
                 second.record["openmp_threads"]);
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
  const std::string why = why_stale(first), other = why_stale(second);
  if (!why.empty() && why == other) {
    sentences.push_back("both are stale: " + why);
    return sentences;
  }
  if (!why.empty()) sentences.push_back(fmt::format("{} is stale: {}", first_name, why));
  if (!other.empty()) sentences.push_back(fmt::format("{} is stale: {}", second_name, other));
  return sentences;
}

std::vector<std::string> machines_apart(const StoredRun& first, const StoredRun& second) {
  std::vector<std::string> sentences;
  const std::set<Json> boards = board_values(first, "uuid_hash"), others = board_values(second, "uuid_hash");
  if (boards.empty() || others.empty()) return sentences;
  if (boards.contains(nullptr) || others.contains(nullptr))
    sentences.emplace_back("It is not known whether A and B ran on one board.");
  else if (boards != others) sentences.emplace_back("A and B ran on two boards.");
  const std::set<Json> limits = board_values(first, "power_limit_mw"),
                       other_limits = board_values(second, "power_limit_mw");
  const auto are_numbers = [](const std::set<Json>& values) {
    return std::ranges::all_of(values, [](const Json& value) { return value.is_number(); });
  };
  if (limits != other_limits && are_numbers(limits) && are_numbers(other_limits))
    sentences.push_back(fmt::format("The power limit is {:g} W in A and {:g} W in B.",
                                    limits.begin()->get<double>() / 1000,
                                    other_limits.begin()->get<double>() / 1000));
  const auto [empty, other_empty] = std::pair(median_over_gpu_records(first, "empty_sample_ns"),
                                              median_over_gpu_records(second, "empty_sample_ns"));
  if (differ_by(empty, other_empty, most_empty_percent))
    sentences.push_back(fmt::format("Two events cost {:.2f} µs in A and {:.2f} µs in B, and are in no time.",
                                    empty / 1000, other_empty / 1000));
  const auto [ceiling, other_ceiling] = std::pair(median_over_gpu_records(first, "ceiling_read_gb_per_s"),
                                                  median_over_gpu_records(second, "ceiling_read_gb_per_s"));
  if (differ_by(ceiling, other_ceiling, most_ceiling_percent))
    sentences.push_back(fmt::format("The median ceiling of reading is {:.0f} GB/s in A and {:.0f} GB/s in B.",
                                    ceiling, other_ceiling));
  return sentences;
}

std::string measured_otherwise(const StoredRun& first, const StoredRun& second) {
  // The sessions of both, as if one run had been resumed.
  StoredRun both{first.path, {{"sessions", Json::array()}}, {}};
  for (const StoredRun* run : {&first, &second})
    for (const Record& record : run->records) {
      both.facts["sessions"].push_back(session_of({*run, record}));
      both.records.push_back({{"session", both.records.size()}});
    }
  const std::string text = both.differences();
  return text.empty() ? text : "Measured otherwise: " + text + ".";
}

}  // namespace redbench
