#include "src/nearest_variant.hpp"

#include "src/error.hpp"
#include "src/registry.hpp"

namespace redbench {

std::string nearest_variant(std::string_view name, const std::vector<std::string>& others) {
  std::vector<std::string> names = variant_names();
  names.insert(names.end(), others.begin(), others.end());
  if (name.find('/') != name.npos) return nearest_match(name, names);
  // Of several problems, the first that has it.
  std::vector<std::string> plain = others;
  for (const Variant& variant : variants()) plain.push_back(variant.short_name);
  const auto near = nearest_of(name, plain);
  if (!near) return {};
  for (const Variant& variant : variants())
    if (variant.short_name == *near) return did_you_mean(variant.name);
  return did_you_mean(*near);
}

}  // namespace redbench
