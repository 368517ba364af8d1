#include "src/json/parse.hpp"

namespace redbench {

Json parse_json(const std::string& text) {
  bool too_deep = false;
  const auto watch = [&too_deep](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    too_deep |= opens && std::size_t(depth) >= deepest_json;
    return !too_deep;
  };
  Json parsed = Json::parse(text, watch, false);
  return too_deep ? Json(Json::value_t::discarded) : parsed;
}

Json part_of(const Json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

std::string indented(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace redbench
