#include "src/cachesim/machine.hpp"

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

template <class Options, class Part>
Row<Options> list_row(const std::string& name, std::vector<Part> Options::*member, const Rows<Part>& parts,
                      const std::string& noun, const std::string& what) {
  return {{name, list_of(object(keys_of(parts)), noun), what},
          [=](const Node& node, Options& options) {
            for (const Node& entry : node.list()) (options.*member).push_back(read_members(parts, entry));
          },
          [=](const Options& options) {
            Json list = Json::array();
            for (const Part& part : options.*member) list.push_back(write_members(parts, part));
            return list;
          }};
}

const Rows<Level>& level_rows() {
  static const Rows<Level> rows{
      needed(row("name", &Level::name, text(), "for readers")),
      needed(row("bytes", &Level::bytes, whole(16, most_bytes), "of data")),
      needed(row("ways", &Level::ways, whole(1, most_entries), "lines of a set")),
      needed(row("ns", &Level::ns, nanoseconds(), "of an access that finds its line here")),
      row("replacement", &Level::replacement, replacement_names, "which line is evicted")};
  return rows;
}

const Rows<Translation>& translation_rows() {
  static const Rows<TlbLevel> levels{
      needed(row("name", &TlbLevel::name, text(), "for readers")),
      needed(row("entries", &TlbLevel::entries, whole(1, most_entries), "pages")),
      needed(row("ways", &TlbLevel::ways, whole(1, most_entries), "entries of a set")),
      row("ns", &TlbLevel::ns, nanoseconds(), "more, for an access that finds its page here")};
  static const Rows<Translation> rows{
      needed(row("page_bytes", &Translation::page_bytes, whole(4096, std::int64_t(1) << 30), "of a page")),
      row("walk_ns", &Translation::walk_ns, nanoseconds(), "of a page walk, besides what it reads"),
      row("directories", &Translation::directories, whole(1, 4096),
          "entries of page directories that are at hand"),
      needed(list_row("levels", &Translation::levels, levels, "level", "of the TLB, innermost first"))};
  return rows;
}

const Rows<Core>& core_rows() {
  static const Rows<Core> rows{
      needed(
          row("input_ns", &Core::input_ns, nanoseconds(), "of the loop over a few buckets, for each input")),
      needed(row("forward_ns", &Core::forward_ns, nanoseconds(),
                 "from an update to the next one of the same bucket")),
      row("chain_ns", &Core::chain_ns, nanoseconds(),
          "of a dependent loop: from a bucket's value to the next address"),
      needed(row("misses", &Core::misses, whole(1, 4096), "loads in flight that miss the first level")),
      needed(row("store_misses", &Core::store_misses, whole(1, 4096),
                 "stores in flight that miss the first level")),
      needed(row("window", &Core::window, whole(1, 4096), "inputs in flight")),
      needed(row("stores", &Core::stores, whole(1, 4096), "in the store buffer")),
      needed(row("walks", &Core::walks, whole(1, 4096), "concurrent page walks")),
      needed(row("line_ns", &Core::line_ns, nanoseconds(), "between two lines from memory"))};
  return rows;
}

const Rows<Machine>& machine_rows() {
  static const Rows<Machine> rows{
      needed(row("title", &Machine::title, text(), "for readers")),
      needed(row("source", &Machine::source, text(), "where the numbers come from")),
      {{"published_as", text(), "the device of this machine's rows in results/papers"},
       [](const Node& node, Machine& machine) { machine.published_as = node.text(); },
       {}},
      row("line_bytes", &Machine::line_bytes, whole(16, 4096), "of a cache line, a power of two"),
      needed(row("memory_ns", &Machine::memory_ns, nanoseconds(), "of an access that no level has")),
      row("scattered_frames", &Machine::scattered_frames, flag(), "pages lie anywhere in memory"),
      row("prefetch", &Machine::prefetch, prefetch_names, "what is fetched ahead"),
      needed(list_row("levels", &Machine::levels, level_rows(), "level", "of caches, innermost first")),
      list_row("translations", &Machine::translations, translation_rows(), "",
               "by page size, smallest first"),
      {{"core", object(keys_of(core_rows())), "what keeps independent accesses from overlapping without end"},
       [](const Node& node, Machine& machine) { machine.core = read_members(core_rows(), node); },
       [](const Machine& machine) { return write_members(core_rows(), machine.core); }},
      row("unsure", &Machine::unsure, list_of(text()), "what may be otherwise")};
  return rows;
}

bool is_power(std::uint64_t value) { return std::has_single_bit(value); }

/// What the shape of a single value does not show.
void check_level(const Node& node, const Level& level, unsigned line_bytes) {
  if (level.bytes % (std::uint64_t(line_bytes) * level.ways) != 0)
    node["bytes"].fail(fmt::format("{} is no multiple of {} ways of lines of {} bytes", level.bytes,
                                   level.ways, line_bytes));
  if (level.replacement == Replacement::tree_plru && (!is_power(level.ways) || level.ways > 64))
    node["ways"].fail(
        fmt::format("`tree_plru` takes a power of two up to 64, not {}; `lru` takes any", level.ways));
}

void check_translation(const Node& node, const Translation& translation) {
  if (!is_power(translation.page_bytes)) node["page_bytes"].fail("is no power of two");
  for (std::size_t i = 0; i < translation.levels.size(); ++i)
    if (const TlbLevel& level = translation.levels[i]; level.entries % level.ways != 0)
      node["levels"][i]["entries"].fail(
          fmt::format("{} is no multiple of {} ways", level.entries, level.ways));
}

Machine read_machine(const std::string& name, const Json& json, const std::string& place) {
  const Origins origins{place, {}};
  const Node root(json, "$", origins);
  object(keys_of(machine_rows())).check(root);
  Machine machine = read_members(machine_rows(), root);
  machine.name = name;
  if (!is_power(machine.line_bytes)) root["line_bytes"].fail("is no power of two");
  for (std::size_t i = 0; i < machine.levels.size(); ++i)
    check_level(root["levels"][i], machine.levels[i], machine.line_bytes);
  for (std::size_t i = 0; i < machine.translations.size(); ++i) {
    const Node node = root["translations"][i];
    check_translation(node, machine.translations[i]);
    if (i > 0 && machine.translations[i - 1].page_bytes >= machine.translations[i].page_bytes)
      node["page_bytes"].fail("is not above that of the entry before");
  }
  return machine;
}

}  // namespace

Machine parse_machine(const std::string& name, const std::string& text, const std::string& place) {
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

Machine load_machine(const std::string& name) {
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
  Json json = write_members(machine_rows(), machine);
  if (!has_core(machine)) json.erase("core");
  return json;
}

}  // namespace redbench
