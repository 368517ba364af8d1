#include "src/cachesim/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "src/config/shape.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

using namespace cachesim;
namespace fs = std::filesystem;

constexpr std::int64_t most_bytes = std::int64_t(1) << 34, most_entries = 1 << 20;
constexpr const char* folder = "configs/devices/caches";

Shape nanoseconds() {
  Shape shape = number_above(-1e-300);
  shape.words = "a number of nanoseconds, 0 to 10^6";
  shape.check = [words = shape.words](const Node& node) {
    const Json& value = node.value();
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1e6)) node.expected(words);
  };
  return shape;
}

Shape level_shape() {
  return object({{"name", text(), "for readers", {}, true},
                 {"bytes", whole(16, most_bytes), "of data", {}, true},
                 {"ways", whole(1, most_entries), "lines of a set", {}, true},
                 {"ns", nanoseconds(), "of an access that finds its line here", {}, true},
                 {"replacement", one_of(strings(replacement_names)), "what goes", "tree_plru"}});
}

Shape tlb_shape() {
  return object({{"name", text(), "for readers", {}, true},
                 {"entries", whole(1, most_entries), "pages", {}, true},
                 {"ways", whole(1, most_entries), "entries of a set", {}, true},
                 {"ns", nanoseconds(), "more, for an access that finds its page here", 0}});
}

Shape translation_shape() {
  return object({{"page_bytes", whole(4096, std::int64_t(1) << 30), "of a page", {}, true},
                 {"levels", list_of(tlb_shape(), "level"), "of the TLB, innermost first", {}, true},
                 {"walk_ns", nanoseconds(), "of a page walk, besides what it reads", 0},
                 {"directories", whole(1, 4096), "entries of page directories that are at hand", 32}});
}

/// A key of `core`: a time in ns, or a number.
struct CoreKey {
  const char* name;
  double Core::*ns;
  unsigned Core::*number;
  const char* what;
  bool required = true;
};
constexpr CoreKey core_keys[] = {
    {"input_ns", &Core::input_ns, {}, "of the loop over a few buckets, for each input"},
    {"forward_ns", &Core::forward_ns, {}, "from an update to the next one of the same bucket"},
    {"chain_ns",
     &Core::chain_ns,
     {},
     "of a dependent loop: from a bucket's value to the next address",
     false},
    {"misses", {}, &Core::misses, "loads in flight that miss the first level"},
    {"store_misses", {}, &Core::store_misses, "stores in flight that miss the first level"},
    {"window", {}, &Core::window, "inputs in flight"},
    {"stores", {}, &Core::stores, "in the store buffer"},
    {"walks", {}, &Core::walks, "concurrent page walks"},
    {"line_ns", &Core::line_ns, {}, "between two lines from memory"}};

Shape core_shape() {
  std::vector<Key> keys;
  for (const CoreKey& key : core_keys)
    keys.push_back({key.name, key.ns ? nanoseconds() : whole(1, 4096), key.what,
                    key.required ? Json() : Json(0), key.required});
  return object(std::move(keys));
}

const Shape& machine_shape() {
  static const Shape shape =
      object({{"title", text(), "for readers", {}, true},
              {"source", text(), "where the numbers come from", {}, true},
              {"published_as", text(), "the device of this machine's rows in results/papers"},
              {"line_bytes", whole(16, 4096), "of a cache line, a power of two", 64},
              {"levels", list_of(level_shape(), "level"), "of caches, innermost first", {}, true},
              {"memory_ns", nanoseconds(), "of an access that no level has", {}, true},
              {"prefetch", one_of(strings(prefetch_names)), "what is fetched ahead", "next_line"},
              {"scattered_frames", flag(), "pages lie anywhere in memory", false},
              {"translations", list_of(translation_shape()), "by page size, smallest first", Json::array()},
              {"core", core_shape(), "what keeps independent accesses from overlapping without end"},
              {"unsure", list_of(text()), "what may be otherwise", Json::array()}});
  return shape;
}

bool is_power(std::uint64_t value) { return std::has_single_bit(value); }

void check_level(const Node& node, const Level& level, unsigned line_bytes) {
  if (level.bytes % (std::uint64_t(line_bytes) * level.ways) != 0)
    node["bytes"].fail(fmt::format("{} is no multiple of {} ways of lines of {} bytes", level.bytes,
                                   level.ways, line_bytes));
  if (level.replacement == Replacement::tree_plru && (!is_power(level.ways) || level.ways > 64))
    node["ways"].fail(
        fmt::format("`tree_plru` takes a power of two up to 64, not {}; `lru` takes any", level.ways));
}

Level read_level(const Node& node, unsigned line_bytes) {
  const Json& value = node.value();
  Level level{value["name"], value["bytes"], value["ways"], value["ns"], Replacement::tree_plru};
  if (node.has("replacement"))
    level.replacement = Replacement(node["replacement"].choice(strings(replacement_names)));
  check_level(node, level, line_bytes);
  return level;
}

Translation read_translation(const Node& node) {
  const Json& value = node.value();
  Translation translation;
  translation.page_bytes = value["page_bytes"];
  if (!is_power(translation.page_bytes)) node["page_bytes"].fail("is no power of two");
  for (const Node& entry : node["levels"].list()) {
    const Json& tlb = entry.value();
    const TlbLevel level{tlb["name"], tlb["entries"], tlb["ways"], tlb.value("ns", 0.0)};
    if (level.entries % level.ways != 0)
      entry["entries"].fail(fmt::format("{} is no multiple of {} ways", level.entries, level.ways));
    translation.levels.push_back(level);
  }
  translation.walk_ns = value.value("walk_ns", translation.walk_ns);
  translation.directories = value.value("directories", translation.directories);
  return translation;
}

Core read_core(const Json& value) {
  Core core;
  for (const CoreKey& key : core_keys)
    if (key.ns) core.*key.ns = value.value(key.name, 0.0);
    else core.*key.number = value[key.name];
  return core;
}

Json serialize_core(const Core& core) {
  Json json;
  for (const CoreKey& key : core_keys) json[key.name] = key.ns ? Json(core.*key.ns) : Json(core.*key.number);
  return json;
}

MachineFile read_machine(const std::string& name, const Json& json, const std::string& place) {
  const Origins origins{place, {}};
  const Node root(json, "$", origins);
  machine_shape().check(root);
  MachineFile file;
  Machine& machine = file.machine;
  file.published_as = json.value("published_as", std::string());
  machine.name = name;
  machine.title = json["title"];
  machine.source = json["source"];
  machine.line_bytes = json.value("line_bytes", machine.line_bytes);
  if (!is_power(machine.line_bytes)) root["line_bytes"].fail("is no power of two");
  for (const Node& level : root["levels"].list())
    machine.levels.push_back(read_level(level, machine.line_bytes));
  machine.memory_ns = json["memory_ns"];
  if (root.has("prefetch")) machine.prefetch = Prefetch(root["prefetch"].choice(strings(prefetch_names)));
  machine.scattered_frames = json.value("scattered_frames", machine.scattered_frames);
  if (root.has("translations"))
    for (const Node& entry : root["translations"].list()) {
      machine.translations.push_back(read_translation(entry));
      const auto count = machine.translations.size();
      if (count > 1 &&
          machine.translations[count - 2].page_bytes >= machine.translations[count - 1].page_bytes)
        entry["page_bytes"].fail("is not above that of the entry before");
    }
  if (root.has("core")) machine.core = read_core(json["core"]);
  if (root.has("unsure")) machine.unsure = json["unsure"].get<std::vector<std::string>>();
  return file;
}

}  // namespace

MachineFile parse_machine(const std::string& name, const std::string& text, const std::string& place) {
  return read_machine(name, parse_strictly(text, place), place);
}

std::vector<std::string> own_machines() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(own_files() / folder, error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

MachineFile load_machine(const std::string& name) {
  const bool is_path = name.find('/') != name.npos || name.ends_with(".json");
  if (is_path) return read_machine(fs::path(name).stem().string(), read_json_file(name, "a machine"), name);
  for (const fs::path& path : places_of(fs::path(folder) / (name + ".json")))
    if (std::error_code error; fs::is_regular_file(path, error))
      return read_machine(name, read_json_file(path.string(), "a machine"), path.string());
  std::vector<std::string> names = own_machines();
  names.insert(names.begin(), "host");
  throw UsageError(fmt::format("no machine is called `{}`; there are {}, and files as ./mine.json{}", name,
                               alternatives(names), nearest_match(name, names)));
}

bool has_core(const Machine& machine) { return machine.core.line_ns > 0 || machine.core.input_ns > 0; }

Json serialize_machine(const Machine& machine) {
  Json levels = Json::array(), translations = Json::array();
  for (const Level& level : machine.levels)
    levels.push_back({{"name", level.name},
                      {"bytes", level.bytes},
                      {"ways", level.ways},
                      {"ns", level.ns},
                      {"replacement", replacement_names[std::size_t(level.replacement)]}});
  for (const Translation& translation : machine.translations) {
    Json tlb = Json::array();
    for (const TlbLevel& level : translation.levels)
      tlb.push_back(
          {{"name", level.name}, {"entries", level.entries}, {"ways", level.ways}, {"ns", level.ns}});
    translations.push_back({{"page_bytes", translation.page_bytes},
                            {"levels", tlb},
                            {"walk_ns", translation.walk_ns},
                            {"directories", translation.directories}});
  }
  Json json{{"title", machine.title},
            {"source", machine.source},
            {"line_bytes", machine.line_bytes},
            {"levels", levels},
            {"memory_ns", machine.memory_ns},
            {"prefetch", prefetch_names[std::size_t(machine.prefetch)]},
            {"scattered_frames", machine.scattered_frames},
            {"translations", translations}};
  if (has_core(machine)) json["core"] = serialize_core(machine.core);
  json["unsure"] = machine.unsure;
  return json;
}

}  // namespace redbench
