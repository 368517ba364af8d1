#include "src/simt/model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <tuple>

#include "src/error.hpp"
#include "src/json/node.hpp"
#include "src/simt/source.hpp"
#include "src/text/nearest.hpp"

namespace redbench::simt {
namespace {

/// A key of a model file, all of which must be there: its range, and where its value goes.
struct Limit {
  const char* key;
  std::int64_t least, most;
  void (*put)(DeviceFacts&, std::int64_t);
};

template <auto member>
void put(DeviceFacts& facts, std::int64_t value) {
  facts.*member = std::remove_reference_t<decltype(facts.*member)>(value);
}

constexpr std::int64_t mebi = 1 << 20, tebi = std::int64_t(1) << 40;

// Limits that are no bytes may be ten times those of any GPU there is. A warp has 32 lanes, so it never needs
// more banks, and src/simt/access_cost.cpp has room for 32.
constexpr Limit limits[] = {
    {"capability", 10, 999, put<&DeviceFacts::capability>},
    {"multiprocessors", 1, 10000, put<&DeviceFacts::multiprocessors>},
    {"max_threads_per_block", 32, 1024, put<&DeviceFacts::max_threads_per_block>},
    {"max_blocks", 1, 1024, put<&DeviceFacts::max_blocks>},
    {"max_warps", 1, 1024, put<&DeviceFacts::max_warps>},
    {"shared_bytes", 1, 16 * mebi, put<&DeviceFacts::shared_bytes>},
    {"shared_bytes_per_block", 1, 16 * mebi, put<&DeviceFacts::shared_bytes_per_block>},
    {"shared_bytes_reserved", 0, mebi, put<&DeviceFacts::shared_bytes_reserved>},
    {"shared_granularity", 1, mebi, put<&DeviceFacts::shared_granularity>},
    {"registers", 1, 16 * mebi, put<&DeviceFacts::registers>},
    {"register_granularity", 1, 65536, put<&DeviceFacts::register_granularity>},
    {"banks", 1, 32, put<&DeviceFacts::banks>},
    {"l2_bytes", 1, tebi, put<&DeviceFacts::l2_bytes>},
    {"memory_bytes", 1, 1024 * tebi, put<&DeviceFacts::memory_bytes>},
};

std::int64_t number(const Node& model, const Limit& limit) {
  const std::string range = fmt::format("a whole number from {} to {}", limit.least, limit.most);
  if (!model.has(limit.key)) model.fail(fmt::format("the key `{}` is missing: {}", limit.key, range));
  const Node node = model[limit.key];
  const Json& value = node.value();
  const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= std::uint64_t(limit.most)
                                               : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < limit.least) node.expected(range);
  return value.get<std::int64_t>();
}

/// The text of each model file that was loaded or registered, by name.
std::map<std::string, std::string> file_texts;

bool is_path(std::string_view name) { return name.find('/') != name.npos || name.ends_with(".json"); }

/// Registers by architecture, file and kernel; a kernel of a header has no file.
std::map<std::tuple<std::string, std::string, std::string>, int> read_register_tables() {
  std::map<std::tuple<std::string, std::string, std::string>, int> registers;
  for (std::size_t i = 0; i < register_table_count; ++i) {
    const std::string architecture = register_tables[i].name;
    Json table = parse_strictly(register_tables[i].json, "the registers of " + architecture);
    table["files"][""] = table["headers"];
    for (const auto& [file, kernels] : table["files"].items())
      for (const auto& [kernel, count] : kernels.items())
        registers[{architecture, file, kernel}] = count.get<int>();
  }
  return registers;
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < device_model_count; ++i) names.emplace_back(device_models[i].name);
  return names;
}

DeviceFacts parse_model(const std::string& name, const std::string& text, const std::string& place) {
  const Json json = parse_strictly(text, place);
  const Origins origins{place, {}};
  const Node model(json, "$", origins);
  std::vector<std::string> keys{"title", "source"};
  for (const Limit& limit : limits) keys.emplace_back(limit.key);
  model.expect_object(keys);
  for (const char* key : {"title", "source"})
    if (model.has(key)) model[key].text();
  DeviceFacts facts;
  facts.name = name;
  for (const Limit& limit : limits) limit.put(facts, number(model, limit));
  const auto at_most = [&](const char* key, std::size_t value, const char* other, std::size_t most) {
    if (value > most) model[key].fail(fmt::format("{} is more than {}, {}", value, other, most));
  };
  at_most("shared_bytes_per_block", facts.shared_bytes_per_block, "shared_bytes", facts.shared_bytes);
  at_most("shared_bytes_reserved", facts.shared_bytes_reserved, "shared_bytes", facts.shared_bytes);
  at_most("max_threads_per_block", std::size_t(facts.max_threads_per_block), "the lanes of max_warps",
          std::size_t(facts.max_warps) * 32);
  return facts;
}

DeviceFacts load_model(std::string_view asked) {
  const std::string name(asked);
  for (std::size_t i = 0; i < device_model_count; ++i)
    if (name == device_models[i].name)
      return parse_model(name, device_models[i].json, "configs/devices/" + name + ".json");
  if (const auto found = file_texts.find(name); found != file_texts.end())
    return parse_model(name, found->second, name);
  if (is_path(name)) {
    const Json model = read_json_file(name, "a model");
    std::string text = model.dump();
    const std::string file = std::filesystem::path(name).filename().string();
    DeviceFacts facts = parse_model(file, text, name);
    register_model(file, text);
    return facts;
  }
  const std::vector<std::string> names = model_names();
  throw UsageError(fmt::format("no modelled GPU is called `{}`{} There are {}, and files as ./mine.json.",
                               name, nearest_match(name, names).empty() ? "." : nearest_match(name, names),
                               alternatives(names)));
}

std::string text_of_model(const std::string& name) {
  const auto found = file_texts.find(name);
  return found == file_texts.end() ? "" : found->second;
}

void register_model(const std::string& name, const std::string& text) { file_texts[name] = text; }

int compiled_registers(int capability, const KernelSource& kernel) {
  static const auto registers = read_register_tables();
  const auto found = registers.find({fmt::format("sm_{}", capability), kernel.file, kernel.name});
  return found == registers.end() ? 0 : found->second;
}

}  // namespace redbench::simt
