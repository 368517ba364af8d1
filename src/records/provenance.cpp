#include "src/records/provenance.hpp"

#include <fmt/format.h>

#include <optional>

#include "src/build_facts.hpp"
#include "src/json/parse.hpp"

namespace redbench {

void add_provenance(Record& record, const Variant& variant, Target target) {
  record["source_hash"] = variant.source_hash(target);
  record["measured_by"] = measured_by[std::size_t(target)];
  record["measuring_hash"] = measuring_hash[std::size_t(target)];
  record["built_by"] = build_facts.built_by[std::size_t(target)];
}

Json machine_of(const Json& session, const std::string& device) {
  return device == "host" ? part_of(part_of(session, "host"), "machine_hash")
                          : part_of(part_of(session, "board"), "uuid_hash");
}

bool is_measured_otherwise(const Record& record) {
  const std::optional<Target> target = target_of_device(record["device"].get<std::string>());
  return !target || record["measured_by"] != measured_by[std::size_t(*target)];
}

std::string why_stale(const Record& record) {
  std::vector<std::string> reasons;
  const Variant* const variant = find_variant(record["variant"].get<std::string>());
  const std::optional<Target> target = target_of_device(record["device"].get<std::string>());
  if (!variant && record["kernel_file"].is_null()) reasons.emplace_back("kernel gone");
  else if (variant && target && record["source_hash"] != variant->source_hash(*target))
    reasons.emplace_back("kernel changed");

  if (!target || record["measured_by"].is_null()) reasons.emplace_back("measured by an unknown version");
  else if (is_measured_otherwise(record)) reasons.emplace_back("measured otherwise");
  return fmt::format("{}", fmt::join(reasons, "; "));
}

bool is_built_otherwise(const Record& record) {
  const std::optional<Target> target = target_of_device(record["device"].get<std::string>());
  const std::string here = target ? build_facts.built_by[std::size_t(*target)] : "";
  return !here.empty() && record["built_by"] != here;
}

}  // namespace redbench
