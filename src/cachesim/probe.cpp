#include "src/cachesim/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "src/cachesim/chase.hpp"

namespace redbench {
namespace {

using cachesim::Level;
using cachesim::Machine;
using cachesim::TlbLevel;
using cachesim::Translation;

constexpr std::size_t kibi = 1024, mebi = kibi * kibi;
constexpr std::size_t page = 4 * kibi, huge_page = 2 * mebi;

/// Pointer chasing through a pool of that size, in huge pages.
struct LatencyPoint {
  std::uint64_t bytes;
  double ns;
};
using Latencies = std::vector<LatencyPoint>;

std::string size_text(std::uint64_t bytes) {
  return bytes >= mebi ? fmt::format("{:.4g} MiB", double(bytes) / double(mebi))
                       : fmt::format("{:.4g} KiB", double(bytes) / double(kibi));
}

/// Pools from 8 KiB to well beyond the last level: two for each doubling up to 16 MiB, then one.
std::vector<std::size_t> pool_sizes(std::size_t last_level, std::size_t largest) {
  const std::size_t most = std::min(std::max(4 * last_level, 256 * mebi), largest);
  std::vector<std::size_t> sizes;
  for (std::size_t size = 8 * kibi; size <= most; size *= 2) {
    sizes.push_back(size);
    if (size < 16 * mebi) sizes.push_back(size / 2 * 3);
  }
  return sizes;
}

/// The latency of the pool whose size is nearest by ratio.
double latency_at(const Latencies& points, double bytes) {
  const auto distance = [&](const LatencyPoint& point) {
    return std::abs(std::log(double(point.bytes) / bytes));
  };
  return std::ranges::min(points, {}, distance).ns;
}

/// The latency of a level from that of a pool of which the level above holds `share`.
double without_share(double ns, double share, double above_ns) {
  return std::max(above_ns, (ns - share * above_ns) / (1 - share));
}

/// A level's latency is that of a pool four times as large as the level above, or half as large as the level
/// where that is less: a level may be smaller than it is reported to be.
void set_levels(Machine& machine, const Latencies& latencies, const std::vector<ReportedCache>& reported) {
  for (const ReportedCache& cache : reported) {
    Level level;
    level.name = fmt::format("L{}", cache.level);
    level.bytes = cache.bytes;
    level.ways = cache.ways ? cache.ways : 16;
    if (machine.levels.empty()) {
      level.ns = latency_at(latencies, double(cache.bytes) / 2);
    } else {
      const Level& above = machine.levels.back();
      const double pool = std::min(4 * double(above.bytes), double(cache.bytes) / 2);
      level.ns = without_share(latency_at(latencies, pool), double(above.bytes) / pool, above.ns);
    }
    machine.line_bytes = cache.line_bytes;
    machine.levels.push_back(level);
  }
  machine.memory_ns = std::max(latencies.back().ns, machine.levels.back().ns);
}

/// Compares reported sizes with the pools that are fast. The last level is reduced to those, as others may
/// share it.
void compare_with_latencies(Machine& machine, const Latencies& latencies) {
  for (std::size_t i = 0; i < machine.levels.size(); ++i) {
    Level& level = machine.levels[i];
    const bool is_last = i + 1 == machine.levels.size();
    const double next = is_last ? machine.memory_ns : machine.levels[i + 1].ns;
    if (next < 1.3 * level.ns) {
      machine.unsure.push_back(
          fmt::format("{} and the level after it take nearly the same time ({:.3g} and {:.3g} ns)",
                      level.name, level.ns, next));
      continue;
    }
    const double between = std::sqrt(level.ns * next);
    std::uint64_t fits = 0;
    for (const LatencyPoint& point : latencies)
      if (point.ns <= between) fits = std::max(fits, point.bytes);
    const double share = double(fits) / double(level.bytes);
    if (share > 0.6 && share < 1.7) continue;
    machine.unsure.push_back(fmt::format("{} is reported to have {}; pools of up to {} are as fast",
                                         level.name, size_text(level.bytes), size_text(fits)));
    if (is_last && fits > 2 * machine.levels[i - (i > 0)].bytes && fits < level.bytes) level.bytes = fits;
  }
}

void round_levels(Machine& machine) {
  for (Level& level : machine.levels) {
    const std::uint64_t way = std::uint64_t(machine.line_bytes) * level.ways;
    level.bytes = std::max(level.bytes / way, std::uint64_t(1)) * way;
    const bool has_tree = std::has_single_bit(level.ways) && level.ways <= 64;
    level.replacement = has_tree ? cachesim::Replacement::tree_plru : cachesim::Replacement::lru;
  }
}

/// The ns that address translation adds to an access of a chase over so many pages of 4 kB, a line of each.
double translation_ns(std::size_t pages, int walks, double seconds) {
  const auto ns = [&](Pages kind) {
    return Chase({.bytes = pages * page, .step_bytes = page, .pages = kind}).ns(walks, seconds);
  };
  const double in_small_pages = ns(Pages::small);
  return std::max(0.0, in_small_pages - ns(Pages::huge));
}

/// The largest number of pages whose translation adds less than half of what a page walk does.
std::uint64_t pages_without_walks(double of_walk, double seconds) {
  std::uint64_t most = 256;
  for (const std::size_t pages : {512, 768, 1024, 1536, 2048, 3072, 4096})
    if (translation_ns(pages, 1, seconds) < of_walk / 2) most = pages;
  return most;
}

/// Two levels of TLB, their costs, and the cost of a page walk. Entries are as reported, else the usual 64
/// and as many as a chase shows.
void measure_translation(Machine& machine, double seconds, const SizeSources& sources) {
  constexpr std::size_t beyond = 32768;  // pages, 128 MiB: more than any TLB holds
  const double of_walk = translation_ns(beyond, 1, seconds), of_walks = translation_ns(beyond, 8, seconds);
  const std::uint64_t shown = pages_without_walks(of_walk, seconds);
  std::vector<ReportedTlb> tlbs = reported_tlbs(sources);
  if (tlbs.size() < 2) {
    tlbs = {{1, 64, 4}, {2, shown, unsigned(shown / 128)}};
    machine.unsure.push_back(fmt::format(
        "the processor does not report its TLB: 64 entries are assumed, and {} in the second level, as no "
        "more pages are fast",
        shown));
  } else if (shown > 2 * tlbs[1].entries || 2 * shown < tlbs[1].entries) {
    machine.unsure.push_back(
        fmt::format("the second level of the TLB is reported to have {} entries; {} pages are fast",
                    tlbs[1].entries, shown));
  }
  const double of_second =
      translation_ns(std::size_t(std::sqrt(double(tlbs[0].entries * tlbs[1].entries))), 1, seconds);

  Translation small;
  small.page_bytes = page;
  small.levels = {{"DTLB", tlbs[0].entries, tlbs[0].ways, 0},
                  {"STLB", tlbs[1].entries, tlbs[1].ways, of_second}};
  // The page table of so many pages lies in the second level.
  const double reads = machine.levels.size() > 1 ? machine.levels[1].ns : machine.levels[0].ns;
  small.walk_ns = std::max(0.0, of_walk - reads);
  if (of_walk < 2 * of_second)
    machine.unsure.push_back(
        fmt::format("a page walk ({:.2g} ns) seems to take hardly more than a hit in the second level of the "
                    "TLB ({:.2g} ns)",
                    of_walk, of_second));
  Translation huge = small;
  huge.page_bytes = huge_page;
  huge.levels[0].entries = 32;
  huge.levels[0].ways = 4;
  machine.translations = {small, huge};
  machine.unsure.emplace_back("32 entries of the first-level TLB are assumed for huge pages");
  if (of_walks > 0) machine.core.walks = unsigned(std::clamp(std::lround(of_walk / of_walks), 1L, 8L));
}

/// How many accesses of a pool of `bytes` overlap, and how fast lines come in order.
void measure_parallelism(Machine& machine, std::size_t bytes, double seconds) {
  const Chase chase({.bytes = bytes});
  const double one = chase.ns(1, seconds);
  double least = std::min(machine.memory_ns, one);
  for (const int walks : {2, 4, 8, 16, 32}) least = std::min(least, chase.ns(walks, seconds));
  machine.core.misses = unsigned(std::clamp(std::lround(one / least), 1L, 64L));
  const double store_ns = std::max(scatter_ns(bytes, seconds), 0.1);
  machine.core.store_misses = unsigned(std::clamp(std::lround(one / store_ns), 1L, 64L));
  machine.core.line_ns = stream_ns(64 * mebi, seconds);
}

}  // namespace

Machine probe_host(double seconds, std::size_t largest_pool, const SizeSources& sources) {
  Machine machine;
  machine.name = "host";
  std::vector<ReportedCache> caches = reported_caches(sources);
  if (caches.empty()) {
    caches = {{1, 32 * kibi, 8}, {2, mebi, 16}, {3, 32 * mebi, 16}};
    machine.unsure.emplace_back("the system reports no cache sizes: 32 KiB, 1 MiB and 32 MiB are assumed");
  }
  if (is_virtual_machine(sources))
    machine.unsure.emplace_back(
        "this is a virtual machine: the reported caches may be another machine's, or shared with others");
  Latencies latencies;
  for (const std::size_t size : pool_sizes(std::size_t(caches.back().bytes), largest_pool))
    latencies.push_back({size, Chase({.bytes = size}).ns(1, seconds)});
  set_levels(machine, latencies, caches);
  compare_with_latencies(machine, latencies);
  round_levels(machine);
  measure_translation(machine, seconds, sources);
  measure_parallelism(machine, std::size_t(latencies.back().bytes) / 2, seconds);
  machine.core.input_ns = loop_ns(TimedLoop::random_labels, seconds);
  machine.core.forward_ns = loop_ns(TimedLoop::equal_labels, seconds);
  machine.core.chain_ns = std::max(0.0, loop_ns(TimedLoop::dependent, seconds) - machine.levels.front().ns);
  // Not measured: a core of today has some 500 instructions in flight, and an input takes eight.
  machine.core.window = 64;
  machine.core.stores = 56;
  machine.unsure.emplace_back("64 inputs and 56 stores are assumed to be in flight at most");
  machine.prefetch = cachesim::Prefetch::streams;
  machine.scattered_frames = true;
  return machine;
}

std::vector<std::pair<std::string, std::string>> describe(const Machine& machine) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Level& level : machine.levels)
    lines.emplace_back(level.name,
                       fmt::format("{}, {} ways, {:.3g} ns", size_text(level.bytes), level.ways, level.ns));
  lines.emplace_back(
      "memory",
      fmt::format("{:.3g} ns; {} loads and {} stores at a time, {:.2g} ns for a line in order",
                  machine.memory_ns, machine.core.misses, machine.core.store_misses, machine.core.line_ns));
  for (const TlbLevel& level : machine.translations.front().levels)
    lines.emplace_back(level.name, fmt::format("{} entries for pages of 4 kB, {} ways, {:.2g} ns",
                                               level.entries, level.ways, level.ns));
  lines.emplace_back("page walk", fmt::format("{:.3g} ns and what it reads, {} at a time",
                                              machine.translations.front().walk_ns, machine.core.walks));
  for (const std::string& sentence : machine.unsure) lines.emplace_back("unsure", sentence);
  return lines;
}

}  // namespace redbench
