#include "src/simt/model.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "src/error.hpp"
#include "src/simt/device_models.hpp"

namespace redbench::simt {
namespace {

/// Reads one model; every limit has to be there.
class ModelReader {
 public:
  ModelReader(std::string_view name, const char* text) : name_(name), json_(nlohmann::json::parse(text)) {
    unread_ = {};
    for (const auto& [key, value] : json_.items()) unread_.insert(key);
  }

  template <class T>
  T number(const char* key, T least = 1) {
    const auto found = json_.find(key);
    if (found == json_.end() || !found->is_number_integer() ||
        found->get<std::int64_t>() < std::int64_t(least))
      throw UsageError(fmt::format("configs/devices/{}.json: $.{}: an integer of at least {} is expected",
                                   name_, key, least));
    unread_.erase(key);
    return found->get<T>();
  }

  void finish() {
    unread_.erase("title");
    unread_.erase("source");
    if (!unread_.empty())
      throw UsageError(fmt::format("configs/devices/{}.json: $.{}: an unknown key", name_, *unread_.begin()));
  }

 private:
  std::string_view name_;
  nlohmann::json json_;
  std::set<std::string> unread_;
};

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < device_model_count; ++i) names.emplace_back(device_models[i].name);
  return names;
}

DeviceFacts load_model(std::string_view name) {
  for (std::size_t i = 0; i < device_model_count; ++i) {
    if (name != device_models[i].name) continue;
    ModelReader model(name, device_models[i].json);
    DeviceFacts facts;
    facts.name = name;
    facts.capability = model.number<int>("capability");
    facts.multiprocessors = model.number<int>("multiprocessors");
    facts.max_threads_per_block = model.number<int>("max_threads_per_block");
    facts.max_blocks = model.number<int>("max_blocks");
    facts.max_warps = model.number<int>("max_warps");
    facts.shared_bytes = model.number<std::size_t>("shared_bytes");
    facts.shared_bytes_per_block = model.number<std::size_t>("shared_bytes_per_block");
    facts.shared_bytes_reserved = model.number<std::size_t>("shared_bytes_reserved", 0);
    facts.shared_granularity = model.number<std::size_t>("shared_granularity");
    facts.registers = model.number<int>("registers");
    facts.register_granularity = model.number<int>("register_granularity");
    facts.banks = model.number<int>("banks");
    facts.l2_bytes = model.number<std::size_t>("l2_bytes");
    facts.memory_bytes = model.number<std::size_t>("memory_bytes");
    model.finish();
    return facts;
  }
  const std::vector<std::string> names = model_names();
  throw UsageError(fmt::format("no modelled GPU is called `{}`{} There are {}.", name,
                               nearest_match(name, names).empty() ? "." : nearest_match(name, names),
                               alternatives(names)));
}

}  // namespace redbench::simt
