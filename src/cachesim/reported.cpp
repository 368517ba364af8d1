#include "src/cachesim/probe.hpp"

#include <algorithm>
#include <array>
#include <fstream>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace redbench {
namespace {

std::string word_of(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

/// "48K", "2M"
std::uint64_t bytes_of(const std::string& text) {
  const std::uint64_t number = std::strtoull(text.c_str(), nullptr, 10);
  if (text.empty()) return 0;
  return text.back() == 'M' ? number << 20 : text.back() == 'K' ? number << 10 : number;
}

unsigned number_in(const std::string& path, unsigned otherwise) {
  const unsigned number = unsigned(std::strtoul(word_of(path).c_str(), nullptr, 10));
  return number ? number : otherwise;
}

/// Leaf 0x18, "deterministic address translation parameters".
std::vector<ReportedTlb> intel_tlbs(const SizeSources& sources) {
  std::vector<ReportedTlb> tlbs;
  const unsigned last = std::min(sources.cpuid(0x18, 0).a, 64u);
  for (unsigned i = 0; i <= last; ++i) {
    const Registers r = sources.cpuid(0x18, i);
    const unsigned kind = r.d & 0x1F, level = r.d >> 5 & 7, ways = r.b >> 16;
    const bool of_data = kind == 1 || kind == 3 || kind == 4, of_4k = r.b & 1;
    // Where loads and stores have a TLB each, that of the loads counts.
    if (!of_data || !of_4k || ways == 0) continue;
    tlbs.push_back({int(level), std::uint64_t(ways) * r.c, ways});
  }
  return tlbs;
}

std::vector<ReportedTlb> amd_tlbs(const SizeSources& sources) {
  std::vector<ReportedTlb> tlbs;
  const Registers first = sources.cpuid(0x80000005, 0), second = sources.cpuid(0x80000006, 0);
  constexpr std::array<unsigned, 16> ways{0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
  const unsigned entries = first.b >> 16 & 0xFF, direct = first.b >> 24;
  if (entries) tlbs.push_back({1, entries, direct == 0xFF ? entries : std::max(direct, 1u)});
  const unsigned more = second.b >> 16 & 0xFFF, code = second.b >> 28;
  if (more) tlbs.push_back({2, more, ways[code] ? ways[code] : more});
  return tlbs;
}

}  // namespace

Registers cpuid([[maybe_unused]] unsigned leaf, [[maybe_unused]] unsigned subleaf) {
  Registers r;
#ifdef __x86_64__
  if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d)) return {};
#endif
  return r;
}

std::vector<ReportedCache> reported_caches(const SizeSources& sources) {
  std::vector<ReportedCache> caches;
  for (int index = 0; index < 10; ++index) {
    const std::string folder = sources.caches + "/index" + std::to_string(index) + "/";
    const std::string type = word_of(folder + "type");
    if (type != "Data" && type != "Unified") continue;
    ReportedCache cache;
    cache.level = int(number_in(folder + "level", 0));
    cache.bytes = bytes_of(word_of(folder + "size"));
    cache.ways = number_in(folder + "ways_of_associativity", 0);
    cache.line_bytes = number_in(folder + "coherency_line_size", 64);
    if (cache.level > 0 && cache.bytes > 0) caches.push_back(cache);
  }
  std::ranges::sort(caches, {}, &ReportedCache::level);
  return caches;
}

std::vector<ReportedTlb> reported_tlbs(const SizeSources& sources) {
  const Registers vendor = sources.cpuid(0, 0);
  const bool is_amd =
      vendor.b == 0x68747541 && vendor.d == 0x69746E65 && vendor.c == 0x444D4163;  // AuthenticAMD
  std::vector<ReportedTlb> tlbs = is_amd ? amd_tlbs(sources) : intel_tlbs(sources);
  std::ranges::stable_sort(tlbs, {}, &ReportedTlb::level);
  const auto again = std::ranges::unique(tlbs, {}, &ReportedTlb::level);
  tlbs.erase(again.begin(), again.end());
  return tlbs;
}

bool is_virtual_machine(const SizeSources& sources) { return sources.cpuid(1, 0).c >> 31; }

}  // namespace redbench
