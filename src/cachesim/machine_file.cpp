#include "src/cachesim/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <variant>

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

/// A key of an object in the file, and the member of T that it sets.
template <class T>
struct Field {
  const char* name;
  std::variant<std::string T::*, std::uint64_t T::*, unsigned T::*, double T::*, bool T::*> member;
  Shape shape;
  const char* what;
  bool required = true;
};
template <class T>
using Fields = std::vector<Field<T>>;

const Fields<Level> level_fields{{"name", &Level::name, text(), "for readers"},
                                 {"bytes", &Level::bytes, whole(16, most_bytes), "of data"},
                                 {"ways", &Level::ways, whole(1, most_entries), "lines of a set"},
                                 {"ns", &Level::ns, nanoseconds(), "of an access that finds its line here"}};
const Fields<TlbLevel> tlb_fields{
    {"name", &TlbLevel::name, text(), "for readers"},
    {"entries", &TlbLevel::entries, whole(1, most_entries), "pages"},
    {"ways", &TlbLevel::ways, whole(1, most_entries), "entries of a set"},
    {"ns", &TlbLevel::ns, nanoseconds(), "more, for an access that finds its page here", false}};
const Fields<Translation> translation_fields{
    {"page_bytes", &Translation::page_bytes, whole(4096, std::int64_t(1) << 30), "of a page"},
    {"walk_ns", &Translation::walk_ns, nanoseconds(), "of a page walk, besides what it reads", false},
    {"directories", &Translation::directories, whole(1, 4096), "entries of page directories that are at hand",
     false}};
const Fields<Core> core_fields{
    {"input_ns", &Core::input_ns, nanoseconds(), "of the loop over a few buckets, for each input"},
    {"forward_ns", &Core::forward_ns, nanoseconds(), "from an update to the next one of the same bucket"},
    {"chain_ns", &Core::chain_ns, nanoseconds(),
     "of a dependent loop: from a bucket's value to the next address", false},
    {"misses", &Core::misses, whole(1, 4096), "loads in flight that miss the first level"},
    {"store_misses", &Core::store_misses, whole(1, 4096), "stores in flight that miss the first level"},
    {"window", &Core::window, whole(1, 4096), "inputs in flight"},
    {"stores", &Core::stores, whole(1, 4096), "in the store buffer"},
    {"walks", &Core::walks, whole(1, 4096), "concurrent page walks"},
    {"line_ns", &Core::line_ns, nanoseconds(), "between two lines from memory"}};
const Fields<Machine> machine_fields{
    {"title", &Machine::title, text(), "for readers"},
    {"source", &Machine::source, text(), "where the numbers come from"},
    {"line_bytes", &Machine::line_bytes, whole(16, 4096), "of a cache line, a power of two", false},
    {"memory_ns", &Machine::memory_ns, nanoseconds(), "of an access that no level has"},
    {"scattered_frames", &Machine::scattered_frames, flag(), "pages lie anywhere in memory", false}};

/// An object of these fields and `more` keys.
template <class T>
Shape object_of(const Fields<T>& fields, const std::vector<Key>& more = {}) {
  std::vector<Key> keys;
  for (const Field<T>& field : fields)
    keys.push_back({field.name, field.shape, field.what, {}, field.required});
  keys.insert(keys.end(), more.begin(), more.end());
  return object(std::move(keys));
}

template <class T>
T read(const Fields<T>& fields, const Json& json) {
  T read;
  for (const Field<T>& field : fields)
    if (json.contains(field.name))
      std::visit([&](const auto member) { json[field.name].get_to(read.*member); }, field.member);
  return read;
}

template <class T>
Json write(const Fields<T>& fields, const T& written) {
  Json json;
  for (const Field<T>& field : fields)
    std::visit([&](const auto member) { json[field.name] = written.*member; }, field.member);
  return json;
}

const Shape& machine_shape() {
  static const Shape shape = [] {
    const Shape level = object_of(
        level_fields, {{"replacement", one_of(strings(replacement_names)), "which line is evicted"}});
    const Shape translation = object_of(
        translation_fields,
        {{"levels", list_of(object_of(tlb_fields), "level"), "of the TLB, innermost first", {}, true}});
    return object_of(
        machine_fields,
        {{"published_as", text(), "the device of this machine's rows in results/papers"},
         {"levels", list_of(level, "level"), "of caches, innermost first", {}, true},
         {"prefetch", one_of(strings(prefetch_names)), "what is fetched ahead"},
         {"translations", list_of(translation), "by page size, smallest first"},
         {"core", object_of(core_fields), "what keeps independent accesses from overlapping without end"},
         {"unsure", list_of(text()), "what may be otherwise"}});
  }();
  return shape;
}

bool is_power(std::uint64_t value) { return std::has_single_bit(value); }

Level read_level(const Node& node, unsigned line_bytes) {
  Level level = read(level_fields, node.value());
  if (node.has("replacement"))
    level.replacement = Replacement(node["replacement"].choice(strings(replacement_names)));
  if (level.bytes % (std::uint64_t(line_bytes) * level.ways) != 0)
    node["bytes"].fail(fmt::format("{} is no multiple of {} ways of lines of {} bytes", level.bytes,
                                   level.ways, line_bytes));
  if (level.replacement == Replacement::tree_plru && (!is_power(level.ways) || level.ways > 64))
    node["ways"].fail(
        fmt::format("`tree_plru` takes a power of two up to 64, not {}; `lru` takes any", level.ways));
  return level;
}

Translation read_translation(const Node& node) {
  Translation translation = read(translation_fields, node.value());
  if (!is_power(translation.page_bytes)) node["page_bytes"].fail("is no power of two");
  for (const Node& entry : node["levels"].list()) {
    const TlbLevel& level = translation.levels.emplace_back(read(tlb_fields, entry.value()));
    if (level.entries % level.ways != 0)
      entry["entries"].fail(fmt::format("{} is no multiple of {} ways", level.entries, level.ways));
  }
  return translation;
}

MachineFile read_machine(const std::string& name, const Json& json, const std::string& place) {
  const Origins origins{place, {}};
  const Node root(json, "$", origins);
  machine_shape().check(root);
  MachineFile file{read(machine_fields, json), json.value("published_as", std::string())};
  Machine& machine = file.machine;
  machine.name = name;
  if (!is_power(machine.line_bytes)) root["line_bytes"].fail("is no power of two");
  for (const Node& level : root["levels"].list())
    machine.levels.push_back(read_level(level, machine.line_bytes));
  if (root.has("prefetch")) machine.prefetch = Prefetch(root["prefetch"].choice(strings(prefetch_names)));
  if (root.has("translations"))
    for (const Node& entry : root["translations"].list()) {
      const Translation translation = read_translation(entry);
      if (!machine.translations.empty() && machine.translations.back().page_bytes >= translation.page_bytes)
        entry["page_bytes"].fail("is not above that of the entry before");
      machine.translations.push_back(translation);
    }
  if (root.has("core")) machine.core = read(core_fields, json["core"]);
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
  Json json = write(machine_fields, machine);
  json["prefetch"] = prefetch_names[std::size_t(machine.prefetch)];
  json["levels"] = Json::array();
  for (const Level& level : machine.levels) {
    Json entry = write(level_fields, level);
    entry["replacement"] = replacement_names[std::size_t(level.replacement)];
    json["levels"].push_back(entry);
  }
  json["translations"] = Json::array();
  for (const Translation& translation : machine.translations) {
    Json entry = write(translation_fields, translation);
    for (const TlbLevel& level : translation.levels) entry["levels"].push_back(write(tlb_fields, level));
    json["translations"].push_back(entry);
  }
  if (has_core(machine)) json["core"] = write(core_fields, machine.core);
  json["unsure"] = machine.unsure;
  return json;
}

}  // namespace redbench
