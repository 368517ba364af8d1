#include "src/records/derived.hpp"

#include <optional>

#include "src/simt/counters.hpp"

namespace redbench {
namespace {

using Sum = std::vector<Counter>;

/// factor × (parts − less) / whole, or the sum of `parts` where there is no whole.
struct Derived {
  Field field;
  Sum parts, whole = {}, less = {};
  int factor = 1;
};

Field count(const char* name, const char* label, const char* unit, const char* meaning) {
  return {.name = name,
          .kind = FieldKind::whole,
          .meaning = meaning,
          .null_where = not_counted_by_ncu,
          .is_derived = true,
          .label = label,
          .unit = unit,
          .digits = Digits::whole};
}

Field ratio(const std::string& name, const std::string& meaning, const char* over, const char* label = "",
            const char* unit = "") {
  return {.name = name,
          .kind = FieldKind::number,
          .meaning = meaning,
          .null_where = std::string("no ") + over,
          .is_derived = true,
          .label = label,
          .unit = unit};
}

const Sum sectors{Counter::global_load_sectors, Counter::global_store_sectors,
                  Counter::global_atomic_sectors};
const Sum ideal_sectors{Counter::global_load_sectors_ideal, Counter::global_store_sectors_ideal,
                        Counter::global_atomic_sectors_ideal};
const Sum wavefronts{Counter::shared_load_wavefronts, Counter::shared_store_wavefronts,
                     Counter::shared_atomic_wavefronts};
const Sum conflicts{Counter::shared_load_conflicts, Counter::shared_store_conflicts,
                    Counter::shared_atomic_conflicts};

/// Kinds of access by the prefix of their counters.
struct AccessKind {
  const char* name;
  Counter lanes, requests;
};
constexpr AccessKind access_kinds[] = {
    {"global_load", Counter::global_load_lanes, Counter::global_load_requests},
    {"global_store", Counter::global_store_lanes, Counter::global_store_requests},
    {"global_atomic", Counter::global_atomic_lanes, Counter::global_atomic_requests},
    {"shared_load", Counter::shared_load_lanes, Counter::shared_load_requests},
    {"shared_store", Counter::shared_store_lanes, Counter::shared_store_requests},
    {"shared_atomic", Counter::shared_atomic_lanes, Counter::shared_atomic_requests},
};

std::vector<Derived> make_derived() {
  Field divergent = ratio("divergent_percent", "branches at which the lanes of a warp part, of all branches",
                          "branch", "divergent branches", "%");
  divergent.published = {{"divergent_branches", "%", 1}};
  std::vector<Derived> all{
      {count("sectors", "global memory", "sectors",
             "sectors of global memory that loads, stores and atomics touch"),
       sectors},
      {count("sectors_ideal", "", "", "sectors for the same addresses side by side"), ideal_sectors},
      {ratio("sectors_per_ideal", "`sectors` / `sectors_ideal`", "access", "sectors touched",
             "per ideal sector"),
       sectors, ideal_sectors},
      {count("wavefronts", "shared memory", "wavefronts",
             "wavefronts of shared memory, by loads, stores and atomics"),
       wavefronts},
      {count("conflicts", "bank conflicts", "wavefronts", "those of them that bank conflicts add"),
       conflicts},
      {ratio("active_lanes", "lanes of a warp that are active in a basic block, on average", "basic block",
             "active lanes", "of 32"),
       {Counter::warp_basic_block_lanes},
       {Counter::warp_basic_blocks}},
      {divergent, {Counter::divergent_branches}, {Counter::branches}, {}, 100},
      {ratio("unpredicable_percent",
             "the same without branches around a few accesses, which nvcc may predicate", "branch",
             "unpredicable divergent branches", "%"),
       {Counter::divergent_branches},
       {Counter::branches},
       {Counter::predicable_divergent_branches},
       100},
      {count("barriers", "barriers", "waits of warps", "block and named barriers, by warp"),
       {Counter::block_barriers, Counter::named_barriers}},
      {ratio("global_atomic_degree_per_request",
             "lanes of a global atomic that wait for each other, on average", "such access"),
       {Counter::global_atomic_degree},
       {Counter::global_atomic_requests}},
      {ratio("shared_atomic_degree_per_request", "the same in shared memory", "such access"),
       {Counter::shared_atomic_degree},
       {Counter::shared_atomic_requests}},
  };
  const std::size_t of_all = all.size();
  all.push_back({ratio("lanes_per_request", "lanes that take part in an access, on average", "access"), {}});
  for (const AccessKind& kind : access_kinds) {
    all[of_all].parts.push_back(kind.lanes);
    all[of_all].whole.push_back(kind.requests);
    all.push_back(
        {ratio(std::string(kind.name) + "_lanes_per_request", "the same of this kind", "such access"),
         {kind.lanes},
         {kind.requests}});
  }
  return all;
}

const std::vector<Derived>& derived() {
  static const std::vector<Derived> all = make_derived();
  return all;
}

/// None where a counter is null (unknown); a missing one is 0.
std::optional<std::uint64_t> total(const Json& counters, const Sum& sum) {
  std::uint64_t count = 0;
  for (const Counter counter : sum) {
    const auto found = counters.find(counter_names[std::size_t(counter)]);
    if (found != counters.end() && found->is_null()) return std::nullopt;
    if (found != counters.end()) count += found->get<std::uint64_t>();
  }
  return count;
}

Json value_of(const Derived& of, const Json& counters) {
  const std::optional<std::uint64_t> part = total(counters, of.parts), less = total(counters, of.less),
                                     whole = total(counters, of.whole);
  if (!part || !less || !whole) return nullptr;
  if (of.whole.empty()) return *part;
  return *whole ? Json(of.factor * (double(*part) - double(*less)) / double(*whole)) : Json();
}

}  // namespace

std::vector<Field> derived_count_fields() {
  std::vector<Field> fields;
  for (const Derived& of : derived()) fields.push_back(of.field);
  return fields;
}

void add_derived_counts(Json& counters) {
  for (const Derived& of : derived())
    if (!counters.contains(of.field.name)) counters[of.field.name] = value_of(of, counters);
}

void add_derived(Record& record) {
  const Json &off = record["taken_off_ns"], &ns = record["time_ns"];
  if (record["taken_off_percent"].is_null() && off.is_number() && ns > 0)
    record["taken_off_percent"] = 100 * off.get<double>() / (ns.get<double>() + off.get<double>());
  if (record["counters"].is_object()) add_derived_counts(record["counters"]);
  for (Json& launch : record["launches"]) {
    if (launch["counters"].is_object()) add_derived_counts(launch["counters"]);
    const Json &time = launch["time_ns"], &read = launch["bytes_read"];
    if (time.is_number() && time > 0 && read > 0)
      launch["read_gb_per_s"] = read.get<double>() / time.get<double>();
  }
}

void complete_older(Record& record) {
  if (record["session"].is_null()) record["session"] = 0;
  if (record["tuned"].is_null()) record["tuned"] = false;
  Json& samples = record["samples_ns"];
  if (samples.is_array() && !samples.empty() && samples[0].is_number()) samples = Json::array({samples});
  if (record["forks"].is_null() && samples.is_array()) record["forks"] = samples.size();
}

}  // namespace redbench
