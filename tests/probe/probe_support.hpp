// What the probe makes of times that a test has written down, and of caches and a processor that it is told.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/json.hpp"
#include "src/predict/machine_file.hpp"
#include "src/probe/probe.hpp"
#include "src/probe/told.hpp"
#include "tests/probe/told_clock.hpp"
#include "tests/support.hpp"

namespace redbench {

/// With six digits of each number: a time goes through the clock's ns and a division.
inline Json in_short(const Json& json) {
  if (json.is_number_float()) return Json::parse(fmt::format("{:.6g}", json.get<double>()));
  Json same = json;
  if (json.is_structured())
    for (auto& one : same) one = in_short(one);
  return same;
}

/// What the probe makes of these times. `on_ask`: as of ToldClock.
inline Json told_of(
    const std::vector<Timed>& measurements, std::size_t largest_pool, const Teller& teller,
    const std::function<void(std::size_t)>& on_ask = [](std::size_t) {}) {
  ToldClock clock = clock_of(measurements);
  clock.on_ask = on_ask;
  told_clock = &clock;
  const HostProbe probe = probe_host(0, largest_pool, teller);
  told_clock = nullptr;
  Json latencies = Json::array();
  for (const LatencyPoint& point : probe.latencies)
    latencies.push_back(fmt::format("{}: {:.6g}", point.bytes, point.ns));
  Json overlapped = Json::array();
  for (const auto& [walks, ns] : probe.overlapped) overlapped.push_back(fmt::format("{}: {:.6g}", walks, ns));
  Json lines = Json::array();
  for (const auto& [name, text] : described(probe)) lines.push_back(name + ": " + text);
  return in_short(Json{{"asked", clock.asked},
                       {"name", probe.machine.name},
                       {"machine", written_machine(probe.machine)},
                       {"latencies", latencies},
                       {"overlapped", overlapped},
                       {"described", lines}});
}

struct TimedPool {
  std::size_t kibi;
  double ns;
};

/// A chase through pools, each pointer once or 4096.
inline std::vector<Timed> times_of(const std::vector<TimedPool>& pools) {
  std::vector<Timed> times;
  for (const TimedPool& pool : pools) times.push_back({pool.ns, std::max(4096.0, double(pool.kibi) * 16)});
  return times;
}

inline std::vector<std::string> latencies_of(const std::vector<TimedPool>& pools) {
  std::vector<std::string> lines;
  for (const TimedPool& pool : pools) lines.push_back(fmt::format("{}: {:.6g}", pool.kibi << 10, pool.ns));
  return lines;
}

/// Small pages, then huge ones; the 32768 pages that are more than any TLB has, at first one walk and then
/// eight; then seven numbers of pages from 512 to 4096; then so many that the second level has them.
inline std::vector<Timed> times_of_pages(const std::vector<std::pair<double, double>>& small_and_huge) {
  std::vector<Timed> times;
  for (std::size_t i = 0; i < small_and_huge.size(); ++i)
    for (const double ns : {small_and_huge[i].first, small_and_huge[i].second})
      times.push_back({ns, i < 2 ? 32768.0 : 4096.0});
  return times;
}

inline std::vector<Timed> joined(std::vector<std::vector<Timed>> parts) {
  std::vector<Timed> all;
  for (const std::vector<Timed>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline constexpr double lines_of_stream = 1 << 20, stores_of_scatter = 1 << 18, inputs_of_loop = 1 << 14;

/// Of this processor, which is told more than files of /sys.
struct OfProcessor {
  std::uint64_t entries[2];
  unsigned ways[2];
  std::vector<std::string> unsure;  // where so many pages are fast
};

inline OfProcessor of_processor(std::uint64_t fast_pages) {
  const std::vector<ToldTlb> told = told_tlbs();
  if (told.size() < 2)
    return {
        {64, fast_pages},
        {4, unsigned(fast_pages / 128)},
        {fmt::format("the processor tells nothing of its TLB: 64 entries are assumed, and {} in the second "
                     "level, as no more pages are fast",
                     fast_pages)}};
  OfProcessor processor{{told[0].entries, told[1].entries}, {told[0].ways, told[1].ways}, {}};
  const double ratio = double(fast_pages) / double(told[1].entries);
  if (ratio > 2 || ratio < 0.5)
    processor.unsure = {
        fmt::format("the second level of the TLB is told to have {} entries; {} pages are fast",
                    told[1].entries, fast_pages)};
  return processor;
}

inline std::vector<std::string> sentences(const std::vector<std::string>& of_caches,
                                          const OfProcessor& processor,
                                          const std::vector<std::string>& of_walks = {}) {
  std::vector<std::string> all;
  if (is_virtual())
    all.push_back(
        "this is a virtual machine: it may be told the caches of another, or those that it shares with "
        "others");
  for (const auto& part : {of_caches,
                           processor.unsure,
                           of_walks,
                           {"huge pages are taken to have 32 entries in the first level of the TLB",
                            "64 inputs are taken to be under way at a time, and 56 stores"}})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

inline Json translations_of(const OfProcessor& processor, double second_ns, double walk_ns) {
  const auto translation = [&](int page_bytes, std::uint64_t entries, unsigned ways) {
    return Json{{"page_bytes", page_bytes},
                {"levels",
                 {{{"name", "DTLB"}, {"entries", entries}, {"ways", ways}, {"ns", 0.0}},
                  {{"name", "STLB"},
                   {"entries", processor.entries[1]},
                   {"ways", processor.ways[1]},
                   {"ns", second_ns}}}},
                {"walk_ns", walk_ns},
                {"directories", 32}};
  };
  return Json::array(
      {translation(4096, processor.entries[0], processor.ways[0]), translation(2097152, 32, 4)});
}

inline void write_cache(const TemporaryFolder& folder, int level, const std::string& size,
                        const std::string& ways, const std::string& line) {
  const std::string place = fmt::format("index{}/", level);
  folder.write(place + "type", "Unified\n");
  folder.write(place + "level", fmt::format("{}\n", level));
  folder.write(place + "size", size + "\n");
  if (!ways.empty()) folder.write(place + "ways_of_associativity", ways + "\n");
  folder.write(place + "coherency_line_size", line + "\n");
}

}  // namespace redbench
