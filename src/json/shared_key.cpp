#include "src/json/shared_key.hpp"

#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace redbench {
namespace {

/// Without a lock where the thread has met the text before.
const std::string& kept(std::string_view text) {
  thread_local std::unordered_map<std::string_view, const std::string*> met;
  if (const auto found = met.find(text); found != met.end()) return *found->second;
  static std::mutex mutex;
  static auto& all = *new std::unordered_set<std::string>;  // keys outlive all statics
  const std::lock_guard lock(mutex);
  const std::string& kept = *all.emplace(text).first;
  met.emplace(kept, &kept);
  return kept;
}

}  // namespace

SharedKey::SharedKey(std::string_view text) : text_(&kept(text)) {}

}  // namespace redbench
